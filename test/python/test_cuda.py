"""Launches on a GPU, through a driver that takes notes: test/cuda/FakeCuda.cpp."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import tesela

FAKE = (Path(tesela._binding.__file__).absolute().parents[2]
        / "lib/libtesela-fake-cuda.so")
needs_fake = pytest.mark.skipif(not FAKE.exists(),
                                reason="the fake driver is not built")

PREAMBLE = """
import numpy as np
import tesela
import tesela.language as tl


@tesela.jit
def scale(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x * 2, mask=i < n)


@tesela.jit
def total(x_ptr, y_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(y_ptr, tl.sum(x, axis=0))


class Array:
    def __init__(self, address=4096, stream=None, device=None, typestr="<f4",
                 read_only=False):
        self.__cuda_array_interface__ = {
            "shape": (64,), "typestr": typestr, "data": (address, read_only),
            "version": 3, "stream": stream}
        if device is not None:
            self.device = type("Device", (), {"id": device})


def error_of(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__ + ":", " ".join(str(error).split()))
        return error
    print("no error")


def launch(x, y, **options):
    scale[(2,)](x, y, 100, BLOCK=64, **options)


host = np.zeros(128, np.float32)
"""


def run(body: str, settings: str = "", **environment) -> str:
    """What a script prints, and then what the driver was asked."""
    script = PREAMBLE + textwrap.dedent(body)
    log = Path(environment.pop("folder")) / "log.txt"
    file = log.with_name("script.py")
    file.write_text(script)
    done = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, timeout=120,
        env={**os.environ, "TESELA_CUDA_LIBRARY": str(FAKE),
             "TESELA_FAKE_CUDA": settings, "TESELA_FAKE_CUDA_LOG": str(log),
             "TESELA_CACHE": "0", **environment})
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + (log.read_text() if log.exists() else "")


@pytest.fixture
def ask(tmp_path):
    return lambda *args, **kwargs: run(*args, folder=tmp_path, **kwargs)


def test_without_a_driver(ask):
    printed = ask("""
        error_of(lambda: launch(Array(), Array()))
        error_of(lambda: tesela.set_device("cuda"))
        launch(host, host)
        print("the CPU works")
    """, TESELA_CUDA_LIBRARY="libno-such-driver.so")
    assert printed.count(
        "RuntimeError: error: NVIDIA's driver is missing: its library "
        "`libno-such-driver.so`") == 2
    assert "[device-unusable]" in printed
    assert "the CPU works" in printed


@needs_fake
@pytest.mark.parametrize("settings, message", [
    ("devices=0", "NVIDIA's driver finds no GPU"),
    ("version=11080", "too old: it is for CUDA 11.8, and one for CUDA 12.0"),
    ("capability=75", "too old: its compute capability is 7.5, and 8.0"),
])
def test_machines_that_will_not_do(ask, settings, message):
    assert message in ask("error_of(lambda: launch(Array(), Array()))",
                          settings)


@needs_fake
def test_arrays_decide_where_a_launch_runs(ask):
    printed = ask("""
        launch(Array(), Array(8192))
        launch(host, host)
        launch(Array(stream=7), Array(stream=7))
        launch(Array(device=1), Array(device=1))
    """, "devices=2 parameters=8,8,4")
    launches = [line for line in printed.splitlines()
                if line.startswith("launch")]
    assert launches == [
        "launch scale grid 2 1 1 block 128 1 1 shared 0 stream 0 context 4096",
        "launch scale grid 2 1 1 block 128 1 1 shared 0 stream 7 context 4096",
        "launch scale grid 2 1 1 block 128 1 1 shared 0 stream 0 context 4097",
    ]
    assert "parameter 0 0010000000000000\nparameter 1 0020000000000000\n" \
           "parameter 2 64000000\n" in printed


@needs_fake
def test_arrays_on_several_streams_are_waited_for(ask):
    printed = ask("launch(Array(stream=7), Array(stream=8))")
    assert printed.index("synchronize") < printed.index("stream 7")


@needs_fake
def test_arrays_on_different_devices(ask):
    printed = ask("""
        error_of(lambda: launch(Array(), host))
        error_of(lambda: launch(host, Array(device=1)))
        error_of(lambda: launch(Array(), Array(device=1)))
        tesela.set_device("cuda:1")
        error_of(lambda: launch(host, host))
        error_of(lambda: launch(Array(), Array()))
        with tesela.device("cpu"):
            error_of(lambda: launch(Array(), Array()))
    """, "devices=2").splitlines()
    one = "; all arrays of a launch have to be on one device"
    assert printed[:6] == [
        "ValueError: argument `y_ptr` is on the CPU, and argument `x_ptr` on "
        "`cuda:0`" + one,
        "ValueError: argument `x_ptr` is on the CPU, and argument `y_ptr` on "
        "`cuda:1`" + one,
        "ValueError: argument `y_ptr` is on `cuda:1`, and argument `x_ptr` on "
        "`cuda:0`" + one,
        "ValueError: argument `x_ptr` is on the CPU, and launches were told to "
        "run on `cuda:1`",
        "ValueError: argument `x_ptr` is on `cuda:0`, and launches were told to "
        "run on `cuda:1`",
        "ValueError: argument `x_ptr` is on `cuda:0`, and launches were told to "
        "run on `cpu`",
    ]


@needs_fake
def test_dlpack_is_told_the_stream(ask):
    printed = ask("""
        class Exporter:
            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self, stream=None, **more):
                print("stream", stream)
                return np.zeros(128, np.float32).__dlpack__()

        launch(Exporter(), Exporter())
    """)
    assert printed.count("stream 1\n") == 2
    assert "launch scale grid 2 1 1" in printed


@needs_fake
def test_faults_name_the_kernel_and_the_process_goes_on(ask):
    printed = ask("""
        launch(Array(), Array())
        error_of(lambda: launch(Array(), Array()))
        error_of(lambda: tesela.synchronize())
        launch(host, host)
        print("the CPU works")
    """, "fail=launch:700@2")
    assert printed.count("the last one launched was `scale`") == 2
    assert printed.count("[device-fault]") == 2
    assert "the CPU works" in printed


@needs_fake
def test_too_much_shared_memory(ask):
    printed = ask("""
        error = error_of(lambda: total[(1,)](Array(), Array(), BLOCK=1024))
        print(error.limit, error.name, error.required > 0)
    """, "shared=1 static=300")
    assert "OutOfResources: " in printed
    assert "a lower `num_stages` or smaller block sizes" in printed
    assert "1 shared memory True" in printed
    assert "[out-of-resources]" in printed


@needs_fake
def test_out_of_memory(ask):
    printed = ask("error_of(lambda: launch(Array(), Array()))", "fail=launch:2")
    assert "MemoryError" in printed and "[out-of-memory]" in printed


@needs_fake
def test_the_driver_refuses_code(ask):
    printed = ask("error_of(lambda: launch(Array(), Array()))",
                  "fail=moduleLoad:218")
    assert "`scale` cannot be loaded" in printed
    assert "a PTX JIT compilation failed" in printed


@needs_fake
def test_read_only_arrays(ask):
    assert "`y_ptr` of `scale` is read-only" in ask(
        "error_of(lambda: launch(Array(), Array(read_only=True)))")


@needs_fake
def test_broken_interfaces(ask):
    printed = ask("""
        error_of(lambda: launch(Array(typestr="<c8"), Array()))
        error_of(lambda: launch(Array(4097), Array()))
    """)
    assert "TypeError: argument `x_ptr` has elements of type" in printed
    assert "ValueError: argument `x_ptr` is not aligned" in printed


@needs_fake
def test_options_reach_the_launch(ask):
    printed = ask("launch(Array(), Array(), num_warps=8)")
    assert "block 256 1 1" in printed


@needs_fake
def test_times_are_taken_with_events(ask):
    printed = ask("""
        from tesela import testing
        print(testing.do_bench(lambda: launch(Array(), Array()), warmup=2,
                               rep=6))
    """)
    assert printed.startswith("1.5\n")
    assert "record 0\n" in printed


def test_architectures_need_no_gpu(ask):
    printed = ask("""
        for name in ("cuda:80", "cuda:90a"):
            tesela.set_device(name)
            compiled = scale.warmup(host, host, 100, BLOCK=64, grid=(1,))
            ptx = compiled.asm["ptx"]
            print([l for l in ptx.splitlines() if l.startswith(".target")])
            print(compiled.metadata.target.arch)
        error_of(lambda: launch(host, host))
        error_of(lambda: tesela.set_device("cuda:75"))
    """, TESELA_CUDA_LIBRARY="libno-such-driver.so")
    assert "['.target sm_80']\n80\n['.target sm_90a']\n90\n" in printed
    assert "`scale` cannot run: it was compiled for the architecture" in printed
    assert "the architecture `cuda:75` is not supported; those that are: 80," \
        in printed


@needs_fake
def test_maps_of_a_product(ask):
    """A box of the result is 16 rows of 128 bytes; the array ends where the
    mask does."""
    printed = ask("""
        @tesela.jit
        def multiply(a_ptr, b_ptr, c_ptr, m, n, k, stride_a, stride_b, stride_c,
                     BLOCK: tl.constexpr):
            rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
            depth = tl.arange(0, BLOCK)
            acc = tl.zeros((BLOCK, BLOCK), tl.float32)
            for i in range(0, k, BLOCK):
                a = tl.load(a_ptr + rows[:, None] * stride_a
                            + (i + depth)[None, :],
                            mask=(rows < m)[:, None] & (i + depth < k)[None, :],
                            other=0)
                b = tl.load(b_ptr + (i + depth)[:, None] * stride_b
                            + columns[None, :],
                            mask=(i + depth < k)[:, None]
                            & (columns < n)[None, :], other=0)
                acc = tl.dot(a, b, acc)
            tl.store(c_ptr + rows[:, None] * stride_c + columns[None, :],
                     acc.to(tl.float16),
                     mask=(rows < m)[:, None] & (columns < n)[None, :])

        a, b, c = [Array(address, typestr="<f2")
                   for address in (1 << 20, 2 << 20, 3 << 20)]
        multiply[(2, 4)](a, b, c, 100, 200, 80, 96, 208, 256, BLOCK=64)
    """, "capability=90")
    maps = [line for line in printed.splitlines() if line.startswith("map")]
    fixed = "swizzle 3 interleave 0 promotion 2 fill 0  "
    assert maps == [
        f"map type 6 address {1 << 20} {fixed}"
        "[80 box 64 step 1] [100 box 64 step 1 stride 192]",
        f"map type 6 address {2 << 20} {fixed}"
        "[200 box 64 step 1] [80 box 64 step 1 stride 416]",
        f"map type 6 address {3 << 20} {fixed}"
        "[200 box 64 step 1] [100 box 16 step 1 stride 512]",
    ]
