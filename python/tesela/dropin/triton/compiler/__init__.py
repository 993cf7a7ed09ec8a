from tesela.compiled import CompiledKernel
from tesela.errors import CompileError as CompilationError

from . import errors

__all__ = ["CompilationError", "CompiledKernel", "errors"]
