# RUN: %run %s
# Addresses that are read from memory.

import triton
import triton.language as tl


@triton.jit
def take(table, index, out, n, width, BLOCK: tl.constexpr):
    row = tl.load(index + tl.program_id(0))
    i = tl.arange(0, BLOCK)
    v = tl.load(table + row * width + i, mask=i < width, other=0)
    tl.store(out + tl.program_id(0) * width + i, v, mask=i < width)


@triton.jit
def scatter(x, index, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.load(index + i), tl.load(x + i))


# run:    take[grid=3](table=f32[10, 6]:row*100 + col, index=i64[3]:[7 0 9],
#             out=f32[3, 6], n=3, width=6, BLOCK=8)
# expect: out[0, 0:6] == 700 701 702 703 704 705
# expect: out[1, 0:2] == 0 1
# expect: out[2, 5]   == 905

# run:    scatter(x=i32[4]:iota + 1, index=i32[4]:[3 1 0 2], out=i32[5]:-1,
#             BLOCK=4)
# expect: out == 3 2 4 1 -1
