"""Normalisation of rows by their root mean square, forward and backward."""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_forward_kernel(x_ptr, weight_ptr, out_ptr, rstd_ptr,
                            stride_xm, stride_om, num_cols, eps,
                            BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * stride_xm + cols, mask=mask,
                other=0.0).to(tl.float32)
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / num_cols + eps)
    tl.store(rstd_ptr + row, rstd)
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * stride_om + cols, x * rstd * weight, mask=mask)


@triton.jit
def rms_norm_backward_kernel(x_ptr, weight_ptr, grad_ptr, rstd_ptr, grad_x_ptr,
                             part_weight_ptr, stride_xm, stride_gm, stride_om,
                             num_rows, num_cols, rows_each,
                             BLOCK: tl.constexpr):
    # An instance has some rows that follow each other and its row of the part.
    instance = tl.program_id(0)
    first = instance * rows_each
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    part_weight = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(first, tl.minimum(first + rows_each, num_rows)):
        x = tl.load(x_ptr + row * stride_xm + cols, mask=mask,
                    other=0.0).to(tl.float32)
        grad = tl.load(grad_ptr + row * stride_gm + cols, mask=mask,
                       other=0.0).to(tl.float32)
        rstd = tl.load(rstd_ptr + row)
        normal = x * rstd
        scaled = grad * weight
        along = tl.sum(normal * scaled, axis=0) / num_cols
        tl.store(grad_x_ptr + row * stride_om + cols,
                 (scaled - normal * along) * rstd, mask=mask)
        part_weight += grad * normal
    tl.store(part_weight_ptr + instance * num_cols + cols, part_weight,
             mask=mask)


@triton.jit
def sum_rows_kernel(part_ptr, out_ptr, num_rows, num_cols,
                    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for begin in range(0, num_rows, BLOCK_M):
        rows = begin + tl.arange(0, BLOCK_M)
        mask = (rows[:, None] < num_rows) & (cols[None, :] < num_cols)
        total += tl.load(part_ptr + rows[:, None] * num_cols + cols[None, :],
                         mask=mask, other=0.0)
    tl.store(out_ptr + cols, tl.sum(total, axis=0), mask=cols < num_cols)


def rms_norm(x, weight, eps=1e-6, out=None):
    """The rows of `x`, normalised, and one by their root mean squares."""
    m, n = x.shape
    if out is None:
        out = torch.empty_like(x)
    rstd = torch.empty(m, dtype=torch.float32, device=x.device)
    rms_norm_forward_kernel[(m,)](
        x, weight, out, rstd, x.stride(0), out.stride(0), n, eps,
        BLOCK=triton.next_power_of_2(n))
    return out, rstd


def rms_norm_backward(grad, x, weight, rstd, out=None, num_parts=64):
    """The gradients with respect to `x` and `weight`."""
    m, n = x.shape
    rows_each = triton.cdiv(m, max(1, min(num_parts, m)))
    num_parts = triton.cdiv(m, rows_each)
    grad_x = torch.empty_like(x) if out is None else out
    part = torch.empty((num_parts, n), dtype=torch.float32, device=x.device)
    rms_norm_backward_kernel[(num_parts,)](
        x, weight, grad, rstd, grad_x, part, x.stride(0), grad.stride(0),
        grad_x.stride(0), m, n, rows_each,
        BLOCK=triton.next_power_of_2(n))
    grad_weight = torch.empty_like(weight)
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK_N"]),)
    sum_rows_kernel[grid](part, grad_weight, num_parts, n,
                          BLOCK_M=32, BLOCK_N=128)
    return grad_x, grad_weight
