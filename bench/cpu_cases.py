"""The cases of the CPU bench: inputs, our call, the peers' calls, the reference.

Inputs come from one seed, so that both workers have the same. Outputs are
allocated beforehand on both sides, where the peer's call takes one.
"""

import importlib.util
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


@dataclass
class Case:
    name: str
    shape: tuple
    dtype: str
    # (rng, shape) -> the inputs, as float32 arrays
    inputs: Callable
    # (tensors) -> a call and the tensor that it fills
    ours: Callable
    # (tensors) -> the peers' calls by name
    peers: Callable
    # (float64 arrays) -> the result
    reference: Callable
    # the largest error, absolute and relative to the reference
    tolerance: float
    shape_text: str = field(default="")

    def __post_init__(self):
        self.shape_text = self.shape_text or "x".join(map(str, self.shape))

    def tensors(self):
        import torch

        rng = np.random.default_rng(0)
        return [torch.from_numpy(array).to(getattr(torch, self.dtype))
                for array in self.inputs(rng, self.shape)]


def set_threads(threads: int):
    import torch

    torch.set_num_threads(threads)


def prepare_tesela(case: Case):
    """Our call, compiled and checked, and its largest error."""
    import tesela
    import torch

    tesela.install_as_triton()
    tensors = case.tensors()
    call, out = case.ours(tensors)
    out.fill_(math.nan)
    call()
    got = out.double().numpy()
    want = case.reference(*[t.double().numpy() for t in tensors])
    error = float(np.max(np.abs(got - want)))
    allowed = case.tolerance * (1 + np.abs(want))
    if not np.all(np.abs(got - want) <= allowed):
        raise AssertionError(f"{case.name}: the largest error is {error}")
    return call, error


def prepare_peer(case: Case) -> dict:
    return case.peers(case.tensors())


def normal(rng, shape):
    return rng.standard_normal(shape, dtype=np.float32)


def kernels(name: str):
    return __import__(f"kernels.{name}", fromlist=["_"])


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
# Element-wise
#===----------------------------------------------------------------------===#


def add_ours(tensors):
    import torch

    x, y = tensors
    out = torch.empty_like(x)
    module = kernels("vector_add")
    return lambda: module.add(x, y, out=out), out


def add_peers(tensors):
    import torch

    x, y = tensors
    out = torch.empty_like(x)
    a, b, c = x.numpy(), y.numpy(), np.empty_like(x.numpy())
    return {"torch.add": lambda: torch.add(x, y, out=out),
            "numpy.add": lambda: np.add(a, b, out=c)}


def gelu_tanh_ours(tensors):
    import torch

    (x,) = tensors
    out = torch.empty_like(x)
    module = kernels("activations")
    return lambda: module.gelu(x, approximate="tanh", out=out), out


def gelu_tanh_peers(tensors):
    import torch

    (x,) = tensors
    gelu = torch.nn.functional.gelu
    return {"torch.gelu": lambda: gelu(x, approximate="tanh")}


def gelu_tanh_reference(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi)
                                  * (x + 0.044715 * x ** 3)))


#===----------------------------------------------------------------------===#
# Rows
#===----------------------------------------------------------------------===#


def softmax_ours(tensors):
    import torch

    (x,) = tensors
    out = torch.empty_like(x)
    module = kernels("softmax")
    return lambda: module.softmax(x, out=out), out


def softmax_peers(tensors):
    import torch

    (x,) = tensors
    out = torch.empty_like(x)
    return {"torch.softmax": lambda: torch.softmax(x, 1, out=out)}


def softmax_reference(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm_inputs(rng, shape):
    return [normal(rng, shape), normal(rng, shape[1:]), normal(rng, shape[1:])]


def layer_norm_ours(tensors):
    import torch

    x, weight, bias = tensors
    out = torch.empty_like(x)
    module = kernels("layer_norm")
    return lambda: module.layer_norm(x, weight, bias, out=out), out


def layer_norm_peers(tensors):
    import torch

    x, weight, bias = tensors
    call = torch.nn.functional.layer_norm
    return {"torch.layer_norm": lambda: call(x, x.shape[1:], weight, bias)}


def layer_norm_reference(x, weight, bias):
    mean = x.mean(axis=1, keepdims=True)
    variance = x.var(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * weight + bias


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
# Attention
#===----------------------------------------------------------------------===#


def attention_inputs(rng, shape):
    return [normal(rng, shape) for _ in range(3)]


def attention_ours(causal):
    def ours(tensors):
        import torch

        q, k, v = tensors
        out = torch.empty_like(q)
        module = kernels("attention")
        return lambda: module.attention(q, k, v, causal=causal, out=out), out

    return ours


def attention_peers(causal):
    def peers(tensors):
        import torch

        q, k, v = tensors
        call = torch.nn.functional.scaled_dot_product_attention
        return {"sdpa": lambda: call(q, k, v, is_causal=causal)}

    return peers


def attention_reference(causal):
    def reference(q, k, v):
        out = np.empty_like(q)
        length, dim = q.shape[-2:]
        hidden = np.triu(np.ones((length, length), bool), 1)
        for index in np.ndindex(q.shape[:-2]):
            scores = q[index] @ k[index].T / math.sqrt(dim)
            if causal:
                scores[hidden] = -np.inf
            out[index] = softmax_reference(scores) @ v[index]
        return out

    return reference


ATTENTION = (1, 8, 2048, 64)
GEMM = (1024, 1024, 1024)

CASES = [
    Case("add", (1 << 26,), "float32",
         lambda rng, shape: [normal(rng, shape), normal(rng, shape)],
         add_ours, add_peers, np.add, 1e-6),
    Case("gelu_tanh", (1 << 24,), "float32",
         lambda rng, shape: [normal(rng, shape)],
         gelu_tanh_ours, gelu_tanh_peers, gelu_tanh_reference, 1e-6),
    Case("softmax", (4096, 4096), "float32",
         lambda rng, shape: [normal(rng, shape)],
         softmax_ours, softmax_peers, softmax_reference, 1e-6),
    Case("layer_norm", (4096, 4096), "float32", layer_norm_inputs,
         layer_norm_ours, layer_norm_peers, layer_norm_reference, 1e-5),
    Case("gemm_seed_fp32", GEMM, "float32", two_matrices,
         gemm_seed_ours(False), gemm_fp32_peers, np.matmul, 1e-3),
    Case("gemm_seed_fp16", GEMM, "float16", two_matrices,
         gemm_seed_ours(True), gemm_fp16_peers, np.matmul, 2e-3),
    Case("attention_fp32_full", ATTENTION, "float32", attention_inputs,
         attention_ours(False), attention_peers(False),
         attention_reference(False), 1e-5),
    Case("attention_fp32_causal", ATTENTION, "float32", attention_inputs,
         attention_ours(True), attention_peers(True),
         attention_reference(True), 1e-5),
    Case("gemm_seed_interpreter", (256, 256, 256), "float16", two_matrices,
         gemm_seed_ours(True), interpreter_peer, np.matmul, 2e-3),
]
