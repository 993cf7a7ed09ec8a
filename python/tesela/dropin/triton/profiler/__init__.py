"""The profiler Proton. Scopes may be named without a session, as with Triton;
a session cannot be started."""

from contextlib import ContextDecorator

from ..absent import absent

_HINT = "measure with `triton.testing.do_bench`"
start = absent("triton.profiler.start", _HINT)
profile = absent("triton.profiler.profile", _HINT)


class scope(ContextDecorator):
    """Names a stretch of a program for the profiler."""

    def __init__(self, name="", metrics=None):
        self.name = name
        self.metrics = metrics

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False


class cpu_timed_scope(scope):
    """The same."""


def enter_scope(name, metrics=None):
    """Nothing is recorded without a session."""


def exit_scope(name=None, metrics=None):
    """Nothing is recorded without a session."""


def activate(session=None):
    """There is no session."""


def deactivate(session=None, flushing=False):
    """There is no session."""


def finalize(session=None, output_format=""):
    """There is no session."""
