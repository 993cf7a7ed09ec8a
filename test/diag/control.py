# Conditions and loops.
import triton
import triton.language as tl


# ---
@triton.jit
def kernel(x, n):
    acc = tl.zeros((16,), tl.float32)  # note 5: `acc` is defined before the loop here
    for k in range(n):
        acc = acc.to(tl.float16)  # error 9: `acc` is a tile of type `float32[16]` before this loop and is a tile of type `float16[16]` after an iteration; a run-time loop keeps the types of variables [loop-carried-type]


# ---
@triton.jit
def kernel(x, n):
    acc = 0.0
    for k in range(n):
        acc += tl.load(x + tl.arange(0, 16))  # error 9: `acc` is the float `0.0` before this loop and is a tile of type `float32[16]` after an iteration; a run-time loop keeps the types of variables [loop-carried-type]


# ---
@triton.jit
def kernel(x, n):
    acc = None
    while n > 0:
        acc = n  # error 9: `acc` is `None` before this loop and is a scalar of type `int32` after an iteration; a run-time loop keeps the types of variables [loop-carried-type]


# ---
@triton.jit
def kernel(x, n):
    if tl.arange(0, 16) < n:  # error 8: the condition of `if` is a tile of type `int1[16]`; it must be a scalar (use `tl.where`, or reduce it with `tl.max`) [condition]
        tl.store(x, 1)


# ---
@triton.jit
def kernel(x, n):
    for k in range(n):
        break  # error 9: `break` is in a loop that is not unrolled; make it part of the condition of a `while`, put the rest of the loop under an `if`, or use `tl.static_range` [runtime-break]


# ---
@triton.jit
def kernel(x, n):
    for k in tl.static_range(4):
        if n > k:
            break  # error 13: `break` depends on a run-time condition [runtime-break]


# ---
@triton.jit
def kernel(x, n):
    for k in range(0, n, 0):  # error 14: the step of a loop is zero [call-value]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in range():  # error 14: `range` takes 1 to 3 arguments, and 0 are given [call-arguments]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in range(0, n, 1, 2):  # error 14: `range` takes 1 to 3 arguments, and 4 are given [call-arguments]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in range(0, n, num_stages=3):  # error 26: `range` takes no keyword arguments; `tl.range` takes options of the loop [call-arguments]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in range(0, 2.5):  # error 23: `range` counts with scalar ints, and this is the float `2.5` [call-type]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in range(n * 0.5, n):  # error 20: `range` counts with scalar ints, and this is a scalar of type `float32` [call-type]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in tl.range(0, n, tl.arange(0, 4)):  # error 29: `tl.range` counts with scalar ints, and this is a tile of type `int32[4]` [call-type]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in range(x):  # error 20: `range` counts with scalar ints, and this is a scalar of type `pointer<float32>` [call-type]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in range("3"):  # error 20: `range` counts with scalar ints, and this is the str `'3'` [call-type]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in range(0, 2**70):  # error 14: the int `1180591620717411303424` does not fit in 64 bits [too-large]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in range(n, 0, -2**63):  # error 14: this loop cannot count with the int `9223372036854775808` in `int64` [too-large]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    async def f():  # error 5: `async def` is not part of the language [unsupported-python]
        pass


# ---
@triton.jit
def kernel(x, n):
    for k in tl.static_range(1 << 40):  # error 14: the kernel becomes too large by unrolling this loop [too-large]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    for k in n:  # error 14: a `for` runs over `range`, `tl.range`, `tl.static_range` or a tuple, and this is a scalar of type `int32` [unsupported-python]
        tl.store(x, k)


# ---
@triton.jit
def kernel(x, n):
    with n:  # error 5: `with` is not part of the language [unsupported-python]
        pass


# ---
@triton.jit
def kernel(x, n):
    f = lambda a: a  # error 9: `lambda` is not part of the language [unsupported-python]


# ---
@triton.jit
def kernel(x, n):
    a, b = 1, 2, 3  # error 5: 2 names are given 3 values [unpack]


# ---
@triton.jit
def kernel(x, n):
    tl.static_assert(1 > 2, "one is small")  # error 22: this assertion is false: one is small [static-assert]


# ---
@triton.jit
def kernel(x, n):
    raise ValueError("no")  # error 5: the kernel raises an exception: no [raised]


# ---
@triton.jit
def kernel(x, n):
    B: tl.constexpr = n  # error 23: a `tl.constexpr` variable is given a scalar of type `int32`, which is known at run time alone [not-constexpr]


# ---
@triton.jit
def kernel(x, n):
    if n > 0
        pass


# any: [syntax]
