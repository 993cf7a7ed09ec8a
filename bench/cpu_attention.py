"""Attention, full and causal, in fp32 and bf16."""

import math

import numpy as np

from cpu_case import Case, kernels, normal
from cpu_norms import softmax_reference

HEADS = 8


def inputs(rng, shape):
    return [normal(rng, shape) for _ in range(3)]


def ours(causal):
    def make(tensors):
        import torch

        q, k, v = tensors
        out = torch.empty_like(q)
        module = kernels("attention")
        # The fastest of a few; a large block wastes half its last keys where
        # they are hidden.
        block = (64, 64) if causal else (64, 128)
        return lambda: module.attention(q, k, v, causal=causal, out=out,
                                        block=block), out

    return make


def peers(causal):
    """In fp32 too: PyTorch's bf16 is slower on many CPUs."""
    def make(tensors):
        import torch

        call = torch.nn.functional.scaled_dot_product_attention
        calls = {}
        for dtype in dict.fromkeys((tensors[0].dtype, torch.float32)):
            q, k, v = (tensor.to(dtype) for tensor in tensors)
            name = f"sdpa {str(dtype).removeprefix('torch.')}"
            calls[name] = (lambda q=q, k=k, v=v: call(q, k, v,
                                                      is_causal=causal))
        return calls

    return make


def reference(causal):
    def compute(q, k, v):
        out = np.empty_like(q)
        length, dim = q.shape[-2:]
        hidden = np.triu(np.ones((length, length), bool), 1)
        for index in np.ndindex(q.shape[:-2]):
            scores = q[index] @ k[index].T
            scores /= math.sqrt(dim)
            if causal:
                scores[hidden] = -np.inf
            out[index] = softmax_reference(scores) @ v[index]
        return out

    return compute


def case(dtype, causal, length, dim):
    name = f"attention_{'fp32' if dtype == 'float32' else 'bf16'}"
    name += "_causal" if causal else "_full"
    flops = 4.0 * HEADS * length * length * dim / (2 if causal else 1)
    return Case(name, (1, HEADS, length, dim), dtype, inputs, ours(causal),
                peers(causal), reference(causal),
                1e-5 if dtype == "float32" else 1e-2, flops=flops,
                bytes=(16.0 if dtype == "float32" else 8.0) * HEADS * length
                * dim)


CASES = [case(dtype, causal, length, dim)
         for dtype in ("float32", "bfloat16") for causal in (False, True)
         for dim in (64, 128) for length in (512, 2048, 4096)]
