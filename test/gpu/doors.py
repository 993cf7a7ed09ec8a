"""Ways into a GPU, and what it refuses, on real hardware: each case in a process
of its own, since some of them leave no GPU behind. `doors.py NAME` runs one,
`doors.py --list` prints all."""

import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tesela
import tesela.language as tl

ROOT = Path(__file__).resolve().parents[2]


@tesela.jit
def scale(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x * 2, mask=i < n)


@tesela.jit
def product(x_ptr, y_ptr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, N)
    steps = tl.arange(0, K)
    x = tl.load(x_ptr + rows[:, None] * K + steps)
    y = tl.dot(x, tl.trans(x))
    tl.store(y_ptr + rows[:, None] * N + rows, y)


def launch(x, y, n):
    scale[(tesela.cdiv(n, 256),)](x, y, n, BLOCK=256)


def refusal(call, kind=Exception) -> str:
    """The message of the error that a call ends with."""
    try:
        call()
    except kind as error:
        return " ".join(str(error).split())
    raise AssertionError("no error")


def tensors(n=1000):
    import torch

    x = torch.randn(n, device="cuda")
    return x, torch.full_like(x, float("nan"))


def cupy():
    import cupy

    x = cupy.random.standard_normal(1000, dtype=cupy.float32)
    y = cupy.full_like(x, cupy.nan)
    launch(x, y, 1000)
    cupy.testing.assert_array_equal(y, x * 2)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        z = x + 1
        launch(z, y, 1000)
        cupy.testing.assert_array_equal(y, z * 2)


def cuda_array_interface():
    import torch

    class Array:
        def __init__(self, tensor):
            self.tensor = tensor
            self.__cuda_array_interface__ = tensor.__cuda_array_interface__

    x, y = tensors()
    launch(Array(x), Array(y), 1000)
    assert torch.equal(y, x * 2)


def dlpack():
    import torch

    class Array:
        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, **options):
            return self.tensor.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    x, y = tensors()
    launch(Array(x), Array(y), 1000)
    torch.cuda.synchronize()
    assert torch.equal(y, x * 2)


def current_stream():
    """Many launches in the order of a stream that is not the default one."""
    import torch

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.ones(1 << 24, device="cuda")
        y = torch.empty_like(x)
        for _ in range(10):
            launch(x, y, x.numel())
            launch(y, x, x.numel())
        z = x.clone()
    stream.synchronize()
    assert torch.equal(z, torch.full_like(z, 2.0**20))


def graph():
    """A launch is captured and replayed with new contents."""
    import torch

    x, y = tensors()
    launch(x, y, 1000)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        launch(x, y, 1000)
    x.normal_()
    captured.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, x * 2)


def threads():
    """Launches from several host threads at once, the first ones included."""
    import threading

    import torch

    results = []

    def work(seed):
        x = torch.full((5000,), float(seed), device="cuda")
        y = torch.empty_like(x)
        for _ in range(50):
            launch(x, y, 5000)
        torch.cuda.synchronize()
        results.append(torch.equal(y, x * 2))

    workers = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [True] * 8


def cpp():
    """The example program against the headers and the library, on the GPU."""
    folder = Path(tempfile.mkdtemp())
    library = next((ROOT / "lib").glob("libtesela.so.*"))
    program = folder / "add"
    subprocess.run(
        ["g++", "-std=c++20", "-I", ROOT / "include",
         ROOT / "examples/cpp/main.cpp", library, "-o", program,
         f"-Wl,-rpath,{library.parent}"], check=True)
    done = subprocess.run([program, ROOT / "examples/cpp/add.py", "cuda"],
                          capture_output=True, text=True)
    assert "out[999] = 3.5" in done.stdout, done.stdout + done.stderr


def command_line():
    done = subprocess.run(
        [ROOT / "bin/tesela", "show", ROOT / "kernels/softmax.py:softmax_kernel",
         "--target=cuda:90a", "--stage=sass", "--arg", "x_ptr=*fp32:16",
         "--arg", "out_ptr=*fp32:16", "--arg", "stride_xm=i32:16", "--arg",
         "stride_om=i32:16", "--arg", "num_cols=i32", "-D", "BLOCK=1024"],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "EXIT" in done.stdout, done.stdout[-500:]


def mixed_devices():
    import numpy as np
    import torch

    x, y = tensors()
    for other in (torch.empty(1000), np.empty(1000, np.float32)):
        for pair in ((x, other), (other, y)):
            message = refusal(lambda: launch(*pair, 1000))
            assert "cuda:0" in message and "the CPU" in message, message
    launch(x, y, 1000)
    assert torch.equal(y, x * 2)


def too_much_shared_memory():
    import torch

    x = torch.randn(512, 512, device="cuda").half()
    y = torch.empty(512, 512, device="cuda")
    message = refusal(lambda: product[(1,)](x, y, N=512, K=512, num_warps=8))
    print(message)
    assert "shared memory" in message or "registers" in message, message
    x, y = tensors()
    launch(x, y, 1000)
    assert torch.equal(y, x * 2)


def out_of_memory():
    """A launch that finds no memory left says so, and works again after."""
    import torch

    x, y = tensors()
    held = []
    size = 1 << 34
    while size >= 512:
        try:
            held.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
        except torch.OutOfMemoryError:
            size //= 2
    device = ctypes.CDLL("libcuda.so.1")
    pointer = ctypes.c_uint64()
    size = 1 << 28
    while size >= 1:
        if device.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(size)):
            size //= 2
    message = None
    try:
        launch(x, y, 1000)
        torch.cuda.synchronize()
    except MemoryError as error:
        message = str(error)
    print(message or "the kernel found room all the same")
    assert message is None or "`scale`" in message, message
    held.clear()
    torch.cuda.empty_cache()
    launch(x, y, 1000)
    torch.cuda.synchronize()
    assert torch.equal(y, x * 2)


def fault():
    """A kernel that writes where nothing is: the error names it, the process
    goes on, and the CPU still works."""
    import numpy as np

    x, y = tensors()
    launch(x, y, 1 << 30)
    message = refusal(tesela.synchronize)
    print(message)
    assert "`scale`" in message and "memory" in message, message
    message = refusal(lambda: launch(x, y, 1000))
    assert "`scale`" in message, message
    host = np.ones(1000, np.float32)
    out = np.zeros_like(host)
    launch(host, out, 1000)
    assert (out == 2).all()


def unsupported_architecture():
    done = subprocess.run(
        [sys.executable, __file__, "graph"], capture_output=True, text=True,
        env={**os.environ, "TESELA_CUDA_ARCH": "75"})
    assert done.returncode != 0 and "75" in done.stderr, done.stderr


def no_driver():
    done = subprocess.run(
        [sys.executable, __file__, "graph"], capture_output=True, text=True,
        env={**os.environ, "TESELA_CUDA_LIBRARY": "/nowhere/libcuda.so.1"})
    assert done.returncode != 0
    assert "/nowhere/libcuda.so.1" in done.stderr, done.stderr


CASES = [cupy, cuda_array_interface, dlpack, current_stream, graph, threads, cpp,
         command_line, mixed_devices, too_much_shared_memory, out_of_memory,
         fault, unsupported_architecture, no_driver]

if __name__ == "__main__":
    found = {case.__name__: case for case in CASES}
    if sys.argv[1] == "--list":
        print("\n".join(found))
    else:
        found[sys.argv[1]]()
