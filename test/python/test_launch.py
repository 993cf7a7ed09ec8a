"""Launches: grids, arguments by name, and what a kernel sees outside itself."""

import gc
import math
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import tesela
import tesela.language as tl
from conftest import define
from tesela.language import store as store_by_name

OFFSET = tl.constexpr(100)
FACTOR = 2


@tesela.jit
def number(out_ptr, first=0, step: tl.constexpr = 1):
    """Every instance writes its own numbers."""
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    nx, ny = tl.num_programs(0), tl.num_programs(1)
    index = x + nx * (y + ny * z)
    tl.store(out_ptr + index, first + index * step)


@pytest.mark.parametrize("grid, count", [
    (5, 5), ((5,), 5), ([5], 5), ((5, 2), 10), ((5, 2, 3), 30),
    ((np.int64(4),), 4), (np.int32(4), 4),
    (lambda meta: (meta["step"] * 2,), 2),
    (lambda meta: meta["first"] + 3, 3),
    (lambda meta: [2, 2], 4),
])
def test_grids(grid, count):
    out = np.full(40, -1, dtype=np.int32)
    number[grid](out)
    assert out[:count].tolist() == list(range(count))
    assert (out[count:] == -1).all()


@pytest.mark.parametrize("grid", [0, (0,), (3, 0), (1, 2, 0)])
def test_grid_without_instances_runs_nothing(grid):
    out = np.full(4, -1, dtype=np.int32)
    number[grid](out)
    assert (out == -1).all()


@pytest.mark.parametrize("grid, error", [
    (-1, ValueError), ((2, -1), ValueError), (2**31, ValueError),
    ((1, 2**16), ValueError), (1 << 80, ValueError), (-(1 << 80), ValueError),
    ((), ValueError), ((1, 1, 1, 1), ValueError),
    (1.5, TypeError), ((1, 2.0), TypeError), ("1", TypeError),
    (None, TypeError), (lambda meta: None, TypeError),
    (lambda meta: meta["nothing"], KeyError),
])
def test_grids_that_are_refused(grid, error):
    out = np.full(4, -1, dtype=np.int32)
    with pytest.raises(error):
        number[grid](out)
    assert (out == -1).all()


def test_arguments_by_name_and_by_default():
    out = np.zeros(2, dtype=np.int32)
    number[2](out, 10)
    assert out.tolist() == [10, 11]
    number[2](out_ptr=out, step=5)
    assert out.tolist() == [0, 5]
    number[2](out, step=2, first=7)
    assert out.tolist() == [7, 9]


def test_a_launcher_can_be_kept():
    out = np.zeros(2, dtype=np.int32)
    launch = number[2]
    launch(out, 1)
    launch(out, 2)
    assert out.tolist() == [2, 3]


def test_run_is_another_way_to_launch():
    out = np.zeros(2, dtype=np.int32)
    number.run(out, 3, grid=(2,), warmup=False)
    assert out.tolist() == [3, 4]


def test_defaults_are_evaluated_by_python():
    scope = define("SIZE = 3\n"
                   "@tesela.jit\n"
                   "def kernel(out_ptr, value: tl.constexpr = SIZE * 2):\n"
                   "    tl.store(out_ptr, value)\n")
    out = np.zeros(1, dtype=np.int32)
    scope["kernel"][1](out)
    assert out[0] == 6


@tesela.jit
def add_offset(out_ptr):
    tl.store(out_ptr, OFFSET + FACTOR)


def test_globals_are_seen_and_changes_too(monkeypatch):
    out = np.zeros(1, dtype=np.int32)
    add_offset[1](out)
    assert out[0] == 102
    monkeypatch.setitem(globals(), "FACTOR", 5)
    add_offset[1](out)
    assert out[0] == 105
    monkeypatch.setitem(globals(), "OFFSET", tl.constexpr(1))
    add_offset[1](out)
    assert out[0] == 6
    monkeypatch.undo()
    add_offset[1](out)
    assert out[0] == 102


def make_adder(amount):
    @tesela.jit
    def adder(out_ptr):
        tl.store(out_ptr, amount)

    def change(new):
        nonlocal amount
        amount = new

    return adder, change


def test_closures_are_seen_and_changes_too():
    out = np.zeros(1, dtype=np.int32)
    first, change = make_adder(1)
    second, _ = make_adder(2)
    first[1](out)
    assert out[0] == 1
    second[1](out)
    assert out[0] == 2
    change(7)
    first[1](out)
    assert out[0] == 7


