"""The cases of the GPU bench: inputs, calls of ours and of the peers, checks.

A case gives its calls by name: "tesela" and the peers that it has. A call that is
tuned comes as a list of candidates, one for each configuration.
"""

import ctypes
import functools
import math
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import torch
from gpu_sources import FOLDER, load

GIB = 1 << 30


@dataclass
class Candidate:
    call: Callable
    config: str = ""


@dataclass
class Prepared:
    """A case with its tensors."""

    calls: dict  # name -> list of candidates
    out: torch.Tensor  # what all of them but `copy` fill
    check: Callable  # () -> the relative error of `out`
    tolerance: float
    flops: float = 0
    bytes: float = 0


@dataclass
class Case:
    name: str
    shape: str
    dtype: str
    prepare: Callable  # () -> Prepared

    @property
    def id(self) -> str:
        return f"{self.name}:{self.shape}:{self.dtype}"


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def relative_error(got, want) -> float:
    got, want = got.double(), want.double()
    return float((got - want).norm() / want.norm())


def cdiv(a, b):
    return -(-a // b)


@functools.cache
def native():
    """The CUDA C++ kernels, or None where they do not compile."""
    library = FOLDER / "gpu_native.so"
    FOLDER.mkdir(exist_ok=True)
    source = Path(__file__).with_name("gpu_native.cu")
    done = subprocess.run(
        ["nvcc", "-O3", "-std=c++17", "-gencode",
         "arch=compute_90a,code=sm_90a", "-shared", "-Xcompiler", "-fPIC", "-o",
         library, source], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"nvcc: {done.stderr[-2000:]}")
    return ctypes.CDLL(str(library))


def native_call(name, *arguments):
    def call():
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        given = [ctypes.c_void_p(a.data_ptr()) if torch.is_tensor(a) else a
                 for a in arguments]
        code = getattr(native(), name)(*given, stream)
        if code:
            raise RuntimeError(f"{name}: CUDA error {code}")

    return call


def copies(total_bytes):
    """Ways to move as many bytes, half of them reads, as a kernel does: in a
    captured graph `copy_` is a memcpy node, which is slower than a kernel."""
    count = total_bytes // 8
    source = torch.empty(count, device="cuda", dtype=torch.float32)
    target = torch.empty_like(source)
    source.normal_()
    return [Candidate(lambda: target.copy_(source), "copy_"),
            Candidate(native_call("nativeCopy", source, target,
                                  ctypes.c_int64(count)), "kernel")]


def both(name, make):
    """Calls of one kernel for both sides: `make(module)` gives the call, or a
    list of candidates."""
    calls = {}
    for side in ("tesela", "triton"):
        made = make(load(name, side))
        calls[side] = made if isinstance(made, list) else [Candidate(made)]
    return calls


#===----------------------------------------------------------------------===#
# Moving bytes
#===----------------------------------------------------------------------===#


def add(n):
    def prepare():
        x, y = normal(n), normal(n)
        out = torch.empty_like(x)
        grid = (cdiv(n, 1024),)
        calls = both("vector_add", lambda m: lambda: m.add_kernel[grid](
            x, y, out, n, BLOCK=1024))
        calls["copy"] = copies(12 * n)
        calls["native"] = [Candidate(lambda: torch.add(x, y, out=out))]
        calls["cuda-c++"] = [Candidate(native_call(
            "nativeAdd", x, y, out, ctypes.c_int64(n)))]
        return Prepared(calls, out, lambda: relative_error(out, x + y), 1e-6,
                        bytes=12 * n)

    return Case("add", str(n), "float32", prepare)


def gelu(n):
    def prepare():
        x = normal(n)
        out = torch.empty_like(x)
        grid = (cdiv(n, 1024),)
        calls = both("activations", lambda m: lambda: m.gelu_tanh_kernel[grid](
            x, out, n, BLOCK=1024))
        calls["copy"] = copies(8 * n)
        function = torch.nn.functional.gelu
        calls["native"] = [Candidate(lambda: function(x, approximate="tanh"))]
        return Prepared(
            calls, out,
            lambda: relative_error(out, function(x, approximate="tanh")), 1e-5,
            bytes=8 * n)

    return Case("gelu_tanh", str(n), "float32", prepare)


def row_warps(columns):
    return 4 if columns <= 2048 else 8 if columns <= 8192 else 16


def softmax(columns):
    rows = GIB // 4 // columns

    def prepare():
        x = normal(rows, columns)
        out = torch.empty_like(x)
        calls = both("softmax", lambda m: lambda: m.softmax_kernel[(rows,)](
            x, out, columns, columns, columns, BLOCK=columns,
            num_warps=row_warps(columns)))
        calls["copy"] = copies(2 * GIB)
        calls["native"] = [Candidate(lambda: torch.softmax(x, 1, out=out))]
        return Prepared(calls, out,
                        lambda: relative_error(out, torch.softmax(x, 1)), 1e-5,
                        bytes=2 * GIB)

    return Case("softmax", f"{rows}x{columns}", "float32", prepare)


def layer_norm(columns):
    rows = GIB // 4 // columns

    def prepare():
        x, weight, bias = normal(rows, columns), normal(columns), normal(columns)
        out = torch.empty_like(x)
        mean = torch.empty(rows, device="cuda")
        rstd = torch.empty(rows, device="cuda")
        calls = both(
            "layer_norm",
            lambda m: lambda: m.layer_norm_forward_kernel[(rows,)](
                x, weight, bias, out, mean, rstd, columns, columns, columns,
                1e-5, BLOCK=columns, num_warps=row_warps(columns)))
        calls["copy"] = copies(2 * GIB)
        function = torch.nn.functional.layer_norm
        calls["native"] = [Candidate(
            lambda: function(x, (columns,), weight, bias))]
        return Prepared(
            calls, out,
            lambda: relative_error(out, function(x, (columns,), weight, bias)),
            1e-5, bytes=2 * GIB)

    return Case("layer_norm", f"{rows}x{columns}", "float32", prepare)


#===----------------------------------------------------------------------===#
# Matrix products
#===----------------------------------------------------------------------===#


def exact_product(a, b):
    torch.backends.cuda.matmul.allow_tf32 = False
    return a.float() @ b.float()


def gemm_prepared(a, b, out, calls, tolerance):
    (m, k), n = a.shape, b.shape[1]
    want = []

    def check():
        if not want:
            want.append(exact_product(a, b))
        return relative_error(out, want[0])

    return Prepared(calls, out, check, tolerance, flops=2.0 * m * n * k,
                    bytes=a.element_size() * (m * k + k * n)
                    + out.element_size() * m * n)


def seed_gemm(size, blocks):
    block_m, block_n, block_k = blocks

    def prepare():
        a = normal(size, size, dtype=torch.float16)
        b = normal(size, size, dtype=torch.float16)
        out = torch.empty_like(a)
        grid = (cdiv(size, block_m), cdiv(size, block_n))
        calls = both("seeds/gemm", lambda m: lambda: m.matmul_kernel[grid](
            a, b, out, size, size, size, size, 1, size, 1, size, 1,
            BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k))
        calls["cublas"] = [Candidate(lambda: torch.mm(a, b, out=out))]
        return gemm_prepared(a, b, out, calls, 1e-3)

    return Case(f"gemm_seed_{block_m}", f"{size}x{size}x{size}", "float16",
                prepare)


# BLOCK_M, BLOCK_N, BLOCK_K, GROUP, num_warps, num_stages
GEMM_CONFIGS = [
    (128, 256, 64, 8, 8, 3), (128, 256, 64, 8, 8, 4), (256, 128, 64, 8, 8, 3),
    (128, 128, 64, 8, 4, 4), (128, 128, 64, 8, 8, 4), (128, 128, 64, 8, 8, 3),
    (128, 64, 64, 8, 4, 5), (64, 128, 64, 8, 4, 5), (64, 256, 64, 8, 4, 4),
    (64, 64, 64, 8, 4, 6), (128, 128, 128, 8, 8, 3), (64, 128, 128, 8, 4, 3),
    (128, 256, 64, 4, 8, 4), (128, 256, 64, 16, 8, 4),
]
TMA_CONFIGS = [
    (128, 256, 64, 8, 8, 3, False), (128, 256, 64, 8, 8, 4, False),
    (128, 128, 64, 8, 8, 4, False), (128, 128, 128, 8, 8, 3, False),
    (128, 256, 64, 8, 8, 3, True), (128, 128, 64, 8, 4, 4, True),
]
FP8_CONFIGS = [
    (128, 256, 128, 8, 8, 3), (128, 256, 128, 8, 8, 4),
    (256, 128, 128, 8, 8, 3), (128, 128, 128, 8, 4, 4),
    (128, 128, 128, 8, 8, 4), (128, 128, 64, 8, 4, 4), (64, 128, 128, 8, 4, 4),
]


def tuned_gemm(module, configs, a, b, out):
    (m, k), n = a.shape, b.shape[1]

    def candidate(config):
        block_m, block_n, block_k, group, warps, stages = config
        grid = (cdiv(m, block_m) * cdiv(n, block_n),)
        return Candidate(lambda: module.matmul_kernel[grid](
            a, b, out, m, n, k, a.stride(0), a.stride(1), b.stride(0),
            b.stride(1), out.stride(0), out.stride(1), BLOCK_M=block_m,
            BLOCK_N=block_n, BLOCK_K=block_k, GROUP=group, num_warps=warps,
            num_stages=stages), "x".join(map(str, config)))

    return [candidate(config) for config in configs]


def tma_gemm(a, b, out):
    import triton

    triton.set_allocator(lambda size, alignment, stream: torch.empty(
        size, device="cuda", dtype=torch.int8))
    module = load("gpu_tma_gemm", "triton")
    (m, k), n = a.shape, b.shape[1]
    count = torch.cuda.get_device_properties(0).multi_processor_count

    def candidate(config):
        block_m, block_n, block_k, group, warps, stages, specialise = config
        grid = (min(count, cdiv(m, block_m) * cdiv(n, block_n)),)
        return Candidate(lambda: module.tma_matmul_kernel[grid](
            a, b, out, m, n, k, INSTANCES=count, BLOCK_M=block_m,
            BLOCK_N=block_n, BLOCK_K=block_k, GROUP=group,
            SPECIALISE=specialise, num_warps=warps, num_stages=stages),
            "x".join(map(str, config)))

    return [candidate(config) for config in TMA_CONFIGS]


def gemm_fp16(size):
    def prepare():
        a = normal(size, size, dtype=torch.float16)
        b = normal(size, size, dtype=torch.float16)
        out = torch.empty_like(a)
        calls = both("matmul", lambda m: tuned_gemm(m, GEMM_CONFIGS, a, b, out))
        calls["triton-tma"] = tma_gemm(a, b, out)
        calls["cublas"] = [Candidate(lambda: torch.mm(a, b, out=out))]
        calls["cuda-c++"] = [Candidate(native_call(
            "nativeGemm", a, b, out, size, size, size))]
        return gemm_prepared(a, b, out, calls, 1e-3)

    return Case("gemm_fp16", f"{size}x{size}x{size}", "float16", prepare)


def gemm_fp8(size):
    def prepare():
        kind = torch.float8_e4m3fn
        a = normal(size, size, dtype=kind)
        b = normal(size, size, dtype=kind).t()  # as `_scaled_mm` wants it
        out = torch.empty(size, size, device="cuda", dtype=torch.bfloat16)
        one = torch.ones((), device="cuda")
        calls = both("matmul", lambda m: tuned_gemm(m, FP8_CONFIGS, a, b, out))
        calls["cublas"] = [Candidate(lambda: torch._scaled_mm(
            a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, out=out,
            use_fast_accum=True))]
        return gemm_prepared(a, b, out, calls, 2e-2)

    return Case("gemm_fp8", f"{size}x{size}x{size}", "float8_e4m3", prepare)


#===----------------------------------------------------------------------===#
# Attention
#===----------------------------------------------------------------------===#


def exact_attention(q, k, v, causal, scale):
    scores = (q.float() @ k.float().transpose(-1, -2)) * scale
    if causal:
        length = scores.shape[-1]
        hidden = torch.ones(length, length, dtype=torch.bool,
                            device="cuda").triu(1)
        scores.masked_fill_(hidden, -math.inf)
    return torch.softmax(scores, -1) @ v.float()


def attention_seed(length):
    dim = 64

    def prepare():
        q, k, v = (normal(length, dim, dtype=torch.float16) for _ in range(3))
        out = torch.empty_like(q)
        calls = both(
            "seeds/attention",
            lambda m: lambda: m.flashattn_kernel[(cdiv(length, 64),)](
                q, k, v, out, length, dim, BLOCK=64, d_BLOCK=64))
        calls["native"] = [Candidate(
            lambda: torch.softmax(q @ k.t(), -1) @ v)]

        def check():
            torch.backends.cuda.matmul.allow_tf32 = False
            return relative_error(out, exact_attention(q, k, v, False, 1.0))

        return Prepared(calls, out, check, 3e-3,
                        flops=4.0 * length * length * dim,
                        bytes=8 * length * dim)

    return Case("attention_seed", f"{length}x{dim}", "float16", prepare)


# BLOCK_M, BLOCK_N, num_warps, num_stages
ATTENTION_CONFIGS = [
    (128, 64, 4, 3), (128, 64, 8, 3), (128, 128, 8, 2), (128, 128, 8, 3),
    (64, 64, 4, 3), (128, 32, 4, 4), (256, 64, 16, 3),
]


def attention(dim, length, causal):
    batch, heads = 16384 // length, 2048 // dim

    def prepare():
        shape = (batch, heads, length, dim)
        q, k, v = (normal(*shape, dtype=torch.float16) for _ in range(3))
        out = torch.empty_like(q)
        scale = 1 / math.sqrt(dim)

        def candidates(module):
            def candidate(config):
                block_m, block_n, warps, stages = config
                grid = (cdiv(length, block_m), batch * heads)
                return Candidate(lambda: module.attention_kernel[grid](
                    q, k, v, out, *q.stride()[:3], *k.stride()[:3],
                    *v.stride()[:3], *out.stride()[:3], heads, length, length,
                    scale * math.log2(math.e), HEAD=dim, BLOCK_D=dim,
                    BLOCK_M=block_m, BLOCK_N=block_n, CAUSAL=causal,
                    num_warps=warps, num_stages=stages),
                    "x".join(map(str, config)))

            return [candidate(config) for config in ATTENTION_CONFIGS]

        calls = both("attention", candidates)
        backend = torch.nn.attention.SDPBackend
        function = torch.nn.functional.scaled_dot_product_attention

        def sdpa(which):
            def call():
                with torch.nn.attention.sdpa_kernel(which):
                    return function(q, k, v, is_causal=causal)
            return call

        calls["cudnn"] = [Candidate(sdpa(backend.CUDNN_ATTENTION))]
        calls["flash2"] = [Candidate(sdpa(backend.FLASH_ATTENTION))]

        def check():
            torch.backends.cuda.matmul.allow_tf32 = False
            worst = 0.0
            for b, h in {(0, 0), (batch - 1, heads - 1)}:
                want = exact_attention(q[b, h], k[b, h], v[b, h], causal, scale)
                worst = max(worst, relative_error(out[b, h], want))
            return worst

        pairs = length * length / (2 if causal else 1)
        return Prepared(calls, out, check, 3e-3,
                        flops=4.0 * batch * heads * pairs * dim,
                        bytes=8.0 * batch * heads * length * dim)

    mask = "causal" if causal else "full"
    return Case("attention", f"{batch}x{heads}x{length}x{dim}-{mask}",
                "float16", prepare)


SIZES = (1024, 2048, 4096, 8192)

CASES = [
    add(1 << 28), gelu(1 << 28),
    *[softmax(n) for n in (1024, 4096, 16384)],
    *[layer_norm(n) for n in (1024, 4096, 16384)],
    *[seed_gemm(n, (64, 64, 32)) for n in SIZES],
    *[seed_gemm(n, (128, 128, 64)) for n in SIZES],
    *[gemm_fp16(n) for n in SIZES],
    gemm_fp8(8192),
    *[attention_seed(n) for n in (512, 4096, 16384)],
    *[attention(dim, length, causal) for dim in (64, 128)
      for length in (1024, 4096, 16384) for causal in (False, True)],
]
