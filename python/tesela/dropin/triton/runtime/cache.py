"""What of the cache has a name of its own."""

import tesela


def triton_key() -> str:
    """Names the compiler in the keys of other caches."""
    return f"tesela-{tesela.__version__}"
