"""Atomic ops of every kind and dtype against NumPy: many instances that change
few elements, masks, old values, orders and scopes; locks and chains of instances
that wait for each other. `CASES` runs on a GPU too (test/gpu)."""

import zlib

import numpy as np
import op_harness as harness
import pytest
import tesela
import tesela.language as tl

COUNT = 1021
BLOCK = 128
CELLS = 7

WORDS = ("int32", "uint32", "int64", "uint64")
REAL = ("float32", "float64")
FLOATS = ("float16", "bfloat16") + REAL
DTYPES = {
    "add": WORDS + FLOATS, "max": WORDS + REAL, "min": WORDS + REAL,
    "and": WORDS, "or": WORDS, "xor": WORDS, "xchg": WORDS + REAL,
}
FOLDS = {
    "add": np.add, "max": np.maximum, "min": np.minimum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}
ORDERS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("gpu", "sys")


class Memory:
    """An array that kernels change."""

    def __init__(self, values, dtype: str):
        self.dtype = dtype
        self.stored = np.ascontiguousarray(harness.encode(values, dtype))
        self.argument = harness.Typed(self.stored, dtype)

    def read(self) -> np.ndarray:
        if self.argument.copy is not None:
            self.stored.reshape(-1).view(np.uint8)[:] = (
                self.argument.copy.cpu().numpy())
        return harness.decode(self.stored, self.dtype)


def kernel_of(source: str, **names):
    return harness.make_kernel(source, tesela.jit, tl, **names)


def change_source(op: str, options: str, keeps: bool) -> str:
    lines = [
        "@jit",
        "def kernel(x_ptr, cell_ptr, memory_ptr, old_ptr, n,"
        " BLOCK: tl.constexpr):",
        "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
        "    mask = i < n",
        "    x = tl.load(x_ptr + i, mask=mask)",
        "    cell = tl.load(cell_ptr + i, mask=mask, other=0)",
        f"    old = tl.atomic_{op}(memory_ptr + cell, x, mask=mask{options})",
    ]
    if keeps:
        lines.append("    tl.store(old_ptr + i, old, mask=mask)")
    return "\n".join(lines) + "\n"


def values_for(op: str, dtype: str, rng, size: int):
    """Numbers whose sums are exact in any order."""
    if op == "add" and harness.is_float(dtype):
        return rng.integers(0, 2, size).astype(float)
    if harness.is_float(dtype):
        return np.round(100 * rng.standard_normal(size)) / 4
    low = 0 if dtype.startswith("u") else -1000
    return rng.integers(low, 1000, size).astype(object)


def run_contended(op: str, dtype: str):
    """All instances on a few cells."""
    rng = np.random.default_rng(zlib.crc32(f"{op} {dtype}".encode()))
    number = list(DTYPES).index(op)
    order, scope = ORDERS[number % 4], SCOPES[number % 2]
    x = Memory(values_for(op, dtype, rng, COUNT), dtype)
    cells = rng.integers(0, CELLS, COUNT)
    at = Memory(cells, "int32")
    first = values_for(op, dtype, rng, CELLS)
    memory, old = Memory(first, dtype), Memory(np.zeros(COUNT), dtype)
    source = change_source(op, f", sem='{order}', scope='{scope}'",
                           keeps=False)
    kernel_of(source)[(tesela.cdiv(COUNT, BLOCK),)](
        x.argument, at.argument, memory.argument, old.argument, COUNT,
        BLOCK=BLOCK)
    begun = harness.decode(harness.encode(first, dtype), dtype)
    given, got = x.read(), memory.read()
    for cell in range(CELLS):
        mine = given[cells == cell]
        if op == "xchg":
            assert got[cell] in mine
        else:
            want = FOLDS[op].reduce(np.append(mine, begun[cell]))
            assert got[cell] == want, f"cell {cell}: {got[cell]}, not {want}"


