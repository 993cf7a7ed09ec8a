import triton
import triton.language as tl


@triton.jit
def copy(x, out, n: tl.int8, BLOCK: tl.constexpr = 8):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))


# run: copy[grid=0](x=f32[8], out=f32[8], n=8)
# run: copy[grid=(1, 65536)](x=f32[8], out=f32[8], n=8)
# run: copy(x=f32[8], n=8)
# run: copy(x=f32[8], out=f32[8], n=8, m=3)
# run: copy(x=f32[8], out=const f32[8], n=8)
# run: copy(x=f32[8], out=f32[8], n=300)
# run: copy(x=f32[8], out=f32[8], n=0.5)
# run: copy[num_warps=3](x=f32[8], out=f32[8], n=8)
# run: copy(x=f32[7], out=f32[8], n=8)
