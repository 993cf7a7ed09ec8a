# RUN: %run %s
# Instances that wait for each other.

import triton
import triton.language as tl


@triton.jit
def locked_sum(lock, total, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    before = tl.load(total + i, mask=i < n)
    tl.store(total + i, before + v, mask=i < n)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def ticket(next, turn, order):
    mine = tl.atomic_add(next, 1)
    while tl.atomic_add(turn, 0, sem="acquire") != mine:
        pass
    tl.store(order + mine, tl.load(order + tl.num_programs(0)) + mine)
    tl.store(order + tl.num_programs(0), mine)
    tl.atomic_add(turn, 1, sem="release")


@triton.jit
def running_sum(x, flags, sums, out, BLOCK: tl.constexpr):
    # Each instance waits for what the one before it came to.
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    before = 0
    if pid > 0:
        while tl.load(flags + pid - 1, volatile=True) == 0:
            pass
        tl.debug_barrier()
        before = tl.atomic_add(sums + pid - 1, 0)
    tl.atomic_xchg(sums + pid, before + tl.sum(v, axis=0))
    tl.atomic_xchg(flags + pid, 1, sem="release")
    tl.store(out + i, before + tl.cumsum(v, axis=0))


# run:    locked_sum[grid=64](lock=i32[1], total=f32[5], x=f32[64, 5]:row + col, n=5, BLOCK=8)
# expect: total == 2016 2080 2144 2208 2272
# expect: lock  == 0
# run:    locked_sum[grid=300](lock=i32[1], total=i32[100], x=i32[300, 100]:row, n=100, BLOCK=128)
# expect: total == 44850

# run:    ticket[grid=20](next=i32[1], turn=i32[1], order=i32[21]:0)
# expect: order[1:6] == 1 3 5 7 9
# expect: turn == 20

# run:    running_sum[grid=40](x=i32[320]:1, flags=i32[40], sums=i32[40], out=i32[320], BLOCK=8)
# expect: out == iota + 1
