"""Kernels whose arguments overlap: what a launch computes is what the reference
evaluator does, however the buffers lie to each other."""

import itertools

import numpy as np
import pytest
import tesela
import tesela.language as tl

SIZE = 4096


def run_both(launch):
    """`launch(memory)` on two copies of one buffer; both must end equal."""
    results = []
    for name in ("interp", "cpu"):
        # Small whole numbers: sums are exact in any order.
        memory = (np.arange(SIZE, dtype=np.float32) * 7 % 23 - 11).copy()
        with tesela.device(name):
            launch(memory)
        results.append(memory)
    np.testing.assert_array_equal(results[1], results[0])
    return results[0]


# Where the second buffer begins, from where the first does: the same, one
# aside, within a slice, at its end, over a part, at the very end, far away.
SHIFTS = [0, 1, -1, 3, -5, 8, -16, 31, -64, 100, -199, 200, -200, 201, 512, -512]
BASE = 1024


@tesela.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + i, mask=mask) * 2 + tl.load(y + i, mask=mask)
    tl.store(out + i, v, mask=mask)


@pytest.mark.parametrize("n", [200, 256])
def test_elementwise(n):
    for of_y, of_out in itertools.product([0, 7, -1], SHIFTS):
        run_both(lambda m: add_kernel[(1,)](
            m[BASE:], m[BASE + of_y:], m[BASE + of_out:], n, BLOCK=256))


@tesela.jit
def two_stores_kernel(x, a, b, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + i, mask=mask)
    tl.store(a + i, v + 1, mask=mask)
    w = tl.load(x + i, mask=mask)
    tl.store(b + i, v + w * 2, mask=mask)
    tl.store(x + i, tl.load(b + i, mask=mask) - v, mask=mask)


def test_loads_after_stores():
    for of_a, of_b in itertools.product(SHIFTS, [0, 1, -3, 300]):
        run_both(lambda m: two_stores_kernel[(1,)](
            m[BASE:], m[BASE + of_a:], m[BASE + of_b:], 200, BLOCK=256))


@tesela.jit
def strided_kernel(x, out, sx, so, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i * so, tl.load(x + i * sx) + 1)


@pytest.mark.parametrize("strides", [(1, -1), (-1, 1), (-1, -1), (2, 1), (1, 2),
                                     (3, 3), (-2, -2), (2, -3), (0, 1)])
def test_strides(strides):
    for shift in SHIFTS:
        run_both(lambda m: strided_kernel[(1,)](
            m[2048:], m[2048 + shift:], *strides, BLOCK=128))


@tesela.jit
def bump_kernel(x, stride, BLOCK: tl.constexpr):
    at = x + tl.arange(0, BLOCK) * stride
    tl.store(at, tl.load(at) + 1)


@tesela.jit
def bump_constant_kernel(x, BLOCK: tl.constexpr):
    at = x + tl.arange(0, BLOCK) * 0
    tl.store(at, tl.load(at) + 1)


def test_all_elements_at_one_address():
    # All is read before anything is written: once more, not 256 times.
    found = run_both(lambda m: bump_kernel[(1,)](m[BASE:], 0, BLOCK=256))
    assert found[BASE] == BASE * 7 % 23 - 11 + 1
    found = run_both(lambda m: bump_constant_kernel[(1,)](m[BASE:], BLOCK=256))
    assert found[BASE] == BASE * 7 % 23 - 11 + 1
    # The same through two arguments, and with one output alone.
    run_both(lambda m: strided_kernel[(1,)](m[BASE:], m[BASE:], 0, 0, BLOCK=64))


