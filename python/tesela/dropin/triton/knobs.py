"""Settings of Triton's that scripts touch. Setting them has no effect."""

from types import SimpleNamespace


class HookChain:
    """Hooks in the order in which they were added."""

    def __init__(self, reversed=False):
        self.calls = []
        self.reversed = reversed

    def add(self, func):
        if func not in self.calls:
            self.calls.append(func)

    def remove(self, func):
        if func in self.calls:
            self.calls.remove(func)

    def __call__(self, *args, **kwargs):
        for call in self.calls[::-1] if self.reversed else self.calls:
            call(*args, **kwargs)


runtime = SimpleNamespace(
    interpret=False, debug=False, override_arch=None,
    launch_enter_hook=HookChain(), launch_exit_hook=HookChain(reversed=True),
    kernel_load_start_hook=HookChain(),
    kernel_load_end_hook=HookChain(reversed=True),
    jit_cache_hook=None, jit_post_compile_hook=None,
)
autotuning = SimpleNamespace(cache=False, print=False)
compilation = SimpleNamespace(always_compile=False, use_ir_loc=None)
language = SimpleNamespace(fp32_default=None, default_fp_fusion=True)
cache = SimpleNamespace(dir=None)
