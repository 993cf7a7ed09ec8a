"""Tesela: kernels of the Triton language, compiled for CPUs and GPUs.

    @tesela.jit
    def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr): …

    add_kernel[(tesela.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
"""

from . import _binding, language
from .autotuner import Autotuner, Config, Heuristics, Wrapper
from .autotuner import autotune, heuristics
from .device import device, set_device, synchronize
from .errors import (AutotunerError, CompilationWarning, CompileError,
                     Diagnostic, OutOfResources, TeselaError)
from .install import install_as_triton
from .jit import (JITFunction, KernelInterface, MockTensor, TensorWrapper,
                  constexpr_function, jit, reinterpret)

__version__ = _binding.version()

__all__ = [
    "Autotuner", "AutotunerError", "CompilationWarning", "CompileError",
    "Config", "Diagnostic", "Heuristics", "JITFunction", "KernelInterface",
    "MockTensor", "OutOfResources", "TensorWrapper", "TeselaError",
    "autotune", "cdiv", "constexpr_function", "device", "heuristics",
    "install_as_triton", "jit", "language", "next_power_of_2", "reinterpret",
    "set_allocator", "set_device", "synchronize", "testing",
]

_binding.setup(language.constexpr, language.dtype, language.Builtin, Wrapper,
               CompileError, Diagnostic, OutOfResources, CompilationWarning)


def _cdiv(x, y):
    return (x + y - 1) // y


def _next_power_of_2(n):
    return 1 << (n - 1).bit_length() if n > 0 else 0


# `x / y`, rounded up; and the smallest power of two that is at least `n`.
# Kernels may call them, too.
cdiv = language.Builtin("triton.cdiv", _cdiv)
next_power_of_2 = language.Builtin("triton.next_power_of_2", _next_power_of_2)


def set_allocator(allocator):
    """Accepted for Triton's sake: no kernel needs memory of the host's here."""


def __getattr__(name):
    if name == "testing":  # imported when it is used
        import importlib

        return importlib.import_module(".testing", __name__)
    raise AttributeError(f"module 'tesela' has no attribute {name!r}")
