"""Where kernels run."""

import os

from . import _binding

_current = ("cpu", 0)


def set_device(name: str = "cpu", threads: int = 0) -> None:
    """Makes launches run on the device `name` from now on: "cpu", or "interp",
    the slow reference evaluator. `threads` is how many run one launch; 0 takes
    one for each core that the process may use."""
    global _current
    _binding.use_device(name, threads)
    _current = (name, threads)


class device:
    """`set_device` for the length of a `with` statement."""

    def __init__(self, name: str = "cpu", threads: int = 0):
        self._wanted = (name, threads)

    def __enter__(self):
        self._before = _current
        set_device(*self._wanted)

    def __exit__(self, *exception):
        set_device(*self._before)


if os.environ.get("TESELA_DEVICE"):
    set_device(os.environ["TESELA_DEVICE"])