@tesela.jit
def helper(x):
    return x + 1


@tesela.jit
def calls_helper(out_ptr):
    tl.store(out_ptr, helper(4))


def test_called_functions_are_seen_and_changes_too(monkeypatch):
    out = np.zeros(1, dtype=np.int32)
    calls_helper[1](out)
    assert out[0] == 5
    monkeypatch.setitem(globals(), "helper", define(
        "@tesela.jit\ndef helper(x):\n    return x * 3\n")["helper"])
    calls_helper[1](out)
    assert out[0] == 12


@tesela.jit
def applies(out_ptr, function: tl.constexpr):
    tl.store(out_ptr, function(6))


def test_functions_are_constants():
    out = np.zeros(1, dtype=np.int32)
    applies[1](out, helper)
    assert out[0] == 7
    applies[1](out, define("@tesela.jit\ndef f(x):\n    return x * x\n")["f"])
    assert out[0] == 36


@tesela.jit
def uses_modules(out_ptr):
    store_by_name(out_ptr, math.pi)
    tl.store(out_ptr + 1, tl.math.sqrt(16.0))
    tl.store(out_ptr + 2, tesela.cdiv(7, 2))


def test_modules_and_functions_by_name():
    out = np.zeros(3, dtype=np.float32)
    uses_modules[1](out)
    assert out.tolist() == [np.float32(math.pi), 4, 4]


@tesela.jit
def typed(out_ptr, dtype: tl.constexpr, mode: tl.constexpr, flag: tl.constexpr):
    value = 1.75
    if flag is None:
        value = 2.75
    if mode == "trunc":
        tl.store(out_ptr, value.to(dtype) if False else tl.full((), value,
                                                               tl.float32)
                 .to(dtype))
    else:
        tl.store(out_ptr, value)


def test_constants_of_every_kind():
    out = np.zeros(1, dtype=np.float32)
    typed[1](out, tl.int32, "trunc", True)
    assert out[0] == 1
    typed[1](out, tl.float32, "trunc", None)
    assert out[0] == 2.75
    typed[1](out, tl.float32, "", False)
    assert out[0] == 1.75


@tesela.jit
def optional(x_ptr, out_ptr):
    if x_ptr is None:
        tl.store(out_ptr, -1)
    else:
        tl.store(out_ptr, tl.load(x_ptr))


@tesela.jit
def says(out_ptr, word: tl.constexpr):
    tl.store(out_ptr, word == "a\ud800")
    tl.store(out_ptr + 1, word == WORD)
    tl.store(out_ptr + 2, word == "")


WORD = "a\ud800"


@pytest.mark.parametrize("word", ["a\ud800", "a", "", "a\udc00"])
def test_strings_that_are_no_utf8(word):
    out = np.zeros(3, dtype=np.int32)
    says[1](out, word)
    assert out.tolist() == [word == WORD, word == WORD, word == ""]


@pytest.mark.skipif(sys.platform == "darwin", reason="names are UTF-8 there")
def test_files_whose_names_are_no_utf8(tmp_path):
    script = os.fsencode(tmp_path) + b"/\xff.py"
    with open(script, "w") as file:
        file.write("import numpy, tesela, tesela.language as tl\n"
                   "@tesela.jit\n"
                   "def kernel(x_ptr, value):\n"
                   "    tl.store(x_ptr, value + known)\n"
                   "x = numpy.zeros(1, dtype=numpy.int32)\n"
                   "known = 1\n"
                   "kernel[1](x, 4)\n"
                   "print(x)\n"
                   "del known\n"
                   "kernel[1](x, 4)\n")
    run = subprocess.run([sys.executable, script], capture_output=True)
    assert run.stdout == b"[5]\n"
    assert rb"/\xff.py:4:29: error: `known` is not defined" in run.stderr


def test_none_for_a_pointer():
    out = np.zeros(1, dtype=np.int32)
    optional[1](None, out)
    assert out[0] == -1
    optional[1](np.array([9], dtype=np.int32), out)
    assert out[0] == 9


@tesela.constexpr_function
def twice(x):
    return x * 2


@tesela.jit
def uses_constexpr_function(out_ptr, N: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, twice(N)), 1)


def test_functions_of_constants():
    out = np.zeros(8, dtype=np.int32)
    uses_constexpr_function[1](out, 2)
    assert out.tolist() == [1] * 4 + [0] * 4


