# Wrong calls of builtins and of jit functions.
import triton
import triton.language as tl
from triton.language.extra import libdevice


# ---
@triton.jit
def kernel(x, n):
    tl.load()  # error 5: `tl.load` lacks its argument `pointer` [call-arguments]


# ---
@triton.jit
def kernel(x, n):
    tl.store(x, 1, n > 0, 1, 2, 3, 4)  # error 5: `tl.store` takes at most 6 arguments, and 7 are given [call-arguments]


# ---
@triton.jit
def kernel(x, n):
    tl.load(x, masc=n > 0)  # error 16: `tl.load` has no parameter `masc` [call-arguments]


# ---
@triton.jit
def kernel(x, n):
    tl.load(x, n > 0, mask=n > 0)  # error 23: `mask` of `tl.load` is given twice [call-arguments]


# ---
@triton.jit
def kernel(x, n):
    tl.load(n)  # error 13: `pointer` of `tl.load` is a scalar of type `int32`; it must be a pointer or a tile of pointers [call-type]


# ---
@triton.jit
def kernel(x, n):
    tl.arange(0, n)  # error 18: `end` of `tl.arange` is a scalar of type `int32`, which is known at run time alone; it must be an int that is known while compiling (such as a `tl.constexpr` parameter) [not-constexpr]


# ---
@triton.jit
def kernel(x, n):
    tl.zeros((4, 3), tl.float32)  # error 5: `tl.zeros` makes an axis of 3 elements; extents are powers of two (use the next larger one and a mask) [power-of-two]


# ---
@triton.jit
def kernel(x, n):
    tl.zeros((1 << 15, 1 << 15), tl.float32)  # error 5: `tl.zeros` makes a tile of more than 1048576 elements [too-large]


# ---
@triton.jit
def kernel(x, n):
    tl.program_id(3)  # error 5: the axis of `tl.program_id` is 3; a grid has axes 0, 1 and 2 [call-value]


# ---
@triton.jit
def helper(a, b=2):
    return a + b


@triton.jit
def kernel(x, n):
    helper(n, 1, 2)  # error 5: `helper` takes at most 2 positional arguments, and 3 are given [call-arguments]


# ---
@triton.jit
def helper(a, b: tl.constexpr):
    return a + b


@triton.jit
def kernel(x, n):
    helper(n, n)  # error 15: `b` of `helper` is `tl.constexpr`, and a scalar of type `int32` is known at run time alone [not-constexpr]


# ---
@triton.jit
def inner(a):
    return a + tl.arange(0, 3)  # error 16: `tl.arange` makes an axis of 3 elements; extents are powers of two (use the next larger one and a mask) [power-of-two]


@triton.jit
def outer(a):
    return inner(a) * 2  # note 12: in the call of `inner` here


@triton.jit
def kernel(x, n):
    outer(n)  # note 5: in the call of `outer` here


# ---
@triton.jit
def kernel(x, n):
    kernel(x, n)  # error 5: `kernel` calls itself; recursion is not part of the language [recursion]


# ---
@triton.jit
def kernel(x, n):
    n(x)  # error 5: a scalar of type `int32` is called, and is no function [not-callable]


# ---
@triton.jit
def helper(n):
    if n > 0:
        return n
    return tl.zeros((4,), tl.float32)


@triton.jit
def kernel(x, n):
    helper(n)


# any: `helper` returns a tile of type `float32[4]` on one path and a scalar of type `int32` on another [return-type]


# ---
@triton.jit
def kernel(x, n):
    return n  # error 5: a kernel returns nothing, and this one returns a scalar of type `int32` [return-type]


# ---
@triton.jit
def kernel(x, n):
    tl.extern_elementwise(x, 1)  # error 5: `tl.extern_elementwise` is not supported yet by this version [unsupported-yet]


# ---
@triton.jit
def kernel(x, n):
    libdevice.lgamma(n)  # error 5: `triton.language.extra.libdevice.lgamma` is not supported yet by this version [unsupported-yet]


# ---
@triton.jit
def kernel(x, n):
    tl.device_print("n", n)  # warning 5: `tl.device_print` prints nothing [no-effect]


