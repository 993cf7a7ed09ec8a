"""The cases of the CPU bench, of all kinds, and those of matrix products."""

import importlib.util
from dataclasses import replace

import numpy as np

import cpu_attention
import cpu_elementwise
import cpu_norms
import cpu_unstructured
from cpu_case import ROOT, Case, kernels, normal


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


#===----------------------------------------------------------------------===#
# Matrix products
#===----------------------------------------------------------------------===#


def two_matrices(rng, shape):
    m, n, k = shape
    return [normal(rng, (m, k)), normal(rng, (k, n))]


def gemm_seed_ours(fp16_result):
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


def gemm_fp32_peers(tensors):
    import torch

    a, b = tensors
    out = torch.empty((a.shape[0], b.shape[1]))
    x, y, z = a.numpy(), b.numpy(), np.empty(out.shape, np.float32)
    return {"torch.mm": lambda: torch.mm(a, b, out=out),
            "numpy.matmul": lambda: np.matmul(x, y, out=z)}


def gemm_fp16_peers(tensors):
    import torch

    a, b = tensors
    half = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype)
    x, y = a.float(), b.float()
    single = torch.empty(half.shape)
    return {"torch.mm fp16": lambda: torch.mm(a, b, out=half),
            "torch.mm fp32": lambda: torch.mm(x, y, out=single)}


def interpreter_peer(tensors):
    """The same kernel in Triton's interpreter."""
    call, _ = gemm_seed_ours(True)(tensors)
    return {"triton interpreter": call}


#===----------------------------------------------------------------------===#
# Scaling
#===----------------------------------------------------------------------===#


def small_gelu_ours(tensors):
    """The launch alone: a host's Python runs on one thread in any case."""
    import torch

    (x,) = tensors
    out = torch.empty_like(x)
    kernel = kernels("activations").gelu_tanh_kernel
    n = x.numel()
    launch = kernel[(n // 4096,)]
    return lambda: launch(x, out, n, BLOCK=4096), out


def scaling(case, shape_text):
    """A row of ours with all threads against ours with one."""
    return replace(case, name="scaling", shape_text=shape_text)


GEMM = (1024, 1024, 1024)

CASES = [
    *cpu_elementwise.CASES,
    *cpu_norms.CASES,
    Case("gemm_seed_fp32", GEMM, "float32", two_matrices,
         gemm_seed_ours(False), gemm_fp32_peers, np.matmul, 1e-3,
         flops=2.0 * 1024 ** 3, bytes=12.0 * 1024 ** 2),
    Case("gemm_seed_fp16", GEMM, "float16", two_matrices,
         gemm_seed_ours(True), gemm_fp16_peers, np.matmul, 2e-3,
         flops=2.0 * 1024 ** 3, bytes=6.0 * 1024 ** 2),
    *cpu_attention.CASES,
    *cpu_unstructured.CASES,
    Case("gemm_seed_interpreter", (256, 256, 256), "float16", two_matrices,
         gemm_seed_ours(True), interpreter_peer, np.matmul, 2e-3),
]

SCALING = [
    scaling(cpu_attention.case("float32", False, 2048, 64),
            "attention_fp32_full 1x8x2048x64"),
    scaling(replace(cpu_elementwise.activation(
        "gelu_tanh", cpu_elementwise.GELU_TANH, 1 << 14, "float32", 45),
        ours=small_gelu_ours), "gelu_tanh 16384"),
]
