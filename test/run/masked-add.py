# RUN: %run %s
# Adds two vectors whose length is not a multiple of the block.

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    a = tl.load(x + i, mask=mask)
    b = tl.load(y + i, mask=mask)
    tl.store(out + i, a + b, mask=mask)


# run:    add[grid=4](x=f32[1000]:iota, y=f32[1000]:2, out=f32[1024]:-1,
#                     n=1000, BLOCK=256)
# expect: out[0:4]      == 2 3 4 5
# expect: out[998:1002] == 1000 1001 -1 -1

# run:    add[grid=1](x=i64[3]:iota*5000000000, y=i64[3]:1, out=i64[8]:7, n=3,
#                     BLOCK=8)
# expect: out == 1 5000000001 10000000001 7 7 7 7 7

# run:    add[grid=3](x=bf16[130]:iota%64, y=bf16[130]:0.5, out=bf16[130],
#                     n=130, BLOCK=64)
# expect: out == iota%64 + 0.5

# A length of one is a constant of the specialisation.
# run:    add[grid=1](x=f16[1]:3, y=f16[1]:4, out=f16[4]:0, n=1, BLOCK=4)
# expect: out == 7 0 0 0
