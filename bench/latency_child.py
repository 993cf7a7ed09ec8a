"""One process of latency.py, for rows of one kind: see the end."""

import json
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

COMPILATIONS = 20
LAUNCHES = 2000
ROUNDS = 11


def row(case: str, milliseconds: float, shape="", dtype="", **more):
    print(json.dumps({"case": case, "shape": shape, "dtype": dtype,
                      "tesela_ms": milliseconds, **more}), flush=True)


def compile_rows():
    """Each kernel compiled again and again, as a new function every time."""
    import tesela
    from latency_kernels import compiled_kernels, shape_of

    for name, kernel, args, constants in compiled_kernels():
        totals, stages = [], {}
        for _ in range(COMPILATIONS):
            fresh = tesela.jit(kernel.fn)
            start = time.perf_counter()
            compiled = fresh.warmup(*args, grid=(1,), **constants)
            totals.append((time.perf_counter() - start) * 1e3)
            for stage, seconds in compiled.stages.items():
                stages.setdefault(stage, []).append(seconds * 1e3)
        row(f"compile_{name}", statistics.median(totals), shape_of(constants),
            stages_ms={stage: statistics.median(times)
                       for stage, times in stages.items()},
            code_bytes=compiled.code_bytes)


def launch_rows():
    import numpy as np
    import tesela
    import tesela.language as tl

    @tesela.jit
    def four(a, b, c, n, BLOCK: tl.constexpr):
        tl.store(a + tl.arange(0, BLOCK), n)

    @tesela.jit
    def twenty(a, b, c, d, e, f, g, h, i, j, m0, m1, m2, m3, m4, m5, m6, m7,
               m8, m9, BLOCK: tl.constexpr):
        tl.store(a + tl.arange(0, BLOCK), m9)

    array = np.zeros(16, np.int32)
    arrays, numbers = (array,) * 10, tuple(range(2, 12))
    grid = (1,)

    def per_call(call):
        call()
        times = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            for _ in range(LAUNCHES):
                call()
            times.append((time.perf_counter() - start) / LAUNCHES * 1e3)
        return statistics.median(times)

    row("launch_python_4", per_call(
        lambda: four[grid](array, array, array, 7, BLOCK=16)))
    row("launch_python_20", per_call(
        lambda: twenty[grid](*arrays, *numbers, BLOCK=16)))
    try:
        import torch
    except ImportError:
        return
    one, out = torch.zeros(1), torch.zeros(1)
    row("torch_add_1", per_call(lambda: torch.add(one, one, out=out)))


def status(name: str) -> int:
    """A line of this process's status, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(name)


def memory_rows():
    """What the compiler takes at its peak, above what the process had, and
    what each thread that runs the kernel has as scratch memory."""
    import ctypes
    import tesela
    from latency_kernels import compiled_kernels, shape_of

    libc = ctypes.CDLL(None)
    for name, kernel, args, constants in compiled_kernels():
        for _ in range(2):  # the first time fills tables of LLVM's
            libc.malloc_trim(0)
            Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
            before = status("VmRSS")
            compiled = tesela.jit(kernel.fn).warmup(*args, grid=(1,),
                                                    **constants)
            peak = status("VmHWM") - before
        print(json.dumps({"case": f"memory_{name}",
                          "shape": shape_of(constants), "dtype": "",
                          "peak_bytes": peak,
                          "scratch_bytes": compiled.scratch_bytes}), flush=True)


def import_row():
    start = time.perf_counter()
    import tesela  # noqa: F401
    row("import", (time.perf_counter() - start) * 1e3)


def first_row():
    import numpy as np
    import tesela

    from bench.first_launch import add_kernel

    x = np.ones(1024, np.float32)
    out = np.empty_like(x)
    start = time.perf_counter()
    add_kernel[(1,)](x, x, out, 1024, BLOCK=1024)
    row("first_launch_warm", (time.perf_counter() - start) * 1e3)
    assert (out == 2).all()


if __name__ == "__main__":
    {"compile": compile_rows, "memory": memory_rows, "launch": launch_rows,
     "import": import_row, "first": first_row}[sys.argv[1]]()
