import triton
import triton.language as tl


@triton.jit
def good(out, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), 1.0)


@triton.jit
def bad(out, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), missing)


# run: good(out=f32[8], BLOCK=8)
# run: bad(out=f32[8], BLOCK=8)
