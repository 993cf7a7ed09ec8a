"""Cases that take one element after the other."""

import math

import numpy as np

from cpu_case import Case, kernels, normal


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


def activation_ours(name, **options):
    def ours(tensors):
        import torch

        (x,) = tensors
        out = torch.empty_like(x)
        call = getattr(kernels("activations"), name)
        return lambda: call(x, out=out, **options), out

    return ours


def activation_peers(name, **options):
    """The function, which makes its result, and what it calls, which can fill
    one; of fp32 too where the case's dtype is another."""
    def peers(tensors):
        import torch

        function = getattr(torch.nn.functional, name)
        filling = getattr(torch._C._nn, name)
        calls = {}
        for x in {t.dtype: t for t in (tensors[0], tensors[0].float())}.values():
            out = torch.empty_like(x)
            dtype = str(x.dtype).removeprefix("torch.")
            calls[f"torch.{name} {dtype}"] = (
                lambda x=x: function(x, **options))
            calls[f"torch.{name} {dtype} out="] = (
                lambda x=x, out=out: filling(x, **options, out=out))
        return calls

    return peers


def gelu_tanh_reference(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi)
                                  * (x + 0.044715 * x ** 3)))


def gelu_erf_reference(x):
    import torch

    return 0.5 * x * (1 + torch.erf(torch.from_numpy(x / math.sqrt(2))).numpy())


def silu_reference(x):
    return x / (1 + np.exp(-x))


GELU_TANH = (activation_ours("gelu", approximate="tanh"),
             activation_peers("gelu", approximate="tanh"), gelu_tanh_reference)
GELU_ERF = (activation_ours("gelu"), activation_peers("gelu"),
            gelu_erf_reference)
SILU = activation_ours("silu"), activation_peers("silu"), silu_reference


def one(rng, shape):
    return [normal(rng, shape)]


def two(rng, shape):
    return [normal(rng, shape), normal(rng, shape)]


def activation(name, functions, n, dtype, flops):
    """`flops` of an element, of the polynomials that compute it, about."""
    return Case(name, (n,), dtype, one, *functions,
                1e-6 if dtype == "float32" else 5e-3, flops=flops * n,
                bytes=n * (8 if dtype == "float32" else 4))


CASES = [
    Case("add", (1 << log,), "float32", two, add_ours, add_peers, np.add, 1e-6,
         flops=1 << log, bytes=12 << log)
    for log in (16, 20, 26)
] + [
    activation(name, functions, 1 << 24, dtype, flops)
    for name, functions, flops in (("gelu_tanh", GELU_TANH, 45),
                                   ("gelu_erf", GELU_ERF, 50),
                                   ("silu", SILU, 25))
    for dtype in ("float32", "bfloat16")
]