def run_old_values(op: str, dtype: str):
    """Each element on a cell of its own: what was there comes back."""
    rng = np.random.default_rng(zlib.crc32(f"old {op} {dtype}".encode()))
    x = Memory(values_for(op, dtype, rng, COUNT), dtype)
    cells = rng.permutation(COUNT)
    at = Memory(cells, "int64")
    first = values_for(op, dtype, rng, COUNT)
    memory, old = Memory(first, dtype), Memory(np.zeros(COUNT), dtype)
    kernel_of(change_source(op, "", keeps=True))[
        (tesela.cdiv(COUNT, BLOCK),)](
        x.argument, at.argument, memory.argument, old.argument, COUNT,
        BLOCK=BLOCK)
    begun = harness.decode(harness.encode(first, dtype), dtype)
    given, got = x.read(), memory.read()
    assert (old.read() == begun[cells]).all()
    want = given if op == "xchg" else np.array(
        [FOLDS[op](a, b) for a, b in zip(begun[cells], given)])
    assert (got[cells] == want).all()


def run_tickets(dtype: str):
    """Counting hands out every number once; a small tile, so that threads hold
    copies of its elements, and a scalar."""
    source = """
@jit
def kernel(counter_ptr, tile_ptr, scalar_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    pid = tl.program_id(0)
    mine = tl.atomic_add(counter_ptr + 0 * i, 1)
    tl.store(tile_ptr + pid * BLOCK + i, mine)
    one = tl.atomic_add(counter_ptr + 1, 1)
    tl.store(scalar_ptr + pid * BLOCK + i, one + i * 0)
"""
    grid, block = 100, 4
    counter = Memory(np.zeros(2), dtype)
    tiles = Memory(np.zeros(grid * block), dtype)
    scalars = Memory(np.zeros(grid * block), dtype)
    kernel_of(source)[(grid,)](counter.argument, tiles.argument,
                               scalars.argument, BLOCK=block)
    assert list(counter.read()) == [grid * block, grid]
    assert sorted(tiles.read()) == list(range(grid * block))
    rows = scalars.read().reshape(grid, block)
    assert (rows == rows[:, :1]).all()
    assert sorted(rows[:, 0]) == list(range(grid))


def run_cas(dtype: str):
    """A sum by compare and swap, scalar and tile; bits are compared."""
    source = """
@jit
def kernel(total_ptr, swap_ptr, old_ptr, BLOCK: tl.constexpr):
    seen = tl.load(total_ptr)
    now = tl.atomic_cas(total_ptr, seen, (seen + 1).to(seen.dtype))
    while now != seen:
        seen = now
        now = tl.atomic_cas(total_ptr, seen, (seen + 1).to(seen.dtype))
    i = tl.arange(0, BLOCK)
    if tl.program_id(0) == 0:
        x = i.to(seen.dtype)
        tl.store(old_ptr + i, tl.atomic_cas(swap_ptr + i, x, x + 1))
"""
    grid, block = 50, 32
    total = Memory(np.zeros(1), dtype)
    first = np.arange(block) // 2 * 2
    swapped, old = Memory(first, dtype), Memory(np.zeros(block), dtype)
    kernel_of(source)[(grid,)](total.argument, swapped.argument, old.argument,
                               BLOCK=block)
    assert total.read()[0] == grid
    assert (old.read() == first).all()
    want = np.where(first == np.arange(block), first + 1, first)
    assert (swapped.read() == want).all()


def run_special_floats(dtype: str):
    """Zeros by their signs; NaNs win, whatever their signs."""
    source = """
@jit
def kernel(x_ptr, max_ptr, min_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.atomic_max(max_ptr + i, x)
    tl.atomic_min(min_ptr + i, x)
"""
    nan, inf = np.nan, np.inf
    x = np.array([-0.0, 0.0, nan, -nan, -1.0, -inf, 1.0, inf])
    before = np.array([0.0, -0.0, 1.0, -1.0, -2.0, 5.0, nan, -3.0])
    given = Memory(x, dtype)
    most, least = Memory(before, dtype), Memory(before, dtype)
    kernel_of(source)[(1,)](given.argument, most.argument, least.argument,
                            BLOCK=8)
    got = most.read(), least.read()
    for result, want in zip(got, (
        [0.0, 0.0, nan, nan, -1.0, 5.0, nan, inf],
        [-0.0, -0.0, nan, nan, -2.0, -inf, 1.0, -3.0],
    )):
        want = np.array(want)
        same = (result == want) | (np.isnan(result) & np.isnan(want))
        # Which of a NaN in memory and a number stays depends on its sign.
        same[6] = True
        assert same.all(), f"{result}, not {want}"
        zeros = want == 0
        assert (np.signbit(result) == np.signbit(want))[zeros].all()


