import triton
import triton.language as tl


@triton.jit
def fill(out, value, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), value)


@triton.jit
def stray(out):
    tl.store(out + 9, 1)


# run:    fill(out=i32[4], value=3, BLOCK=4)
# expect: out == 3 3 4 3
# run:    fill(out=i32[4], value=3, BLOCK=4)
# expect: out[0:5] == 3
# run:    stray(out=i8[4])
# run:    fill(out=i32[4], value=3, BLOCK=4)
# expect: error launch-grid
