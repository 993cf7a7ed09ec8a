"""What must not grow with use, and what must not depend on the machine."""

import subprocess
import sys

import pytest
import tesela
from conftest import ROOT, needs_torch
from kernels import cases

PREAMBLE = """
import gc
import numpy as np
import tesela
import tesela.language as tl
from conftest import define

MEGABYTE = 1 << 20


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


"""


def run(body: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + body], text=True,
        capture_output=True, cwd=ROOT / "test/python")
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_hundred_thousand_launches_leave_no_memory_behind():
    run("""
scope = define('''
@tesela.jit
def kernel(a, b, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(a + i, tl.load(b + i, mask=i < n), mask=i < n)
''')
kernel = scope["kernel"]
a, b = np.zeros(64, np.float32), np.ones(64, np.float32)


def launch(count):
    for i in range(count):
        kernel[(2,)](a, b, i % 61 + 2, BLOCK=32, num_warps=4)
        kernel[lambda meta: (2,)](a, memoryview(b), 64, BLOCK=32)


launch(2000)
before = resident()
launch(50_000)
assert resident() - before < MEGABYTE, resident() - before
""")


@pytest.mark.slow
def test_a_thousand_compilations_leave_no_memory_behind():
    run("""
def compile(count):
    for i in range(count):
        scope = define(f'''
@tesela.jit
def kernel(a, b, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(a + i, tl.load(b + i, mask=i < n) + {i}, mask=i < n)
''')
        a = np.zeros(32, np.float32)
        scope["kernel"][1](a, a, 32, BLOCK=32)
        assert a[0] == i, a
        del scope
        gc.collect()


import linecache
compile(100)
linecache.clearcache()
before = resident()
compile(900)
linecache.clearcache()
gc.collect()
assert resident() - before < 4 * MEGABYTE, resident() - before
""")


@needs_torch
@pytest.mark.usefixtures("drop_in")
@pytest.mark.parametrize("case", [
    pytest.param(case, id=case.name)
    for case in cases.all_cases() if case.dtype == "float32"
])
def test_bits_do_not_depend_on_the_number_of_threads(case):
    import torch

    def results(threads):
        with tesela.device("cpu", threads):
            found = case.run(*case.inputs())
        return found if isinstance(found, tuple) else (found,)

    alone = results(1)
    for threads in (2, 3, 8):
        for one, other in zip(alone, results(threads), strict=True):
            assert torch.equal(one, other)