def run_locked_rows(dtype: str):
    """Layer normalisation's gradients of weight and bias, as Triton's tutorial
    has them: rows of a group add to a buffer under a lock."""
    source = """
@jit
def kernel(grad_ptr, x_ptr, dw_ptr, db_ptr, lock_ptr, n, GROUPS: tl.constexpr,
           BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    grad = tl.load(grad_ptr + row * n + cols, mask=mask, other=0).to(tl.float32)
    x = tl.load(x_ptr + row * n + cols, mask=mask, other=0).to(tl.float32)
    group = row % GROUPS
    lock = lock_ptr + group
    count = lock_ptr + GROUPS + group
    dw = dw_ptr + group * n + cols
    db = db_ptr + group * n + cols
    part_w = grad * x
    part_b = grad
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        part_w += tl.load(dw, mask=mask)
        part_b += tl.load(db, mask=mask)
    tl.store(dw, part_w, mask=mask)
    tl.store(db, part_b, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
"""
    rows, n, groups = 200, 100, 3
    rng = np.random.default_rng(7)
    grad = Memory(rng.integers(-8, 9, (rows, n)).astype(float), dtype)
    x = Memory(rng.integers(-8, 9, (rows, n)).astype(float), dtype)
    dw = Memory(np.full((groups, n), np.nan), "float32")
    db = Memory(np.full((groups, n), np.nan), "float32")
    lock = Memory(np.zeros(2 * groups), "int32")
    kernel_of(source)[(rows,)](grad.argument, x.argument, dw.argument,
                               db.argument, lock.argument, n, GROUPS=groups,
                               BLOCK=128)
    g, v = grad.read(), x.read()
    assert (dw.read().sum(axis=0) == (g * v).sum(axis=0)).all()
    assert (db.read().sum(axis=0) == g.sum(axis=0)).all()
    assert list(lock.read()) == [0] * groups + [1] * groups


def run_chain(dtype: str):
    """Each instance waits for the one before it."""
    source = """
@jit
def kernel(x_ptr, flag_ptr, sum_ptr, out_ptr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    sums = tl.cumsum(tl.load(x_ptr + i), 0)
    total = tl.sum(tl.load(x_ptr + i), 0)
    if pid > 0:
        while tl.atomic_add(flag_ptr + pid - 1, 0, sem="acquire") == 0:
            pass
        before = tl.load(sum_ptr + pid - 1)
        sums += before
        total += before
    tl.store(sum_ptr + pid, total)
    tl.atomic_xchg(flag_ptr + pid, 1, sem="release")
    tl.store(out_ptr + i, sums)
"""
    grid, block = 300, 64
    x = Memory(np.random.default_rng(3).integers(0, 4, grid * block), dtype)
    kernel = kernel_of(source)
    for _ in range(3):
        flags = Memory(np.zeros(grid), "int32")
        sums, out = Memory(np.zeros(grid), dtype), Memory(
            np.zeros(grid * block), dtype)
        kernel[(grid,)](x.argument, flags.argument, sums.argument, out.argument,
                        BLOCK=block)
        assert (out.read() == np.cumsum(x.read())).all()


def all_cases() -> dict:
    cases = {}
    for op, dtypes in DTYPES.items():
        for dtype in dtypes:
            cases[f"atomic_{op}-{dtype}"] = (run_contended, op, dtype)
            cases[f"atomic_{op} old-{dtype}"] = (run_old_values, op, dtype)
    for dtype in WORDS:
        cases[f"tickets-{dtype}"] = (run_tickets, dtype)
    for dtype in WORDS + FLOATS + ("int16",):
        cases[f"atomic_cas-{dtype}"] = (run_cas, dtype)
    for dtype in REAL:
        cases[f"atomic zeros and NaNs-{dtype}"] = (run_special_floats, dtype)
    for dtype in ("float32", "float16"):
        cases[f"locked rows-{dtype}"] = (run_locked_rows, dtype)
    for dtype in ("int32", "int64", "float32"):
        cases[f"chain-{dtype}"] = (run_chain, dtype)
    return cases


CASES = all_cases()
FAST = ("int32", "float32")


@pytest.mark.parametrize("case", [
    pytest.param(case, id=name,
                 marks=[] if case[-1] in FAST else [pytest.mark.slow])
    for name, case in CASES.items()
])
def test_atomic(case):
    run, *arguments = case
    run(*arguments)
