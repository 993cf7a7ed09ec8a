# Types and shapes that do not go together.
import triton
import triton.language as tl


# ---
@triton.jit
def kernel(x, n):
    a = tl.arange(0, 16)
    b = tl.arange(0, 32)
    tl.store(x, tl.sum(a + b))  # error 24: `+`: `int32[16]` and `int32[32]` do not broadcast: axis 0 is 16 and 32 [shape-mismatch]


# ---
@triton.jit
def kernel(x, n):
    tl.store(x + tl.arange(0, 4), tl.arange(0, 8))  # error 35: a value of type `float32[8]` does not broadcast to [4] [shape-mismatch]


# ---
@triton.jit
def kernel(x, n):
    tl.load(x, mask=tl.arange(0, 4) > 0)  # error 16: `mask` of `tl.load` is a tile of type `int1[4]`, and the pointer is a scalar [shape-mismatch]


# ---
@triton.jit
def kernel(x, n):
    tl.load(x, mask=n)  # error 16: the mask of `tl.load` is a scalar of type `int32`; it must be `int1` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    x + 1.5  # error 5: an offset to a pointer is an int, and not the float `1.5` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    n.to(tl.float32) // 2  # error 5: `//` is not defined for floats, and these are `float32`; use `/` and `tl.floor` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    n.to(tl.uint32) // n  # error 5: `//` is not defined for a scalar of type `uint32` and a scalar of type `int32`: one is signed, the other is not; cast one of them [operand-type]


# ---
@triton.jit
def kernel(x, n):
    n.to(tl.uint8) + 300  # error 5: `+`: the int `300` is out of the range of `uint8` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    n + "a"  # error 5: `+` is not defined for a scalar of type `int32` and the str `'a'` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    1 // 0  # error 5: division by zero [constant-operation]


# ---
@triton.jit
def kernel(x, n):
    n.to(tl.int64, bitcast=True)  # error 5: a bitcast from `int32` to `int64` changes the width from 32 to 64 bits [operand-type]


# ---
@triton.jit
def kernel(x, n):
    a = tl.zeros((16, 32), tl.float16)
    b = tl.zeros((64, 16), tl.float16)
    tl.dot(a, b)  # error 5: `tl.dot` operands disagree: K is 32 in `float16[16, 32]` and 64 in `float16[64, 16]` [dot-shape]


# ---
@triton.jit
def kernel(x, n):
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a.to(tl.float32))  # error 5: `tl.dot` operands disagree: they are of type `float16` and `float32`; cast one of them [dot-type]


# ---
@triton.jit
def kernel(x, n):
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, acc=tl.zeros((16, 16), tl.int32))  # error 18: the accumulator of `tl.dot` is `int32[16, 16]`; for these operands it must be `float32[16, 16]` [dot-type]


# ---
@triton.jit
def kernel(x, n):
    a = tl.arange(0, 16)
    tl.store(x, a[3])  # error 17: a tile is indexed with `:` and `None` alone, and this is the int `3`; use `tl.load`, or a reduction of `tl.where` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    tl.arange(0, 16).reshape(4, 8)  # error 5: `tl.reshape` changes the number of elements: `int32[16]` has 16, [4, 8] has 32 [shape-mismatch]


# ---
@triton.jit
def kernel(x, n):
    n + n.to(tl.float8e5)  # error 5: `+` is not defined for a scalar of type `int32` and a scalar of type `float8e5` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    tl.permute(x, 0)  # error 5: [0] is no order of `pointer<float32>`, which has no axes [call-value]


# ---
@triton.jit
def kernel(x, n):
    n.to(tl.float8e4nv) & 1  # error 5: `&` is not defined for a scalar of type `float8e4nv` and the int `1` [operand-type]


# ---
@triton.jit
def kernel(x, n):
    tl.permute(tl.arange(0, 4), (1, 0))  # error 5: [1, 0] is no order of `int32[4]`, which has 1 axis [call-value]


# ---
@triton.jit
def kernel(x, n):
    n.to(tl.float8e4nv).to(tl.int16, bitcast=True)  # error 5: a bitcast from `float8e4nv` to `int16` changes the width from 8 to 16 bits [operand-type]


# ---
@triton.jit
def kernel(x, n):
    tl.flip(tl.arange(0, 4), 1)  # error 5: the axis of `tl.flip` is 1; there is 1 axis [call-value]


# ---
@triton.jit
def kernel(x, n):
    n.to(tl.float8e4b15)  # error 10: `tl.float8e4b15` is not supported yet by this version; of the floats of 8 bits, `tl.float8e4nv` and `tl.float8e5` are [unsupported-yet]


# ---
@triton.jit
def kernel(x, n):
    tl.flip(n)  # error 5: the axis of `tl.flip` is -1; there are no axes [call-value]
