"""The drop-in: `import triton` served by this package."""

import os
import sys

_FOLDER = os.path.join(os.path.dirname(__file__), "dropin")


def install_as_triton() -> None:
    """Lets `import triton` and its modules mean this package, in this process
    and in those that `multiprocessing` spawns from it."""
    loaded = sys.modules.get("triton")
    if loaded is not None:
        if getattr(loaded, "is_tesela", False):
            return
        raise RuntimeError(
            "another `triton` is imported already; install Tesela before it"
        )
    if _FOLDER not in sys.path:
        sys.path.insert(0, _FOLDER)
    import triton

    if not getattr(triton, "is_tesela", False):
        raise RuntimeError(f"another `triton` came first: {triton.__file__}")


def alias_language() -> None:
    """Gives the modules of the language their names in `triton`."""
    from . import language

    own = language.__name__
    for name, module in list(sys.modules.items()):
        if name == own or name.startswith(own + "."):
            sys.modules["triton.language" + name[len(own):]] = module
