"""`autotune`, `heuristics` and `Config`: which constants a kernel gets."""

import os
import time

from .errors import AutotunerError, CompileError, OutOfResources
from .jit import KernelInterface, MockTensor


class Config:
    """Constants and launch options to try."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1,
                 maxnreg=None, pre_hook=None, ir_override=None):
        if not hasattr(kwargs, "items"):
            raise TypeError(
                "`Config` takes a dict of the constants to try first, such as "
                f"`Config({{'BLOCK': 64}})`, and not {kwargs!r}"
            )
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def all_kwargs(self) -> dict:
        options = {
            "num_warps": self.num_warps,
            "num_ctas": self.num_ctas,
            "num_stages": self.num_stages,
            "maxnreg": self.maxnreg,
            "ir_override": self.ir_override,
        }
        return {
            **self.kwargs,
            **{k: v for k, v in options.items() if v is not None},
        }

    def _fields(self):
        return (tuple(self.all_kwargs().items()), self.pre_hook)

    def __eq__(self, other):
        return type(other) is type(self) and self._fields() == other._fields()

    def __hash__(self):
        return hash(self._fields())

    def __str__(self):
        return ", ".join(f"{k}: {v}" for k, v in self.all_kwargs().items())

    __repr__ = __str__


class Wrapper(KernelInterface):
    """Launches the function that it wraps with more arguments."""

    def __init__(self, fn, arg_names):
        self.fn = fn
        self.arg_names = arg_names
        self.base_fn = fn
        while isinstance(self.base_fn, Wrapper):
            self.base_fn = self.base_fn.fn
        self.__name__ = getattr(self.base_fn, "__name__", type(fn).__name__)
        self.__qualname__ = getattr(
            self.base_fn, "__qualname__", self.__name__
        )
        self.__module__ = self.base_fn.__module__
        self.__doc__ = self.base_fn.__doc__

    def __call__(self, *args, **kwargs):
        return self.base_fn(*args, **kwargs)

    def __reduce__(self):
        return self.__qualname__


def _clone(array):
    return array.clone() if hasattr(array, "clone") else array.copy()


def _copy_into(array, source):
    if hasattr(array, "copy_"):
        array.copy_(source)
    else:
        array[...] = source


def _clear(array):
    if hasattr(array, "zero_"):
        array.zero_()
    else:
        array[...] = 0


class Autotuner(Wrapper):
    """Finds the fastest configuration for each value of the key arguments, and
    remembers it."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero=None,
                 restore_value=None, pre_hook=None, post_hook=None,
                 prune_configs_by=None, warmup=None, rep=None,
                 use_cuda_graph=False, do_bench=None, cache_results=False):
        super().__init__(fn, arg_names)
        self.configs = list(configs) or [Config({})]
        self._tuned = {name for config in self.configs
                       for name in config.all_kwargs()}
        self.keys = list(key)
        self.reset_to_zero = list(reset_to_zero or [])
        self.restore_value = list(restore_value or [])
        unknown = [name for name in self.keys + self.reset_to_zero
                   + self.restore_value if name not in arg_names]
        if unknown:
            raise ValueError(
                f"`{self.__name__}` has no parameter `{unknown[0]}`, which "
                "`autotune` names"
            )
        self.user_pre_hook = pre_hook
        self.user_post_hook = post_hook
        prune = dict(prune_configs_by or {})
        self.perf_model = prune.pop("perf_model", None)
        self.configs_top_k = prune.pop("top_k", 1.0)
        self.early_config_prune = prune.pop("early_config_prune", None)
        if prune:
            raise ValueError(f"`prune_configs_by` has no {sorted(prune)[0]!r}")
        self.num_warmups = warmup
        self.num_reps = rep
        self._bench_function = do_bench
        self.cache = {}
        self.nargs = None
        self.best_config = None
        self.bench_time = None
        self.configs_timings = None

    def _do_bench(self, call):
        if self._bench_function:
            return self._bench_function(call, quantiles=(0.5, 0.2, 0.8))
        from .testing import do_bench

        return do_bench(
            call,
            warmup=25 if self.num_warmups is None else self.num_warmups,
            rep=100 if self.num_reps is None else self.num_reps,
            quantiles=(0.5, 0.2, 0.8),
        )

    def _bench(self, args, kwargs, grid, config):
        """Times one configuration; infinity where it cannot be run."""
        values = {**kwargs, **config.all_kwargs()}
        full = {**self.nargs, **values}
        saved = {name: _clone(full[name]) for name in self.restore_value}

        def call():
            if config.pre_hook:
                config.pre_hook(full)
            self._before(full)
            try:
                self.fn.run(*args, grid=grid, **values)
            except Exception as exception:
                self._after(full, saved, exception)
                raise
            self._after(full, saved, None)

        try:
            return self._do_bench(call)
        except (OutOfResources, CompileError) as error:
            return self._left_out(error)

    def _left_out(self, error):
        """The timing of a configuration that cannot be run."""
        if os.environ.get("TRITON_PRINT_AUTOTUNING") == "1":
            print(f"autotuning failed with {error}")
        self._last_error = error
        return [float("inf")] * 3

    def _before(self, full):
        for name in self.reset_to_zero:
            _clear(full[name])
        if self.user_pre_hook:
            self.user_pre_hook(full, reset_only=False)

    def _after(self, full, saved, exception):
        for name, value in saved.items():
            _copy_into(full[name], value)
        if self.user_post_hook:
            self.user_post_hook(full, exception=exception)

    def _key(self, kwargs) -> tuple:
        given = {**self.nargs, **kwargs}
        key = [given.get(name) for name in self.keys]
        key += [str(value.dtype) for value in given.values()
                if hasattr(value, "dtype")]
        return tuple(key)

    def _tune(self, args, kwargs, grid):
        begin = time.perf_counter()
        configs = self.prune_configs(kwargs)
        # A hook may change the arguments, and with them what is compiled.
        known = [] if self.user_pre_hook else [
            config for config in configs if not config.pre_hook]
        made = dict(zip(known, self._compile_all(args, kwargs, grid, known)))
        timings = {}
        for config in configs:
            error = made.get(config)
            if isinstance(error, (OutOfResources, CompileError)):
                timings[config] = self._left_out(error)
            elif isinstance(error, Exception):
                raise error
            else:
                timings[config] = self._bench(args, kwargs, grid, config)
        best = min(timings, key=lambda c: _median(timings[c]))
        if _median(timings[best]) == float("inf"):
            raise AutotunerError(
                f"no configuration of `{self.__name__}` can be run"
            ) from getattr(self, "_last_error", None)
        self.bench_time = time.perf_counter() - begin
        self.configs_timings = timings
        if os.environ.get("TRITON_PRINT_AUTOTUNING") == "1":
            print(f"autotuned `{self.__name__}` in {self.bench_time:.2f} s: "
                  f"{best}")
        return best

    def _compile_all(self, args, kwargs, grid, configs):
        """Compiles for all these, several at once: a kernel or an exception
        each."""

        def compile_for(config):
            try:
                return self.fn.run(*args, grid=grid, warmup=True,
                                   **{**kwargs, **config.all_kwargs()})
            except Exception as error:
                return error

        # Another tuner inside has one set of arguments at a time.
        threads = 1 if _holds_tuner(self.fn) else _usable_processors()
        threads = min(threads, len(configs))
        if threads <= 1:
            return [compile_for(config) for config in configs]
        from concurrent.futures import ThreadPoolExecutor

        # Most of compiling is done without Python's lock.
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(compile_for, configs))

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles all configurations, several at once: a list of compiled
        kernels."""
        args = tuple(map(MockTensor.wrap_dtype, args))
        kwargs = {name: MockTensor.wrap_dtype(arg)
                  for name, arg in kwargs.items()}
        self.nargs = dict(zip(self.arg_names, args))
        try:
            self._refuse_clash(kwargs)
            made = self._compile_all(args, kwargs, grid,
                                     self.prune_configs(kwargs))
        finally:
            self.nargs = None
        for error in made:
            if isinstance(error, Exception):
                raise error
        return made

    def run(self, *args, grid=None, warmup=False, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        try:
            self._refuse_clash(kwargs)
            config = self._choose(args, kwargs, grid, warmup)
            self.best_config = config
            if config.pre_hook and not warmup:
                config.pre_hook(
                    {**self.nargs, **kwargs, **config.all_kwargs()}
                )
            return self.fn.run(*args, grid=grid, warmup=warmup,
                               **{**kwargs, **config.all_kwargs()})
        finally:
            self.nargs = None

    def _refuse_clash(self, kwargs):
        clash = self._tuned.intersection((*self.nargs, *kwargs))
        if clash:
            raise ValueError(
                f"`{self.__name__}` is tuned over `{min(clash)}`, which the "
                "launch gives too: leave it to `autotune`"
            )

    def _choose(self, args, kwargs, grid, warmup):
        if len(self.configs) == 1 or warmup:
            return self.configs[0]
        key = self._key(kwargs)
        if key not in self.cache:
            self.cache[key] = self._tune(args, kwargs, grid)
            # Tuning ran the kernel: it starts again from what it was given.
            full = {**self.nargs, **kwargs}
            for name in self.reset_to_zero:
                _clear(full[name])
        return self.cache[key]

    def prune_configs(self, kwargs):
        configs = self.configs
        if self.early_config_prune:
            configs = self.early_config_prune(configs, self.nargs, **kwargs)
            if not configs:
                raise AutotunerError(
                    "`early_config_prune` left no configuration"
                )
        if self.perf_model:
            keep = self.configs_top_k
            if isinstance(keep, float) and keep <= 1.0:
                keep = int(len(self.configs) * keep)
            if len(configs) > keep:
                estimates = {
                    c: self.perf_model(
                        **{**self.nargs, **kwargs, **c.all_kwargs()}
                    )
                    for c in configs
                }
                configs = sorted(estimates, key=estimates.get)[:max(keep, 1)]
        return configs


def _holds_tuner(fn) -> bool:
    while isinstance(fn, Wrapper):
        if isinstance(fn, Autotuner):
            return True
        fn = fn.fn
    return False


def _usable_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _median(timing):
    return timing[0] if isinstance(timing, (list, tuple)) else timing


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None,
             restore_value=None, pre_hook=None, post_hook=None, warmup=None,
             rep=None, use_cuda_graph=False, do_bench=None,
             cache_results=False):
    """Tries all `configs` and takes the fastest, anew for each value of the
    arguments that `key` names."""

    def decorate(fn):
        return Autotuner(
            fn, fn.arg_names, configs, key, reset_to_zero, restore_value,
            pre_hook=pre_hook, post_hook=post_hook,
            prune_configs_by=prune_configs_by, warmup=warmup, rep=rep,
            use_cuda_graph=use_cuda_graph, do_bench=do_bench,
            cache_results=cache_results,
        )

    return decorate


class Heuristics(Wrapper):
    """Computes constants from the other arguments."""

    def __init__(self, fn, arg_names, values):
        super().__init__(fn, arg_names)
        self.values = values

    def run(self, *args, grid=None, warmup=False, **kwargs):
        given = {**dict(zip(self.arg_names, args)), **kwargs}
        for name, compute in self.values.items():
            kwargs[name] = given[name] = compute(given)
        return self.fn.run(*args, grid=grid, warmup=warmup, **kwargs)


def heuristics(values):
    """`values` maps names of constants to functions of the arguments."""

    for name, compute in values.items():
        if not callable(compute):
            raise TypeError(
                f"`heuristics` takes a function of the arguments for `{name}`,"
                f" such as `lambda args: {compute!r}`, and not {compute!r}"
            )

    def decorate(fn):
        return Heuristics(fn, fn.arg_names, values)

    return decorate

