# RUN: %run %s
# Which pointers a kernel writes through is found through loops and branches.

import triton
import triton.language as tl


@triton.jit
def accumulate(a, b, out, n, BLOCK: tl.constexpr):
    # Both pointers move in one loop; only `out` is written.
    i = tl.arange(0, BLOCK)
    pa = a + i
    po = out + i
    for _ in range(0, n):
        tl.store(po, tl.load(pa) + tl.load(b + i))
        pa += BLOCK
        po += BLOCK


@triton.jit
def either(a, b, flag, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if flag > 0:
        p = a + i
    else:
        p = b + i
    tl.store(p, i.to(tl.float32))


# run:    accumulate(a=const f32[12]:iota, b=const f32[4]:100, out=f32[12]:0,
#                    n=3, BLOCK=4)
# expect: out == iota + 100
# run:    accumulate(a=f32[12]:iota, b=f32[4]:100, out=const f32[12]:0, n=3,
#                    BLOCK=4)
# expect: error read-only-argument

# run:    either(a=f32[4]:-1, b=f32[4]:-1, flag=5, BLOCK=4)
# expect: a == iota
# expect: b == -1
# run:    either(a=f32[4]:-1, b=const f32[4]:-1, flag=5, BLOCK=4)
# expect: error read-only-argument
# run:    either(a=const f32[4]:-1, b=f32[4]:-1, flag=5, BLOCK=4)
# expect: error read-only-argument
