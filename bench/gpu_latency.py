"""Rows about compiling and launching on a GPU, ours beside Triton's.

  compile_<kernel>     cold, to the end of the first launch: both caches empty,
                       PTX to machine code included
  launch_python_<N>    host time of a launch of one tiny instance, N arguments

Each side runs in processes of its own, in turns.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROCESSES = 3
LAUNCHES = 500
ROUNDS = 15


def compile_times(side: str):
    import torch
    from gpu_sources import load

    half = torch.randn(4096 * 64, device="cuda").half()
    single = torch.randn(1 << 20, device="cuda")
    out = torch.empty_like(single)
    wide = torch.empty_like(half)
    elementary = load("vector_add", side)
    norms = load("layer_norm", side)
    # The first kernel of a process pays for more than itself.
    load("activations", side).relu_kernel[(1,)](single, out, 100, BLOCK=128)
    torch.cuda.synchronize()
    gemm = (half, half, wide, 128, 128, 128, 128, 1, 128, 1, 128, 1)
    strides = (8192, 8192, 64) * 4
    kernels = {
        "add": lambda: elementary.add_kernel[(4,)](
            single, single, out, 4096, BLOCK=1024),
        "gelu_tanh": lambda: load("activations", side).gelu_tanh_kernel[(4,)](
            single, out, 4096, BLOCK=1024),
        "softmax": lambda: load("softmax", side).softmax_kernel[(4,)](
            single, out, 4096, 4096, 4096, BLOCK=4096, num_warps=8),
        "layer_norm": lambda: norms.layer_norm_forward_kernel[(4,)](
            single, single, single, out, out, out, 4096, 4096, 4096, 1e-5,
            BLOCK=4096, num_warps=8),
        "gemm_seed_64": lambda: load("seeds/gemm", side).matmul_kernel[(2, 2)](
            *gemm, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32),
        "gemm_seed_128": lambda: load("seeds/gemm", side).matmul_kernel[(1, 1)](
            *gemm, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64),
        "gemm_fp16": lambda: load("matmul", side).matmul_kernel[(1,)](
            *gemm, BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, GROUP=8, num_warps=8,
            num_stages=3),
        "attention_seed": lambda: load(
            "seeds/attention", side).flashattn_kernel[(2,)](
            half, half, half, wide, 128, 64, BLOCK=64, d_BLOCK=64),
        "attention": lambda: load("attention", side).attention_kernel[(1, 1)](
            half, half, half, wide, *strides, 1, 128, 128, 0.18, HEAD=64,
            BLOCK_D=64, BLOCK_M=128, BLOCK_N=64, CAUSAL=True, num_warps=8,
            num_stages=3),
    }
    for name, launch in kernels.items():
        begin = time.perf_counter()
        try:
            launch()
            torch.cuda.synchronize()
        except Exception as problem:
            say(f"compile_{name}", None, f"{type(problem).__name__}: {problem}")
            continue
        say(f"compile_{name}", (time.perf_counter() - begin) * 1e3)


LAUNCHED = '''
import triton
import triton.language as tl


@triton.jit
def four(a, b, c, n, BLOCK: tl.constexpr):
    tl.store(a + tl.arange(0, BLOCK), n)


@triton.jit
def twenty(a, b, c, d, e, f, g, h, i, j, m0, m1, m2, m3, m4, m5, m6, m7, m8,
           m9, BLOCK: tl.constexpr):
    tl.store(a + tl.arange(0, BLOCK), m9)
'''


def launch_times(side: str):
    import torch

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"launched_{side}.py"
        text = LAUNCHED if side == "triton" else LAUNCHED.replace(
            "triton", "tesela")
        file.write_text(text)
        sys.path.insert(0, folder)
        module = __import__(file.stem)
        tensors = [torch.zeros(16, device="cuda", dtype=torch.int32)
                   for _ in range(10)]
        numbers = tuple(range(2, 12))
        grid = (1,)
        calls = {
            "launch_python_4": lambda: module.four[grid](
                *tensors[:3], 7, BLOCK=16),
            "launch_python_20": lambda: module.twenty[grid](
                *tensors, *numbers, BLOCK=16),
        }
        for name, call in calls.items():
            try:
                call()
                torch.cuda.synchronize()
                times = []
                for _ in range(ROUNDS):
                    begin = time.perf_counter()
                    for _ in range(LAUNCHES):
                        call()
                    times.append((time.perf_counter() - begin) / LAUNCHES)
                    torch.cuda.synchronize()
                say(name, statistics.median(times) * 1e3)
            except Exception as problem:
                say(name, None, f"{type(problem).__name__}: {problem}")


def say(case: str, milliseconds, failure=None):
    print(json.dumps({"case": case, "ms": milliseconds, "failure": failure}),
          flush=True)


def ask(what: str, side: str, end: float) -> list[dict]:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "CUDA_CACHE_DISABLE": "1",
                       "TESELA_CACHE": "0", "TRITON_CACHE_DIR": cache}
        try:
            done = subprocess.run(
                [sys.executable, __file__, what, side], env=environment,
                capture_output=True, text=True,
                timeout=max(1, min(120, end - time.monotonic())))
        except subprocess.TimeoutExpired as late:
            return [{"case": what, "ms": None, "failure": f"{late}"}]
    found = [json.loads(line) for line in done.stdout.splitlines()
             if line.startswith("{")]
    if done.returncode and not found:
        found.append({"case": what, "ms": None,
                      "failure": done.stderr[-2000:]})
    return found


def rows(only: str, end: float, add):
    """Adds all rows, or those whose case is wanted."""
    words = [word for word in only.split(",") if word]
    for what in ("launch", "compile"):
        if words and not any(word.startswith(what) for word in words):
            continue
        times, failures = {}, {}
        for _ in range(PROCESSES):
            for side in ("triton", "tesela"):
                if time.monotonic() > end - 5:
                    break
                for answer in ask(what, side, end):
                    key = (answer["case"], side)
                    if answer["failure"]:
                        failures[key] = answer["failure"]
                    else:
                        times.setdefault(key, []).append(answer["ms"])
        for case in dict.fromkeys(c for c, _ in [*times, *failures]):
            if words and case not in words and what not in words:
                continue
            base = {"case": case, "shape": "", "dtype": "", "peer": "triton"}
            failed = [s for s in ("tesela", "triton") if (case, s) not in times]
            if failed:
                add({**base, "failure": "; ".join(
                    f"{s}: {failures.get((case, s), 'no time left')}"
                    for s in failed)})
                continue
            ours = statistics.median(times[case, "tesela"])
            peer = statistics.median(times[case, "triton"])
            add({**base, "tesela_ms": ours, "peer_ms": peer,
                 "ratio": peer / ours})


if __name__ == "__main__":
    {"compile": compile_times, "launch": launch_times}[sys.argv[1]](sys.argv[2])
