from tesela import (Autotuner, Config, Heuristics, JITFunction,
                    KernelInterface, MockTensor, OutOfResources, TensorWrapper,
                    autotune, heuristics, reinterpret)

from . import autotuner, cache, errors, jit
from .driver import driver

__all__ = [
    "Autotuner", "Config", "Heuristics", "JITFunction", "KernelInterface",
    "MockTensor", "OutOfResources", "TensorWrapper", "autotune", "driver",
    "heuristics", "reinterpret",
]