@tesela.jit
def rows_kernel(x, out, sx, so, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    v = tl.load(x + i * sx + j)
    tl.store(out + i * so + j, v * 2 + 1)


def test_rows_that_overlap():
    # A row reaches into the next one; equal addresses get equal values.
    for stride, shift in itertools.product([0, 1, 5, 31, 32, -32, -5],
                                           [0, 16, 32]):
        run_both(lambda m: rows_kernel[(1,)](
            m[2048:], m[2048 + shift * stride:], stride, stride, M=16, N=32))
    for sx, so in [(32, 40), (40, 32), (-32, 32), (33, 64)]:
        for shift in SHIFTS:
            run_both(lambda m: rows_kernel[(1,)](
                m[2048:], m[2048 + shift:], sx, so, M=16, N=32))


@tesela.jit
def transpose_kernel(x, out, s, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(out + j * s + i, tl.load(x + i * s + j))


@pytest.mark.parametrize("n", [8, 32])
def test_transposed_in_place(n):
    for shift in [0, 1, -1, n, -n, n * n, 17]:
        found = run_both(lambda m: transpose_kernel[(1,)](
            m[BASE:], m[BASE + shift:], n, N=n))
    before = np.arange(SIZE) * 7 % 23 - 11
    found = run_both(lambda m: transpose_kernel[(1,)](
        m[BASE:], m[BASE:], n, N=n))
    end = BASE + n * n
    np.testing.assert_array_equal(
        found[BASE:end].reshape(n, n), before[BASE:end].reshape(n, n).T)


@tesela.jit
def centre_kernel(x, out, n, sx, so, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    mask = j < n
    v = tl.load(x + i * sx + j, mask=mask, other=0)
    largest = tl.max(v, axis=1)
    total = tl.sum(v, axis=1)
    tl.store(out + i * so + j, v * 4 - total[:, None] + largest[:, None],
             mask=mask)


def test_reductions():
    for (sx, so), shift in itertools.product(
            [(64, 64), (64, 100), (100, 64), (50, 50)], SHIFTS):
        run_both(lambda m: centre_kernel[(1,)](
            m[BASE:], m[BASE + shift:], 50, sx, so, M=4, N=64))


@tesela.jit
def running_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        mask = start + i < n
        total += tl.load(x + start + i, mask=mask, other=0)
        tl.store(out + start + i, total - tl.max(total, axis=0),
                 mask=mask)


@tesela.jit
def passes_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        total += tl.load(x + start + i, mask=start + i < n, other=0)
    mean = tl.sum(total)
    for start in range(0, n, BLOCK):
        mask = start + i < n
        tl.store(out + start + i, tl.load(x + start + i, mask=mask) - mean,
                 mask=mask)


@tesela.jit
def carried_kernel(x, out, n, BLOCK: tl.constexpr):
    # What is loaded in one turn is stored in the next.
    i = tl.arange(0, BLOCK)
    held = tl.load(x + i)
    for k in range(1, n):
        following = tl.load(x + k * BLOCK + i)
        tl.store(out + k * BLOCK + i, held + k)
        held = following + tl.load(x + i)
    tl.store(out + i, held)


@pytest.mark.parametrize("kernel, n", [(running_kernel, 500),
                                       (passes_kernel, 500),
                                       (carried_kernel, 8)])
def test_loops(kernel, n):
    for shift in SHIFTS:
        run_both(lambda m: kernel[(1,)](
            m[BASE:], m[BASE + shift:], n, BLOCK=64))


@tesela.jit
def dot_kernel(a, b, c, sa, sb, sc, K, M: tl.constexpr, N: tl.constexpr,
               BK: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    k = tl.arange(0, BK)
    acc = tl.load(c + i * sc + j)
    for start in range(0, K, BK):
        p = tl.load(a + i * sa + start + k[None, :])
        q = tl.load(b + (start + k[:, None]) * sb + j)
        acc = tl.dot(p, q, acc)
    tl.store(c + i * sc + j, acc)


@tesela.jit
def dot_store_kernel(a, b, c, K, N: tl.constexpr):
    # A product is stored in each turn, where the next turn may load.
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    for turn in range(0, K):
        p = tl.load(a + turn * N + i * N + j)
        q = tl.load(b + i * N + j)
        product = tl.dot(p, q)
        # Small again, so that sums stay exact.
        small = tl.where(product > 0, 1.0, 0.0) - tl.where(product < 0, 2.0, 0.0)
        tl.store(c + turn * N + i * N + j, small)


def test_products():
    for of_b, of_c in itertools.product([0, 1, 40], SHIFTS + [-1000]):
        run_both(lambda m: dot_kernel[(1,)](
            m[BASE:], m[BASE + of_b:], m[BASE + of_c:], 32, 32, 32, 32,
            M=16, N=32, BK=16))
        run_both(lambda m: dot_store_kernel[(1,)](
            m[BASE:], m[BASE + of_b:], m[BASE + of_c:], 5, N=16))


@tesela.jit
def scalars_kernel(x, out, n):
    for k in range(n):
        tl.store(out + k, tl.load(x + k) + tl.load(x + k + 1))


@tesela.jit
def gather_kernel(x, ids, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(ids + i)
    tl.store(out + i, tl.load(x + at) + 1)


@tesela.jit
def scatter_kernel(x, ids, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + tl.load(ids + i), v + 1)
    tl.store(out + i, tl.load(x + i) * 2)


def test_scalars_and_indices():
    ids = (np.arange(256) * 37 % 256).astype(np.int32)
    for shift in SHIFTS:
        run_both(lambda m: scalars_kernel[(1,)](
            m[BASE:], m[BASE + shift:], 100))
        for kernel in (gather_kernel, scatter_kernel):
            run_both(lambda m: kernel[(1,)](
                m[BASE:], ids, m[BASE + shift:], BLOCK=256))


@tesela.jit
def chosen_kernel(x, out, flag, BLOCK: tl.constexpr):
    # Through either argument, which only the launch knows.
    i = tl.arange(0, BLOCK)
    if flag > 3:
        p = x
    else:
        p = out
    v = tl.load(x + i)
    tl.store(p + i + 1, v)
    tl.store(out + i, tl.load(x + i) + v)


def test_chosen_pointer():
    for shift, flag in itertools.product(SHIFTS, [3, 4]):
        run_both(lambda m: chosen_kernel[(1,)](
            m[BASE:], m[BASE + shift:], flag, BLOCK=128))


@tesela.jit
def bytes_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + i, mask=mask, other=0)
    tl.store(out + i, v.to(tl.int16) + 1, mask=mask)


def test_elements_of_two_sizes():
    # The halves of what is read are written through another type.
    for shift in range(-300, 300, 7):
        run_both(lambda m: bytes_kernel[(1,)](
            m.view(np.int32)[BASE:], m.view(np.int16)[2 * BASE + shift:], 100,
            BLOCK=128))


@tesela.jit
def blocks_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) * 3, mask=mask)


def test_several_instances():
    # No instance touches what another one does, and buffers meet all the same.
    for shift in [0, 1024, -1024]:
        run_both(lambda m: blocks_kernel[(16,)](
            m[BASE:], m[BASE + shift:], 1000, BLOCK=64))
    run_both(lambda m: strided_kernel[(1,)](m[BASE:], m[BASE + 1:], 2, 2,
                                            BLOCK=256))
