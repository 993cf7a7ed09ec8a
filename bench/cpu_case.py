"""A case of the CPU bench: inputs, our call, the peers' calls, the reference.

Inputs come from one seed, so that both workers have the same. Outputs are
allocated beforehand on both sides, where the peer has a call that takes one.
"""

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
    # (rng, shape) -> the inputs as arrays; floats are converted to the dtype
    inputs: Callable
    # (tensors) -> a call and the tensors that it fills; None where it gives them
    ours: Callable
    # (tensors) -> the peers' calls by name
    peers: Callable
    # (arrays, floats as float64) -> the result, or a tuple of results
    reference: Callable
    # the largest error, absolute and relative to the reference; of each result
    tolerance: float | tuple
    shape_text: str = field(default="")
    # What a call computes, and moves at least to and from memory.
    flops: float = 0
    bytes: float = 0

    def __post_init__(self):
        self.shape_text = self.shape_text or "x".join(map(str, self.shape))

    def tensors(self):
        import torch

        rng = np.random.default_rng(0)
        return [torch.from_numpy(array).to(getattr(torch, self.dtype))
                if array.dtype.kind == "f" else torch.from_numpy(array)
                for array in self.inputs(rng, self.shape)]


def set_threads(threads: int):
    import torch

    torch.set_num_threads(threads)


def as_tuple(value) -> tuple:
    return value if isinstance(value, tuple) else (value,)


def to_array(tensor) -> np.ndarray:
    return (tensor.double() if tensor.is_floating_point() else tensor).numpy()


def prepare_tesela(case: Case):
    """Our call, compiled and checked, and its largest error."""
    import tesela

    tesela.install_as_triton()
    tensors = case.tensors()
    # Before the call: what it updates in place is among the inputs.
    wanted = as_tuple(case.reference(*map(to_array, tensors)))
    call, outs = case.ours(tensors)
    if outs is not None:
        for out in as_tuple(outs):
            if not any(out is tensor for tensor in tensors):
                out.fill_(math.nan if out.is_floating_point() else -1)
    results = call()
    results = as_tuple(outs if outs is not None else results)
    tolerances = as_tuple(case.tolerance) * (
        1 if isinstance(case.tolerance, tuple) else len(wanted))
    largest = 0.0
    for result, want, tolerance in zip(results, wanted, tolerances,
                                       strict=True):
        error = np.abs(to_array(result) - want)
        largest = max(largest, float(error.max()))
        if not np.all(error <= tolerance * (1 + np.abs(want))):
            raise AssertionError(f"{case.name} {case.shape_text} {case.dtype}: "
                                 f"the largest error is {error.max()}")
    return call, largest


def prepare_peer(case: Case) -> dict:
    return case.peers(case.tensors())


def normal(rng, shape):
    return rng.standard_normal(shape, dtype=np.float32)


def kernels(name: str):
    return __import__(f"kernels.{name}", fromlist=["_"])