def test_warmup_compiles_without_running():
    out = np.zeros(4, dtype=np.int32)
    compiled = number.warmup(out, 1, grid=(4,))
    assert (out == 0).all()
    assert compiled.name == "number"
    assert compiled.origin in ("memory", "disk", "compiler")
    assert "tile.program_id" in compiled.asm["tile"]
    assert "number" in compiled.asm["views"]
    assert "ttir" in compiled.asm and "nothing" not in compiled.asm
    compiled[(4,)](out, 1)
    assert out.tolist() == [1, 2, 3, 4]


def test_threads_launch_at_once():
    outs = [np.zeros(64, dtype=np.int32) for _ in range(8)]
    failures = []

    def work(index):
        try:
            for _ in range(20):
                number[64](outs[index], index)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    for index, out in enumerate(outs):
        assert out.tolist() == list(range(index, index + 64))


def test_other_threads_run_while_a_kernel_does():
    """The GIL is given up: a kernel that takes a while does not stop them."""
    scope = define(
        "@tesela.jit\n"
        "def spin(out_ptr, n):\n"
        "    x = 1\n"
        "    for i in range(n):\n"
        "        x = (x * 1103515245 + 12345) ^ i\n"
        "    tl.store(out_ptr, x)\n"
    )
    out = np.zeros(1, dtype=np.int32)
    length, took = 1000, 0
    while took < 0.2:
        length *= 2
        begin = time.perf_counter()
        scope["spin"][1](out, length)
        took = time.perf_counter() - begin
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(1)

    ticker = threading.Thread(target=tick)
    ticker.start()
    before = len(ticks)
    scope["spin"][1](out, length)
    during = len(ticks) - before
    stop.set()
    ticker.join()
    assert during > 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_launches_in_a_forked_child():
    out = np.zeros(64, dtype=np.int32)
    number[64](out)
    child = os.fork()
    if child == 0:
        out[:] = 0
        number[64](out, 1)
        os._exit(0 if out.tolist() == list(range(1, 65)) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_kernels_that_are_gone_leave_others_working():
    out = np.zeros(1, dtype=np.int32)
    for i in range(5):
        scope = define(
            f"@tesela.jit\ndef kernel(out_ptr):\n    tl.store(out_ptr, {i})\n"
        )
        scope["kernel"][1](out)
        assert out[0] == i
        del scope
        gc.collect()


@pytest.mark.slow
def test_processes_compile_the_same_kernel_at_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy, tesela, tesela.language as tl\n"
        "@tesela.jit\n"
        "def kernel(x_ptr, n, BLOCK: tl.constexpr):\n"
        "    offs = tl.arange(0, BLOCK)\n"
        "    tl.store(x_ptr + offs, offs * 3, mask=offs < n)\n"
        "x = numpy.zeros(100, dtype=numpy.int32)\n"
        "kernel[1](x, 99, BLOCK=128)\n"
        "assert x.tolist() == [3 * i for i in range(99)] + [0]\n"
    )
    environment = {**os.environ, "TESELA_CACHE_DIR": str(tmp_path / "cache")}
    processes = [
        subprocess.Popen([sys.executable, script], env=environment)
        for _ in range(16)
    ]
    assert [process.wait() for process in processes] == [0] * 16


def test_launches_keep_nothing_alive():
    out = np.zeros(4, dtype=np.int32)
    wrapped = memoryview(out)
    step = 10**6
    counts = [sys.getrefcount(v) for v in (out, wrapped, number, step)]
    for _ in range(100):
        number[4](out, 1)
        number[4](wrapped, 1)
        number[lambda meta: 4](out_ptr=out, first=step)
        with pytest.raises(TypeError):
            number[4](out, [])
        with pytest.raises(TypeError):
            number[4](wrapped, nothing=step)
    after = [sys.getrefcount(v) for v in (out, wrapped, number, step)]
    assert all(b - a < 10 for a, b in zip(counts, after))
    wrapped.release()


def test_synchronize_without_a_gpu_in_use():
    script = "import tesela; tesela.synchronize(); print('fine')"
    environment = {**os.environ, "TESELA_CUDA_LIBRARY": "libno-such.so"}
    result = subprocess.run([sys.executable, "-c", script], text=True,
                            capture_output=True, env=environment)
    assert (result.stdout, result.stderr) == ("fine\n", "")


@pytest.mark.parametrize("name", [0, None])
def test_names_of_devices_are_strings(name):
    with pytest.raises(TypeError, match=f"is a string, .* and not {name}"):
        tesela.set_device(name)
