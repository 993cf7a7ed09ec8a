"""Rows of a table by their numbers, and losses of classes by theirs."""

import numpy as np

from cpu_case import Case, kernels, normal

TABLE = (32 << 10, 1024)
TOKENS = 8 << 10
CLASSES = (1024, 32 << 10)


def embedding_inputs(rng, shape):
    return [rng.integers(0, TABLE[0], TOKENS), normal(rng, TABLE)]


def embedding_ours(tensors):
    import torch

    ids, table = tensors
    out = torch.empty((TOKENS, TABLE[1]))
    module = kernels("embedding")
    return lambda: module.embedding(ids, table, out=out), out


def embedding_peers(tensors):
    import torch

    ids, table = tensors
    out = torch.empty((TOKENS, TABLE[1]))
    function = torch.nn.functional.embedding
    return {
        "torch.embedding": lambda: function(ids, table),
        "torch.index_select out=":
            lambda: torch.index_select(table, 0, ids, out=out),
    }


def scatter_inputs(rng, shape):
    return [rng.permutation(TABLE[0])[:TOKENS], normal(rng, (TOKENS, TABLE[1])),
            normal(rng, TABLE)]


def scatter_ours(tensors):
    ids, grad, table = tensors
    module = kernels("embedding")
    return lambda: module.scatter_add(ids, grad, table, unique=True), table


def scatter_peers(tensors):
    import torch

    ids, grad, table = tensors
    everywhere = ids[:, None].expand_as(grad)
    dense = torch.ops.aten.embedding_dense_backward
    return {
        "torch.index_add_": lambda: table.index_add_(0, ids, grad),
        "torch.scatter_add_": lambda: table.scatter_add_(0, everywhere, grad),
        "embedding_dense_backward": lambda: dense(grad, ids, TABLE[0], -1,
                                                  False),
    }


def scatter_reference(ids, grad, table):
    result = table.copy()
    result[ids] += grad
    return result


def cross_entropy_inputs(rng, shape):
    return [normal(rng, shape), rng.integers(0, shape[1], shape[0])]


def cross_entropy_ours(tensors):
    import torch

    logits, targets = tensors
    out = torch.empty(len(targets))
    module = kernels("cross_entropy")
    return lambda: module.cross_entropy(logits, targets, out=out), out


def cross_entropy_peers(tensors):
    import torch

    logits, targets = tensors
    function = torch.nn.functional.cross_entropy

    def by_hand():
        picked = logits.gather(1, targets[:, None])[:, 0]
        return torch.logsumexp(logits, 1) - picked

    return {
        "torch.cross_entropy":
            lambda: function(logits, targets, reduction="none"),
        "torch.logsumexp - gather": by_hand,
    }


def cross_entropy_reference(logits, targets):
    top = logits.max(axis=1)
    total = np.exp(logits - top[:, None]).sum(axis=1)
    return np.log(total) + top - logits[np.arange(len(targets)), targets]


TEXT = f"{TOKENS} of {TABLE[0]}x{TABLE[1]}"
MOVED = 4.0 * TOKENS * TABLE[1]

CASES = [
    Case("embedding", TABLE, "float32", embedding_inputs, embedding_ours,
         embedding_peers, lambda ids, table: table[ids], 0, shape_text=TEXT,
         bytes=2 * MOVED),
    Case("scatter_add", TABLE, "float32", scatter_inputs, scatter_ours,
         scatter_peers, scatter_reference, 1e-6, shape_text=TEXT,
         flops=MOVED / 4, bytes=3 * MOVED),
    Case("cross_entropy", CLASSES, "float32", cross_entropy_inputs,
         cross_entropy_ours, cross_entropy_peers, cross_entropy_reference, 1e-5,
         flops=22.0 * CLASSES[0] * CLASSES[1],
         bytes=4.0 * CLASSES[0] * CLASSES[1]),
]
