"""What `kernel.warmup(…)` gives: a compiled specialisation and its texts."""

from types import SimpleNamespace


class _Texts(dict):
    """The texts of the stages, made when they are asked for."""

    # What people know from Triton, and what stands in its place.
    _STAGES = {
        "cpu": {"ttir": "tile", "ttgir": "views", "llir": "llvm",
                "ptx": "asm", "amdgcn": "asm"},
        "cuda": {"ttir": "tile", "ttgir": "gpu", "llir": "llvm"},
    }
    _OWN = {
        "cpu": ("ast", "tile", "views", "cpu", "llvm", "asm"),
        "cuda": ("ast", "tile", "views", "gpu", "nvvm", "llvm", "ptx", "sass"),
    }

    def __init__(self, backend, show):
        super().__init__()
        self._show = show
        self._names = self._STAGES.get(backend, self._STAGES["cpu"])
        self._KEYS = (*self._OWN.get(backend, self._OWN["cpu"]), *self._names)

    def __missing__(self, key):
        if key not in self._KEYS:
            raise KeyError(key)
        self[key] = self._show(self._names.get(key, key))
        return self[key]

    def __contains__(self, key):
        return key in self._KEYS

    def __iter__(self):
        return iter(self._KEYS)

    def keys(self):
        return self._KEYS


def _architecture(number: str) -> int:
    """90 of "90a", or of the GPU of this number."""
    digits = int(number.rstrip("a"))
    if digits >= 50:
        return digits
    import torch

    major, minor = torch.cuda.get_device_capability(digits)
    return major * 10 + minor


class CompiledKernel:
    """A kernel that is compiled for certain arguments."""

    n_spills = 0
    n_max_threads = 1

    def __init__(self, kernel, args, kwargs, report):
        self.src = SimpleNamespace(fn=kernel)
        self.name = kernel.__name__
        self.function = 0
        self.module = None
        (self.origin, self.stages, self.code_bytes, device,
         self.shared, self.scratch_bytes) = report
        backend, _, number = device.partition(":")
        on_gpu = backend == "cuda"
        warps = kwargs.get("num_warps") or 4
        # Scripts divide by these to find how many blocks a GPU has room for.
        # On a CPU they are no limit; 1 is the least that can be divided by. On
        # a GPU this is how many registers a thread may have at most.
        self.n_regs = min(255, (1 << 16) // (32 * warps)) if on_gpu else 1
        if not on_gpu:
            self.shared = 1
        self.metadata = SimpleNamespace(
            name=kernel.__name__, shared=self.shared, num_ctas=1,
            num_warps=warps,
            num_stages=kwargs.get("num_stages", 3),
            target=SimpleNamespace(
                backend=backend, arch=_architecture(number) if on_gpu else 0,
                warp_size=32 if on_gpu else 1,
            ),
        )
        self.asm = _Texts(backend,
                          lambda stage: kernel.show(stage, args, kwargs))
        self._kernel = kernel

    def _init_handles(self):
        """The code is loaded already."""

    def __getitem__(self, grid):
        return self._kernel[grid]
