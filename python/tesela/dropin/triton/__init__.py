"""The package `triton`, served by Tesela."""

from tesela import (Config, JITFunction, KernelInterface, MockTensor,
                    OutOfResources, TensorWrapper, autotune, cdiv,
                    constexpr_function, heuristics, jit, language,
                    next_power_of_2, reinterpret, set_allocator)
from tesela.errors import CompileError as CompilationError
from tesela.errors import TeselaError as TritonError
from tesela.install import alias_language

alias_language()

from .compiler import compile
from . import backends, compiler, errors, knobs, runtime, testing, tools

# The release whose language this is.
__version__ = "3.6.0"
is_tesela = True


def must_use_result(x, s=True):
    """Marks a function whose result has to be used."""
    return x if not isinstance(x, str) else (lambda fn: fn)


__all__ = [
    "CompilationError", "Config", "JITFunction", "KernelInterface",
    "MockTensor", "OutOfResources", "TensorWrapper", "TritonError",
    "autotune", "cdiv", "compile", "constexpr_function", "heuristics", "jit",
    "language", "must_use_result", "next_power_of_2", "reinterpret",
    "runtime", "set_allocator", "testing", "tools",
]
