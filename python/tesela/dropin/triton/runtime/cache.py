"""What of the cache has a name of its own."""

import tesela

from ..absent import absent

_HINT = "its cache is the library's, in `TESELA_CACHE_DIR`"
CacheManager = absent("triton.runtime.cache.CacheManager", _HINT)
FileCacheManager = absent("triton.runtime.cache.FileCacheManager", _HINT)
default_cache_dir = absent("triton.runtime.cache.default_cache_dir", _HINT)
get_cache_manager = absent("triton.runtime.cache.get_cache_manager", _HINT)
get_dump_manager = absent("triton.runtime.cache.get_dump_manager", _HINT)


def triton_key() -> str:
    """Names the compiler in the keys of other caches."""
    return f"tesela-{tesela.__version__}"
