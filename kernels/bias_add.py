"""A vector added to every row of a matrix."""

import torch
import triton
import triton.language as tl


@triton.jit
def bias_add_kernel(x_ptr, bias_ptr, out_ptr, num_rows, num_cols,
                    stride_xm, stride_om,
                    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    in_row = cols < num_cols
    mask = (rows < num_rows)[:, None] & in_row[None, :]
    bias = tl.load(bias_ptr + cols, mask=in_row, other=0.0)
    x = tl.load(x_ptr + rows[:, None] * stride_xm + cols[None, :], mask=mask)
    tl.store(out_ptr + rows[:, None] * stride_om + cols[None, :],
             x + bias[None, :], mask=mask)


def bias_add(x, bias, out=None):
    """`x + bias`; the rows of `x` are contiguous."""
    if out is None:
        out = torch.empty_like(x)
    m, n = x.shape
    grid = lambda meta: (triton.cdiv(m, meta["BLOCK_M"]),
                         triton.cdiv(n, meta["BLOCK_N"]))
    bias_add_kernel[grid](x, bias, out, m, n, x.stride(0), out.stride(0),
                          BLOCK_M=16, BLOCK_N=256)
    return out
