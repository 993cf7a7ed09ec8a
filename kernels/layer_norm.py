"""Layer normalisation of rows, forward and backward."""

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_forward_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr,
                              mean_ptr, rstd_ptr, stride_xm, stride_om,
                              num_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * stride_xm + cols, mask=mask,
                other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / num_cols
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / num_cols
    rstd = 1 / tl.sqrt(variance + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * stride_om + cols, centred * rstd * weight + bias,
             mask=mask)


@triton.jit
def layer_norm_backward_kernel(x_ptr, weight_ptr, grad_ptr, mean_ptr, rstd_ptr,
                               grad_x_ptr, part_weight_ptr, part_bias_ptr,
                               stride_xm, stride_gm, stride_om,
                               num_rows, num_cols, rows_each,
                               BLOCK: tl.constexpr):
    # An instance has some rows that follow each other: what they add to the
    # gradients of weight and bias is its row of a part.
    instance = tl.program_id(0)
    first = instance * rows_each
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    part_weight = tl.zeros((BLOCK,), dtype=tl.float32)
    part_bias = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(first, tl.minimum(first + rows_each, num_rows)):
        x = tl.load(x_ptr + row * stride_xm + cols, mask=mask,
                    other=0.0).to(tl.float32)
        grad = tl.load(grad_ptr + row * stride_gm + cols, mask=mask,
                       other=0.0).to(tl.float32)
        mean = tl.load(mean_ptr + row)
        rstd = tl.load(rstd_ptr + row)
        normal = tl.where(mask, (x - mean) * rstd, 0.0)
        scaled = grad * weight
        along = tl.sum(normal * scaled, axis=0) / num_cols
        level = tl.sum(scaled, axis=0) / num_cols
        grad_x = (scaled - (normal * along + level)) * rstd
        tl.store(grad_x_ptr + row * stride_om + cols, grad_x, mask=mask)
        part_weight += grad * normal
        part_bias += grad
    at = instance * num_cols + cols
    tl.store(part_weight_ptr + at, part_weight, mask=mask)
    tl.store(part_bias_ptr + at, part_bias, mask=mask)


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


def layer_norm(x, weight, bias, eps=1e-5, out=None):
    """The rows of `x`, normalised; their means; and one by their deviations."""
    m, n = x.shape
    if out is None:
        out = torch.empty_like(x)
    mean = torch.empty(m, dtype=torch.float32, device=x.device)
    rstd = torch.empty(m, dtype=torch.float32, device=x.device)
    layer_norm_forward_kernel[(m,)](
        x, weight, bias, out, mean, rstd, x.stride(0), out.stride(0), n, eps,
        BLOCK=triton.next_power_of_2(n))
    return out, mean, rstd


def sum_rows(part, out):
    m, n = part.shape
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK_N"]),)
    sum_rows_kernel[grid](part, out, m, n, BLOCK_M=32, BLOCK_N=128)
    return out


def layer_norm_backward(grad, x, weight, bias, mean, rstd, out=None,
                        num_parts=64):
    """The gradients with respect to `x`, `weight` and `bias`."""
    m, n = x.shape
    rows_each = triton.cdiv(m, max(1, min(num_parts, m)))
    num_parts = triton.cdiv(m, rows_each)
    grad_x = torch.empty_like(x) if out is None else out
    parts = torch.empty((2, num_parts, n), dtype=torch.float32, device=x.device)
    layer_norm_backward_kernel[(num_parts,)](
        x, weight, grad, mean, rstd, grad_x, parts[0], parts[1],
        x.stride(0), grad.stride(0), grad_x.stride(0), m, n, rows_each,
        BLOCK=triton.next_power_of_2(n))
    grad_weight = sum_rows(parts[0], torch.empty_like(weight))
    grad_bias = sum_rows(parts[1], torch.empty_like(bias))
    return grad_x, grad_weight, grad_bias
