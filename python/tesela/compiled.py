"""What `kernel.warmup(…)` gives: a compiled specialisation and its texts."""

from types import SimpleNamespace

from . import _binding


class _Texts(dict):
    """The texts of the stages, made when they are asked for."""

    # What people know from Triton, and what stands in its place.
    _STAGES = {"ttir": "tile", "ttgir": "views", "llir": "llvm",
               "ptx": "asm", "amdgcn": "asm"}
    _KEYS = ("ast", "tile", "views", "cpu", "llvm", "asm", *_STAGES)

    def __init__(self, show):
        super().__init__()
        self._show = show

    def __missing__(self, key):
        if key not in self._KEYS:
            raise KeyError(key)
        self[key] = self._show(self._STAGES.get(key, key))
        return self[key]

    def __contains__(self, key):
        return key in self._KEYS

    def __iter__(self):
        return iter(self._KEYS)

    def keys(self):
        return self._KEYS


class CompiledKernel:
    """A kernel that is compiled for certain arguments."""

    # What a GPU would run out of.
    n_regs = 0
    n_spills = 0
    n_max_threads = 1
    shared = 0

    def __init__(self, kernel, args, kwargs, report):
        self.src = SimpleNamespace(fn=kernel)
        self.name = kernel.__name__
        self.function = 0
        self.module = None
        self.origin, self.stages, self.code_bytes = report
        self.metadata = SimpleNamespace(
            name=kernel.__name__, shared=0, num_ctas=1,
            num_warps=kwargs.get("num_warps", 4),
            num_stages=kwargs.get("num_stages", 3),
            target=SimpleNamespace(
                backend=_binding.device_name(), arch=0, warp_size=1
            ),
        )
        self.asm = _Texts(lambda stage: kernel.show(stage, args, kwargs))
        self._kernel = kernel

    def _init_handles(self):
        """The code is loaded already."""

    def __getitem__(self, grid):
        return self._kernel[grid]
