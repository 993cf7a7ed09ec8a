"""Where kernels run."""

import os

from . import _binding

_current = ("auto", 0)


def set_device(name: str = "auto", threads: int = 0) -> None:
    """Says where launches run from now on. "auto": where their arrays are.
    "cpu"; "cuda" or "cuda:1", a GPU; "interp", the slow reference evaluator,
    for arrays in the host's memory. "cuda:90a" and other architectures are
    compiled for and launch nothing. `threads` is how many run one launch on the
    CPU; 0 takes one for each core that the process may use."""
    global _current
    if not isinstance(name, str):
        raise TypeError(
            f"the name of a device is a string, such as \"cpu\" or \"cuda:1\", "
            f"and not {name!r}"
        )
    _binding.use_device(name, threads)
    _current = (name, threads)


class device:
    """`set_device` for the length of a `with` statement."""

    def __init__(self, name: str = "auto", threads: int = 0):
        self._wanted = (name, threads)

    def __enter__(self):
        self._before = _current
        set_device(*self._wanted)

    def __exit__(self, *exception):
        set_device(*self._before)


def synchronize(name: str | None = None) -> None:
    """Waits until all that was queued on a device is done: without a name on
    the GPU that a launch went to last, if any did. Raises `RuntimeError` where
    a kernel went wrong meanwhile."""
    _binding.synchronize(name)


if os.environ.get("TESELA_DEVICE"):
    set_device(os.environ["TESELA_DEVICE"])
