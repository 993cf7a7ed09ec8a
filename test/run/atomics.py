# RUN: %run %s
# Read, change and write in one step.

import triton
import triton.language as tl


@triton.jit
def count(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bin = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(out + bin, 1, mask=i < n, sem="relaxed")
    tl.atomic_add(out + 8, 10)


@triton.jit
def all_kinds(out, old):
    i = tl.arange(0, 4)
    tl.store(old + 0 + i, tl.atomic_add(out + 0 + i, 5, scope="cta"))
    tl.store(old + 4 + i, tl.atomic_max(out + 4 + i, i * 2, scope="sys"))
    tl.store(old + 8 + i, tl.atomic_min(out + 8 + i, 1, sem="acquire"))
    tl.store(old + 12 + i, tl.atomic_and(out + 12 + i, 6, sem="release"))
    tl.store(old + 16 + i, tl.atomic_or(out + 16 + i, 9, sem="acq_rel"))
    tl.store(old + 20 + i, tl.atomic_xor(out + 20 + i, 3, sem="relaxed"))
    tl.store(old + 24 + i, tl.atomic_xchg(out + 24 + i, -i))
    tl.store(old + 28 + i, tl.atomic_cas(out + 28 + i, 2, 100))


@triton.jit
def extremes(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.atomic_max(out + 0 * i, v, mask=i < n)
    tl.atomic_min(out + 1 + 0 * i, v, mask=i < n)


@triton.jit
def masked_scalar(out, flags):
    i = tl.program_id(0)
    old = tl.atomic_add(out + i, 1 + i, tl.load(flags + i) > 0)
    tl.store(out + 3 + i, old)


@triton.jit
def halves(out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(out + i % 2, 1.0)


@triton.jit
def stored_then_changed(out, x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, i)
    tl.atomic_add(out + (BLOCK - 1 - i), 100, sem="relaxed")
    v = tl.load(out + i)
    tl.store(x + i, v)


@triton.jit
def scatter_rows(out, index, rows, W: tl.constexpr):
    i = tl.arange(0, 4)
    j = tl.arange(0, W)
    to = tl.load(index + i)
    x = tl.load(rows + i[:, None] * W + j[None, :])
    tl.atomic_add(out + to[:, None] * W + j[None, :], x)


@triton.jit
def split_k(a, b, c, K, M: tl.constexpr, N: tl.constexpr,
            BLOCK_K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    k = tl.program_id(0) * BLOCK_K + tl.arange(0, BLOCK_K)
    x = tl.load(a + i * K + k[None, :], mask=k[None, :] < K, other=0)
    y = tl.load(b + k[:, None] * N + j, mask=k[:, None] < K, other=0)
    tl.atomic_add(c + i * N + j, tl.dot(x, y), sem="relaxed")


# run:    count[grid=3](x=i32[11]:iota % 3, out=i32[9], n=11, BLOCK=4)
# expect: out == 4 4 3 0 0 0 0 0 30

# run:    all_kinds(out=i32[32]:iota % 4, old=i32[32])
# expect: old        == 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3
# expect: out[0:8]   == 5 6 7 8 0 2 4 6
# expect: out[8:16]  == 0 1 1 1 0 0 2 2
# expect: out[16:24] == 9 9 11 11 3 2 1 0
# expect: out[24:32] == 0 -1 -2 -3 0 1 100 3

# run:    extremes(out=f32[2]:0, x=f32[5]:iota*2 - 5, n=5, BLOCK=8)
# expect: out == 3 -5
# run:    extremes(out=f64[2]:-7, x=f64[5]:iota*2 - 5, n=5, BLOCK=8)
# expect: out == 3 -7
# run:    extremes(out=u32[2]:7, x=u32[5]:iota + 5, n=5, BLOCK=8)
# expect: out == 9 5
# run:    extremes(out=i64[2]:0, x=i64[5]:iota*2 - 5, n=5, BLOCK=8)
# expect: out == 3 -5

# run:    masked_scalar[grid=3](out=i32[6]:0, flags=i32[3]:[1 0 1])
# expect: out == 1 0 3 0 0 0

# run:    halves(out=f16[2]:0.5, BLOCK=64)
# expect: out == 32.5
# run:    halves(out=bf16[2]:1, BLOCK=16)
# expect: out == 9

# run:    stored_then_changed(out=i32[8], x=i32[8], BLOCK=8)
# expect: x == 100 101 102 103 104 105 106 107

# run:    scatter_rows(out=f32[3, 8]:1, index=i32[4]:[2 0 2 2], rows=f32[4, 8]:row, W=8)
# expect: out[0, 0:8] == 2
# expect: out[1, 0:8] == 1
# expect: out[2, 0:8] == 6

# run:    split_k[grid=3](a=f16[16, 40]:1, b=f16[40, 16]:col % 3, c=f32[16, 16]:0, K=40, M=16, N=16, BLOCK_K=16)
# expect: c[3, 0:6] == 0 40 80 0 40 80
