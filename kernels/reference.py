"""What the kernels are held to: NumPy in float64, and how far each may be off.

A result `got` passes where `|got - want| <= atol + rtol * |want|`. The inputs
are rounded to the dtype before the reference sees them, so that a tolerance is
about the kernel alone: the rounding of its result, and of what it computes on
the way.
"""

import math

import numpy as np

# Kernel -> dtype -> (atol, rtol). "tf32" is float32 where matrices are multiplied
# with factors rounded to 11 bits, as GPUs do unless told otherwise.
TOLERANCES = {
    "vector_add": {
        "float64": (0, 2e-16), "float32": (0, 6e-8), "float16": (0, 5e-4),
        "bfloat16": (0, 4e-3),
    },
    "relu": {
        "float32": (0, 0), "float16": (0, 0), "bfloat16": (0, 0),
    },
    "silu": {
        "float32": (1e-7, 1e-6), "float16": (1e-6, 6e-4),
        "bfloat16": (1e-6, 5e-3),
    },
    "gelu": {
        "float32": (5e-7, 1e-6), "float16": (1e-6, 6e-4),
        "bfloat16": (1e-6, 5e-3),
    },
    "gelu_tanh": {
        "float32": (5e-7, 1e-6), "float16": (1e-6, 6e-4),
        "bfloat16": (1e-6, 5e-3),
    },
    "bias_add": {
        "float32": (0, 6e-8), "float16": (0, 5e-4), "bfloat16": (0, 4e-3),
    },
    "softmax": {
        "float32": (1e-8, 2e-6), "float16": (1e-7, 6e-4),
        "bfloat16": (1e-7, 5e-3),
    },
    "layer_norm": {
        "float32": (2e-6, 4e-6), "float16": (1e-3, 1e-3),
        "bfloat16": (8e-3, 8e-3),
    },
    "layer_norm_backward": {
        "float32": (1e-4, 1e-5), "float16": (4e-3, 2e-3),
        "bfloat16": (3e-2, 1e-2),
    },
    "rms_norm": {
        "float32": (2e-6, 4e-6), "float16": (1e-3, 1e-3),
        "bfloat16": (8e-3, 8e-3),
    },
    "rms_norm_backward": {
        "float32": (1e-4, 1e-5), "float16": (4e-3, 2e-3),
        "bfloat16": (3e-2, 1e-2),
    },
    "matmul": {
        "float32": (5e-4, 1e-5), "float16": (5e-3, 1e-3),
        "bfloat16": (5e-3, 8e-3), "tf32": (5e-2, 1e-3),
        "float8_e4m3fn": (0, 0), "float8_e5m2": (0, 0),  # of whole numbers
    },
    "attention": {
        "float32": (1e-5, 1e-5), "float16": (2e-3, 2e-3),
        "bfloat16": (1e-2, 1e-2), "tf32": (5e-3, 5e-3),
    },
    "cumsum": {
        "float32": (3e-5, 3e-6), "float16": (3e-4, 6e-4),
        "bfloat16": (3e-4, 5e-3),
    },
    # Moved, and sums of small whole numbers.
    "embedding": {
        "float32": (0, 0), "float16": (0, 0), "bfloat16": (0, 0),
    },
    "embedding_backward": {
        "float32": (0, 0), "float16": (0, 0), "bfloat16": (0, 0),
    },
    "scatter_add": {
        "float32": (0, 6e-8), "float16": (0, 5e-4), "bfloat16": (0, 4e-3),
    },
    "cross_entropy": {
        "float32": (2e-6, 1e-6), "float16": (2e-6, 1e-6),
        "bfloat16": (2e-6, 1e-6),
    },
    "seed_vector_add": {"float32": (0, 6e-8)},
    "seed_gemm": {"float16": (5e-3, 1e-3), "float32": (5e-4, 1e-5)},
    "seed_attention": {"float16": (4e-3, 4e-3)},
    "seed_gelu": {"float32": (2e-6, 4e-6)},
    "seed_tutorial_gemm": {"float16": (5e-3, 1e-3)},
}

_erf = np.vectorize(math.erf, otypes=[np.float64])


def add(x, y):
    return x + y


def relu(x):
    return np.maximum(x, 0)


def silu(x):
    return x / (1 + np.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + _erf(x / math.sqrt(2)))


def gelu_tanh(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + np.tanh(inner))


def bias_add(x, bias):
    return x + bias


def softmax(x):
    shifted = np.exp(x - x.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + eps)
    return (x - mean) * rstd * weight + bias


def layer_norm_backward(grad, x, weight, bias, eps=1e-5):
    mean = x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + eps)
    normal = (x - mean) * rstd
    scaled = grad * weight
    along = (normal * scaled).mean(axis=1, keepdims=True)
    level = scaled.mean(axis=1, keepdims=True)
    return ((scaled - normal * along - level) * rstd,
            (grad * normal).sum(axis=0), grad.sum(axis=0))


def rms_norm(x, weight, eps=1e-6):
    rstd = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps)
    return x * rstd * weight


def rms_norm_backward(grad, x, weight, eps=1e-6):
    rstd = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps)
    normal = x * rstd
    scaled = grad * weight
    along = (normal * scaled).mean(axis=1, keepdims=True)
    return (scaled - normal * along) * rstd, (grad * normal).sum(axis=0)


def cumsum(x):
    return np.cumsum(x, axis=1)


def embedding(ids, table):
    return table[ids.astype(int)]


def embedding_backward(ids, grad, num_rows):
    result = np.zeros((num_rows, grad.shape[1]))
    np.add.at(result, ids.astype(int), grad)
    return result


def scatter_add(ids, rows, table):
    result = table.copy()
    result[ids.astype(int)] += rows
    return result


def cross_entropy(logits, targets):
    top = logits.max(axis=1)
    total = np.exp(logits - top[:, None]).sum(axis=1)
    chosen = logits[np.arange(len(targets)), targets.astype(int)]
    return np.log(total) + top - chosen


def matmul(a, b, activation=""):
    c = a @ b
    if activation == "leaky_relu":
        return np.where(c >= 0, c, 0.01 * c)
    return silu(c) if activation == "silu" else c


def attention(q, k, v, causal=False, scale=None):
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = q @ np.swapaxes(k, -1, -2) * scale
    if causal:
        rows = np.arange(q.shape[-2])[:, None]
        scores = np.where(rows >= np.arange(k.shape[-2]), scores, -np.inf)
    return softmax(scores) @ v


def excess(kernel: str, dtype: str, got, want) -> tuple[float, float]:
    """The largest error, and the largest multiple of what is allowed: up to
    one passes. What is not a number where a number is wanted is infinitely
    wrong."""
    atol, rtol = TOLERANCES[kernel][dtype]
    if got.shape != want.shape:
        raise ValueError(f"{kernel}: shape {got.shape}, expected {want.shape}")
    error = np.abs(got.astype(np.float64) - want)
    error = np.where(np.isfinite(error), error, np.inf)
    allowed = atol + rtol * np.abs(want)
    with np.errstate(divide="ignore", invalid="ignore"):
        multiple = np.where(error == 0, 0, error / allowed)
    return float(error.max(initial=0)), float(multiple.max(initial=0))
