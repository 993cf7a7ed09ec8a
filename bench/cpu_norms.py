"""Cases that take one row after the other: softmax and normalisations."""

import numpy as np

from cpu_case import Case, kernels, normal


def rows_and_vectors(matrices, vectors):
    def inputs(rng, shape):
        return ([normal(rng, shape) for _ in range(matrices)]
                + [normal(rng, shape[1:]) for _ in range(vectors)])

    return inputs


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
    e = x - x.max(axis=1, keepdims=True)
    np.exp(e, out=e)
    e /= e.sum(axis=1, keepdims=True)
    return e


#===----------------------------------------------------------------------===#
# Forward
#===----------------------------------------------------------------------===#


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
    centred = x - x.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", centred, centred) / x.shape[1]
    centred /= np.sqrt(variance + 1e-5)[:, None]
    return centred * weight + bias


def rms_norm_ours(tensors):
    import torch

    x, weight = tensors
    out = torch.empty_like(x)
    module = kernels("rms_norm")
    return lambda: module.rms_norm(x, weight, out=out), out


def rms_norm_by_hand(x, weight, out=None):
    import torch

    rstd = torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-6)
    return torch.mul(x * rstd, weight, out=out)


def rms_norm_peers(tensors):
    import torch

    x, weight = tensors
    out = torch.empty_like(x)
    call = torch.nn.functional.rms_norm
    return {"torch.rms_norm": lambda: call(x, x.shape[1:], weight, 1e-6),
            "by hand": lambda: rms_norm_by_hand(x, weight, out)}


def rms_rstd(x):
    return 1 / np.sqrt(np.einsum("ij,ij->i", x, x) / x.shape[1] + 1e-6)[:, None]


def rms_norm_reference(x, weight):
    return x * rms_rstd(x) * weight


#===----------------------------------------------------------------------===#
# Backward
#===----------------------------------------------------------------------===#


def layer_norm_backward_ours(tensors):
    import torch

    grad, x, weight, bias = tensors
    module = kernels("layer_norm")
    _, mean, rstd = module.layer_norm(x, weight, bias)
    out = torch.full_like(x, torch.nan)
    return lambda: module.layer_norm_backward(grad, x, weight, bias, mean, rstd,
                                              out=out), None


def gradients(forward, grad, *inputs):
    """A call for the gradients alone; the graph stays."""
    import torch

    leaves = [tensor.clone().requires_grad_() for tensor in inputs]
    result = forward(*leaves)
    return lambda: torch.autograd.grad(result, leaves, grad, retain_graph=True)


def layer_norm_backward_peers(tensors):
    import torch

    grad, x, weight, bias = tensors
    shape = x.shape[1:]
    function = torch.nn.functional.layer_norm
    native = torch.ops.aten.native_layer_norm_backward
    _, mean, rstd = torch.native_layer_norm(x, shape, weight, bias, 1e-5)
    outs = [torch.empty_like(t) for t in (x, weight, bias)]
    arguments = grad, x, shape, mean, rstd, weight, bias, [True] * 3
    return {
        "autograd": gradients(lambda *a: function(a[0], shape, *a[1:]), grad, x,
                              weight, bias),
        "native_layer_norm_backward": lambda: native(*arguments),
        "native_layer_norm_backward out=": lambda: native.out(
            *arguments, out0=outs[0], out1=outs[1], out2=outs[2]),
    }


def layer_norm_backward_reference(grad, x, weight, bias):
    n = x.shape[1]
    centred = x - x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(np.einsum("ij,ij->i", centred, centred) / n + 1e-5)
    centred *= rstd[:, None]
    scaled = grad * weight
    along = np.einsum("ij,ij->i", centred, scaled) / n
    level = scaled.mean(axis=1, keepdims=True)
    grad_weight = np.einsum("ij,ij->j", grad, centred)
    centred *= along[:, None]
    scaled -= centred
    scaled -= level
    scaled *= rstd[:, None]
    return scaled, grad_weight, grad.sum(axis=0)


def rms_norm_backward_ours(tensors):
    import torch

    grad, x, weight = tensors
    module = kernels("rms_norm")
    _, rstd = module.rms_norm(x, weight)
    out = torch.full_like(x, torch.nan)
    return lambda: module.rms_norm_backward(grad, x, weight, rstd,
                                            out=out), None


def rms_norm_backward_peers(tensors):
    import torch

    grad, x, weight = tensors
    function = torch.nn.functional.rms_norm
    rstd = torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-6)

    def by_hand():
        normal = x * rstd
        scaled = grad * weight
        along = (normal * scaled).mean(1, keepdim=True)
        grad_weight = (grad * normal).sum(0)
        return scaled.sub_(normal.mul_(along)).mul_(rstd), grad_weight

    return {
        "autograd": gradients(lambda *a: function(a[0], x.shape[1:], a[1],
                                                  1e-6), grad, x, weight),
        "autograd, by hand": gradients(rms_norm_by_hand, grad, x, weight),
        "by hand": by_hand,
    }


def rms_norm_backward_reference(grad, x, weight):
    rstd = rms_rstd(x)
    normal = x * rstd
    scaled = grad * weight
    along = np.einsum("ij,ij->i", normal, scaled)[:, None] / x.shape[1]
    grad_weight = np.einsum("ij,ij->j", grad, normal)
    normal *= along
    scaled -= normal
    scaled *= rstd
    return scaled, grad_weight


# A sum over the rows is as exact as one over so many.
BACKWARD = (1e-5, 2e-3, 2e-3)

ELEMENTS = 1 << 24
# Functions, matrices read, vectors read, tolerance, flops of an element.
KINDS = {
    "softmax": (softmax_ours, softmax_peers, softmax_reference, 1, 0, 1e-6, 25),
    "layer_norm": (layer_norm_ours, layer_norm_peers, layer_norm_reference, 1,
                   2, 1e-5, 8),
    "rms_norm": (rms_norm_ours, rms_norm_peers, rms_norm_reference, 1, 1, 1e-5,
                 4),
    "layer_norm_backward": (layer_norm_backward_ours, layer_norm_backward_peers,
                            layer_norm_backward_reference, 2, 2, BACKWARD, 14),
    "rms_norm_backward": (rms_norm_backward_ours, rms_norm_backward_peers,
                          rms_norm_backward_reference, 2, 1, BACKWARD[:2], 9),
}

CASES = [
    Case(name, (ELEMENTS // columns, columns), "float32",
         rows_and_vectors(matrices, vectors), ours, peers, reference, tolerance,
         flops=flops * ELEMENTS, bytes=4 * ELEMENTS * (matrices + 1))
    for name, (ours, peers, reference, matrices, vectors, tolerance,
               flops) in KINDS.items()
    for columns in (256, 1024, 4096, 16384)
]
