from tesela.errors import CompileError as CompilationError

CompileTimeAssertionFailure = UnsupportedLanguageConstruct = CompilationError

__all__ = ["CompilationError", "CompileTimeAssertionFailure",
           "UnsupportedLanguageConstruct"]
