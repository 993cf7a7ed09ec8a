"""Cases of matrix products: the seed's kernel as printed, and ours."""

import importlib.util
import time

import numpy as np

from cpu_case import ROOT, Case, kernels, normal

SQUARE = (512, 1024, 2048)
SKINNY = ((1, 4096, 4096), (8, 4096, 4096), (32, 4096, 4096))


def seed_gemm(fp16_result: bool):
    """The seed's GEMM kernel as it is printed, or without its last cast."""
    source = (ROOT / "kernels/seeds/gemm.py").read_text()
    kernel = source[:source.index("def matmul(")]
    if not fp16_result:
        cast = "c = acc.to(tl.float16)"
        assert cast in kernel
        kernel = kernel.replace(cast, "c = acc")
    name = "gemm_seed_fp16" if fp16_result else "gemm_seed_fp32"
    path = ROOT / f"build/bench/{name}.py"
    path.write_text(kernel)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.matmul_kernel


def two_matrices(rng, shape):
    m, n, k = shape
    return [normal(rng, (m, k)), normal(rng, (k, n))]


def two_int8_matrices(rng, shape):
    m, n, k = shape
    return [rng.integers(-128, 128, (m, k), np.int8),
            rng.integers(-128, 128, (k, n), np.int8)]


def seed_ours(fp16_result):
    def ours(tensors):
        import torch

        a, b = tensors
        (m, k), n = a.shape, b.shape[1]
        c = torch.empty((m, n), dtype=a.dtype)
        kernel = seed_gemm(fp16_result)
        grid = (-(-m // 64), -(-n // 64))

        def call():
            kernel[grid](a, b, c, m, n, k, a.stride(0), a.stride(1),
                         b.stride(0), b.stride(1), c.stride(0), c.stride(1),
                         BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)

        return call, c

    return ours


def ours(tensors):
    import torch

    a, b = tensors
    dtype = torch.int32 if a.dtype == torch.int8 else a.dtype
    out = torch.empty((a.shape[0], b.shape[1]), dtype=dtype)
    module = kernels("matmul")
    return lambda: module.matmul(a, b, out=out), out


def fp32_calls(a, b):
    """The calls that multiply fp32, which a reduced precision competes with,
    too."""
    import torch

    a, b = a.float(), b.float()
    out = torch.empty((a.shape[0], b.shape[1]))
    x, y, z = a.numpy(), b.numpy(), np.empty(out.shape, np.float32)
    return {"torch.mm fp32": lambda: torch.mm(a, b, out=out),
            "numpy.matmul": lambda: np.matmul(x, y, out=z)}


def is_hopeless(reduced, a, b) -> bool:
    """Whether PyTorch's call on a reduced precision is twenty times slower than
    on fp32, in a small part; the whole would take minutes."""
    a, b = a[:256, :256].contiguous(), b[:256, :256].contiguous()
    times = []
    for call, x, y in ((reduced, a, b), (torch_mm, a.float(), b.float())):
        tries = []
        for _ in range(5):
            start = time.perf_counter()
            call(x, y)
            tries.append(time.perf_counter() - start)
        times.append(min(tries))
    return times[0] > 20 * times[1]


def torch_mm(a, b):
    import torch

    return torch.mm(a, b)


def peers(tensors):
    import torch

    a, b = tensors
    if a.dtype == torch.float32:
        return fp32_calls(a, b)
    calls = {"torch.mm fp32": fp32_calls(a, b)["torch.mm fp32"]}
    reduced = torch._int_mm if a.dtype == torch.int8 else torch_mm
    if not is_hopeless(reduced, a, b):
        name = "_int_mm" if a.dtype == torch.int8 else "mm"
        calls[f"torch.{name} {str(a.dtype)[6:]}"] = lambda: reduced(a, b)
    return calls


def interpreter_peer(tensors):
    """The same kernel in Triton's interpreter."""
    call, _ = seed_ours(True)(tensors)
    return {"triton interpreter": call}


def exact_product(a, b):
    """Of int8, whose sums float64 holds."""
    return a.astype(np.float64) @ b.astype(np.float64)


def case(name, shape, dtype, call, tolerance, **options):
    m, n, k = shape
    width, width_out = {"float32": (4, 4), "int8": (1, 4)}.get(dtype, (2, 2))
    options = {"inputs": two_matrices, "peers": peers,
               "reference": np.matmul} | options
    return Case(name, shape, dtype, options["inputs"], call, options["peers"],
                options["reference"], tolerance, flops=2.0 * m * n * k,
                bytes=float(width * (m * k + k * n) + width_out * m * n))


INT8 = {"inputs": two_int8_matrices, "reference": exact_product}
# bf16 rounds the result to 8 bits.
TYPES = (("float32", "fp32", 1e-3), ("bfloat16", "bf16", 1e-2),
         ("float16", "fp16", 2e-3))

CASES = [
    *(case("gemm_seed_fp32", (size,) * 3, "float32", seed_ours(False), 1e-3)
      for size in SQUARE),
    case("gemm_seed_fp16", (1024,) * 3, "float16", seed_ours(True), 2e-3),
    *(case(f"gemm_{short}", (size,) * 3, dtype, ours, tolerance)
      for dtype, short, tolerance in TYPES for size in SQUARE),
    *(case("gemm_int8", (size,) * 3, "int8", ours, 0, **INT8)
      for size in SQUARE),
    *(case(f"gemm_skinny_{short}", shape, dtype, ours, tolerance)
      for dtype, short, tolerance in TYPES[:2] for shape in SKINNY),
    case("gemm_seed_interpreter", (256,) * 3, "float16", seed_ours(True), 2e-3,
         peers=interpreter_peer),
]

SCALING = case("scaling", (1024,) * 3, "float32", ours, 1e-3)
