"""The cases of the CPU bench, of all kinds."""

from dataclasses import replace

import cpu_attention
import cpu_elementwise
import cpu_gemm
import cpu_norms
import cpu_unstructured
from cpu_case import kernels


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


CASES = [
    *cpu_elementwise.CASES,
    *cpu_norms.CASES,
    *cpu_gemm.CASES,
    *cpu_attention.CASES,
    *cpu_unstructured.CASES,
]

SCALING = [
    scaling(cpu_gemm.SCALING, "gemm_fp32 1024x1024x1024"),
    scaling(cpu_attention.case("float32", False, 2048, 64),
            "attention_fp32_full 1x8x2048x64"),
    scaling(replace(cpu_elementwise.activation(
        "gelu_tanh", cpu_elementwise.GELU_TANH, 1 << 14, "float32", 45),
        ours=small_gelu_ours), "gelu_tanh 16384"),
]
