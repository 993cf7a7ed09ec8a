"""Rows of a table by their numbers, and the gradient of the table."""

import torch
import triton
import triton.language as tl


@triton.jit
def embedding_forward_kernel(ids_ptr, table_ptr, out_ptr, num_cols,
                             BLOCK: tl.constexpr):
    token = tl.program_id(0)
    row = tl.load(ids_ptr + token)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < num_cols
    tl.store(out_ptr + token * num_cols + cols,
             tl.load(table_ptr + row * num_cols + cols, mask=mask), mask=mask)


@triton.jit
def embedding_backward_kernel(ids_ptr, grad_ptr, grad_table_ptr, num_cols,
                              BLOCK: tl.constexpr):
    # Tokens of one number add to one row, each when its turn comes.
    token = tl.program_id(0)
    row = tl.load(ids_ptr + token)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < num_cols
    grad = tl.load(grad_ptr + token * num_cols + cols, mask=mask)
    tl.atomic_add(grad_table_ptr + row * num_cols + cols, grad.to(tl.float32),
                  mask=mask, sem="relaxed")


def _grid(tokens, num_cols):
    return lambda meta: (tokens, triton.cdiv(num_cols, meta["BLOCK"]))


def embedding(ids, table):
    """`table[ids]`."""
    n = table.shape[1]
    out = torch.empty((ids.numel(), n), dtype=table.dtype, device=table.device)
    embedding_forward_kernel[_grid(ids.numel(), n)](ids, table, out, n,
                                                    BLOCK=256)
    return out


def embedding_backward(ids, grad, num_rows):
    """The gradient of a table of so many rows, in float32."""
    n = grad.shape[1]
    grad_table = torch.zeros((num_rows, n), dtype=torch.float32,
                             device=grad.device)
    embedding_backward_kernel[_grid(ids.numel(), n)](ids, grad, grad_table, n,
                                                     BLOCK=256)
    return grad_table
