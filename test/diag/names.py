# Names, attributes and values from outside.
import torch
import triton
import triton.language as tl

TABLE = {"a": 1}


# ---
@triton.jit
def kernel(x, n):
    tl.store(x, m)  # error 17: `m` is not defined [undefined-name]


# ---
@triton.jit
def kernel(x, n):
    if n > 0:
        m = 1
    tl.store(x, m)  # error 17: `m` is defined on one of two paths alone [undefined-name]


# ---
@triton.jit
def kernel(x, n):
    for k in range(n):
        m = k
    tl.store(x, m)  # error 17: `m` is defined inside a run-time loop alone, which may run no iteration [undefined-name]


# ---
@triton.jit
def kernel(x, n):
    tl.lode(x)  # error 5: the language has no `tl.lode` [unknown-attribute]


# ---
@triton.jit
def kernel(x, n):
    n.mean()  # error 5: a scalar of type `int32` has no `mean` [unknown-attribute]


# ---
@triton.jit
def kernel(x, n):
    tl.store(x, TABLE)


# any: [unsupported-capture]


# ---
@triton.jit
def kernel(x, n):
    for i, j in enumerate((1, 2)):  # error 17: Python's `enumerate` is not part of the language of kernels [undefined-name]
        tl.store(x + i, j)
