"""Tesela: kernels of the Triton language, compiled for this machine's CPU.

    @tesela.jit
    def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr): …

    add_kernel[(tesela.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
"""

from . import _binding, language
from .autotuner import Autotuner, Config, Heuristics, Wrapper
from .autotuner import autotune, heuristics
from .device import device, set_device
from .errors import (AutotunerError, CompileError, Diagnostic, OutOfResources,
                     TeselaError)
from .install import install_as_triton
from .jit import (JITFunction, KernelInterface, MockTensor, TensorWrapper,
                  constexpr_function, jit, reinterpret)

__version__ = _binding.version()

__all__ = [
    "Autotuner", "AutotunerError", "CompileError", "Config", "Diagnostic",
    "Heuristics", "JITFunction", "KernelInterface", "MockTensor",
    "OutOfResources", "TensorWrapper", "TeselaError", "autotune", "cdiv",
    "constexpr_function", "device", "heuristics", "install_as_triton", "jit",
    "language", "next_power_of_2", "reinterpret", "set_allocator",
    "set_device", "testing",
]

_binding.setup(language.constexpr, language.dtype, language.Builtin, Wrapper,
               CompileError, Diagnostic)


@constexpr_function
def cdiv(x, y):
    """`x / y`, rounded up."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n):
    """The smallest power of two that is at least `n`."""
    n -= 1
    n |= n >> 1
    n |= n >> 2
    n |= n >> 4
    n |= n >> 8
    n |= n >> 16
    n |= n >> 32
    n += 1
    return n


def set_allocator(allocator):
    """Accepted for Triton's sake: no kernel needs memory of the host's here."""


def __getattr__(name):
    if name == "testing":  # imported when it is used
        import importlib

        return importlib.import_module(".testing", __name__)
    raise AttributeError(f"module 'tesela' has no attribute {name!r}")
