"""Rows of a table by their numbers, and sums into such rows: the gradient."""

import torch
import triton
import triton.language as tl


@triton.jit
def embedding_kernel(ids_ptr, table_ptr, out_ptr, num_cols,
                     BLOCK: tl.constexpr):
    token = tl.program_id(0)
    row = tl.load(ids_ptr + token)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < num_cols
    tl.store(out_ptr + token * num_cols + cols,
             tl.load(table_ptr + row * num_cols + cols, mask=mask), mask=mask)


@triton.jit
def scatter_add_kernel(ids_ptr, rows_ptr, table_ptr, num_cols,
                       UNIQUE: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    row = tl.load(ids_ptr + token)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < num_cols
    added = tl.load(rows_ptr + token * num_cols + cols, mask=mask)
    places = table_ptr + row * num_cols + cols
    if UNIQUE:
        tl.store(places, tl.load(places, mask=mask) + added, mask=mask)
    else:
        # Tokens of one number add to one row, each when its turn comes.
        tl.atomic_add(places, added.to(tl.float32), mask=mask, sem="relaxed")


def _grid(tokens, num_cols):
    return lambda meta: (tokens, triton.cdiv(num_cols, meta["BLOCK"]))


def embedding(ids, table, out=None):
    """`table[ids]`."""
    n = table.shape[1]
    if out is None:
        out = torch.empty((ids.numel(), n), dtype=table.dtype,
                          device=table.device)
    embedding_kernel[_grid(ids.numel(), n)](ids, table, out, n, BLOCK=1024)
    return out


def scatter_add(ids, rows, table, unique=False):
    """`table[ids] += rows`, a number's rows in any order; `unique` promises
    that no number comes twice, else `table` is of float32."""
    n = table.shape[1]
    scatter_add_kernel[_grid(ids.numel(), n)](
        ids, rows, table, n, UNIQUE=unique, BLOCK=1024 if unique else 256)
    return table


def embedding_backward(ids, grad, num_rows):
    """The gradient of a table of so many rows, in float32."""
    table = torch.zeros((num_rows, grad.shape[1]), dtype=torch.float32,
                        device=grad.device)
    return scatter_add(ids, grad, table)