# ---
@triton.jit
def kernel(x, n):
    tl.atomic_add(n, 1)  # error 19: `pointer` of `tl.atomic_add` is a scalar of type `int32`; it must be a pointer or a tile of pointers [call-type]


# ---
@triton.jit
def kernel(x, n):
    tl.atomic_add(x, 1, sem="seq_cst")  # error 25: `sem` of `tl.atomic_add` is `seq_cst`; there are acquire, release, acq_rel and relaxed [call-value]


# ---
@triton.jit
def kernel(x, n):
    tl.atomic_xchg(x, 1, scope="world")  # error 26: `scope` of `tl.atomic_xchg` is `world`; there are gpu, cta and sys [call-value]


# ---
@triton.jit
def kernel(x, n):
    p = x.to(tl.pointer_type(tl.int16))
    tl.atomic_add(p, 1)  # error 19: `tl.atomic_add` is not defined for elements of type `int16` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    p = x.to(tl.pointer_type(tl.float16))
    tl.atomic_max(p, 1.0)  # error 19: `tl.atomic_max` is not defined for elements of type `float16` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    p = x.to(tl.pointer_type(tl.float32))
    tl.atomic_xor(p, 1.0)  # error 19: `tl.atomic_xor` is not defined for elements of type `float32` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    p = x.to(tl.pointer_type(tl.int8))
    tl.atomic_cas(p, 0, 1)  # error 19: `tl.atomic_cas` is not defined for elements of type `int8`, which have less than 16 bits [operand-type]


# ---
@triton.jit
def kernel(x, n):
    tl.atomic_add(x, tl.arange(0, 8))  # error 22: `val` of `tl.atomic_add` is a tile of type `int32[8]`, and the pointer is a scalar [shape-mismatch]


# ---
@triton.jit
def kernel(x, n):
    tl.atomic_add(x, 1, mask=n)  # error 25: the mask of `tl.atomic_add` is a scalar of type `int32`; it must be `int1` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    tl.cumsum(tl.arange(0, 8), axis=1)  # error 5: the axis of `tl.cumsum` is 1; there is 1 axis [call-value]


# ---
@triton.jit
def kernel(x, n):
    tl.cumsum(n)  # error 5: `tl.cumsum` scans a tile, and this is a scalar of type `int32` [operand-type]


# ---
@triton.jit
def pair(a, b):
    return a, b


@triton.jit
def kernel(x, n):
    tl.associative_scan(tl.arange(0, 8), 0, pair)  # error 5: the function of `tl.associative_scan` returns 2 values for 1 tiles [return-type]


# ---
@triton.jit
def single(a):
    return a


@triton.jit
def kernel(x, n):
    tl.associative_scan(tl.arange(0, 8), 0, single)  # error 5: `single` takes at most 1 positional arguments, and 2 are given [call-arguments]


# ---
@triton.jit
def halve(a, b):
    return (a + b) / 2


@triton.jit
def kernel(x, n):
    tl.associative_scan(tl.arange(0, 8), 0, halve)  # error 5: the function of `tl.associative_scan` returns a scalar of type `float32` for elements of type `int32` [return-type]


# ---
@triton.jit
def kernel(x, n):
    tl.gather(tl.arange(0, 8), tl.zeros((4,), tl.float32), 0)  # error 32: `index` of `tl.gather` is a tile of type `float32[4]`; it must be a tile of integers [operand-type]


# ---
@triton.jit
def kernel(x, n):
    tl.gather(tl.arange(0, 8), tl.zeros((4, 2), tl.int32), 0)  # error 5: `index` of `tl.gather` is `int32[4, 2]`, and differs from `int32[8]` along another axis than 0 [shape-mismatch]


# ---
@triton.jit
def kernel(x, n):
    tl.sort(tl.zeros((4, 8), tl.int32), 0)  # error 41: `tl.sort` works along the last axis alone; permute the tile for another one [call-value]


# ---
@triton.jit
def kernel(x, n):
    tl.topk(tl.arange(0, 8), 3)  # error 30: `k` of `tl.topk` is 3; it must be a power of two up to 8 [call-value]


# ---
@triton.jit
def kernel(x, n):
    tl.rand(n, 1.5)  # error 16: `tl.rand` takes integers, and is given a scalar of type `float32` [operand-type]
