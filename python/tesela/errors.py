"""What can be wrong."""


class Diagnostic:
    """One thing that is wrong with a kernel.

    `severity` is "error", "warning" or "note"; `id` a stable name, such as
    "dot-shape". `line` and `column` begin at 1, and are 0 where no place is
    known. `rendered` is all of it: place, text, source line, caret, notes."""

    __slots__ = ("severity", "id", "file", "line", "column", "text", "rendered")

    def __init__(self, severity, id, file, line, column, text, rendered):
        self.severity = severity
        self.id = id
        self.file = file
        self.line = line
        self.column = column
        self.text = text
        self.rendered = rendered

    def __repr__(self):
        return (f"Diagnostic({self.severity!r}, {self.id!r}, {self.file!r}, "
                f"{self.line}, {self.column}, {self.text!r})")


class TeselaError(Exception):
    """The base of the package's own exceptions."""


class CompileError(TeselaError):
    """A kernel cannot be compiled. `diagnostics` says why."""

    def __init__(self, message: str, diagnostics=()):
        super().__init__(message)
        self.diagnostics = list(diagnostics)

    def __reduce__(self):
        return type(self), (self.args[0], self.diagnostics)

    def __str__(self) -> str:
        # The text of a diagnostic begins with its place: give it its own line.
        return "\n" + self.args[0].rstrip("\n")


class CompilationWarning(UserWarning):
    """Something in a kernel, or in a setting, has not the effect that it
    seems to have."""


class OutOfResources(TeselaError):
    """A kernel needs more than the device has: `required` of `limit`."""

    def __init__(self, required, limit=None, name=None):
        if isinstance(required, str):  # the library's own message
            import re  # slow to import, and seldom needed

            super().__init__(required)
            found = re.search(r"needs (\d+) (?:bytes of )?([a-z ]+),.* has (\d+)",
                              required)
            if found:
                required, limit = int(found[1]), int(found[3])
                name = found[2]
        else:
            super().__init__(f"out of resource: {name}, required: {required}, "
                             f"limit: {limit}")
        self.required = required
        self.limit = limit
        self.name = name

    def __reduce__(self):
        return type(self), (self.required, self.limit, self.name)


class AutotunerError(TeselaError):
    """No configuration of an autotuned kernel could be run."""
