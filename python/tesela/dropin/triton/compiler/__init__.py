from tesela.compiled import CompiledKernel
from tesela.errors import CompileError as CompilationError

from ..absent import absent
from . import errors

_HINT = "`kernel.warmup(..., grid=...)` compiles without a launch"
ASTSource = absent("triton.compiler.ASTSource", _HINT)
IRSource = absent("triton.compiler.IRSource", _HINT)
compile = absent("triton.compile", _HINT)

__all__ = ["ASTSource", "CompilationError", "CompiledKernel", "IRSource",
           "compile", "errors"]
