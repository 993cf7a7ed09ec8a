"""What can be wrong."""

from typing import NamedTuple


class Diagnostic(NamedTuple):
    """One thing that is wrong with a kernel."""

    severity: str  # "error", "warning" or "note"
    id: str  # its stable name, such as "dot-shape"
    file: str
    line: int  # 1-based; 0 where no place is known
    column: int  # 1-based, in code points
    text: str
    rendered: str  # all of it: place, text, source line, caret and notes


class TeselaError(Exception):
    """The base of the package's own exceptions."""


class CompileError(TeselaError):
    """A kernel cannot be compiled. `diagnostics` says why."""

    def __init__(self, message: str, diagnostics: list[Diagnostic] = ()):
        super().__init__(message)
        self.diagnostics = list(diagnostics)

    def __str__(self) -> str:
        # The text of a diagnostic begins with its place: give it its own line.
        return "\n" + self.args[0].rstrip("\n")


class OutOfResources(TeselaError):
    """A kernel needs more than the device has."""

    def __init__(self, required, limit, name):
        super().__init__(
            f"out of resource: {name}, required: {required}, limit: {limit}"
        )
        self.required = required
        self.limit = limit
        self.name = name

    def __reduce__(self):
        return type(self), (self.required, self.limit, self.name)


class AutotunerError(TeselaError):
    """No configuration of an autotuned kernel could be run."""
