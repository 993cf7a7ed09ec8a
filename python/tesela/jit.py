"""Jit functions: what `@tesela.jit` makes of a Python function.

The text of a function is what was on disk, or in `linecache`, when it was
decorated. Its names are looked up in the live process while it is compiled.
"""

from . import _binding
from .language.constants import constexpr


class KernelInterface:
    """What can be launched: `kernel[grid](…)`. `run` does it."""

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(
            *args, grid=grid, warmup=False, **kwargs
        )

    def run(self, *args, grid, warmup=False, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} cannot be launched")

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles for such arguments without running. A dtype stands for a
        tensor of it."""
        return self.run(
            *map(MockTensor.wrap_dtype, args), grid=grid, warmup=True,
            **{name: MockTensor.wrap_dtype(arg) for name, arg in kwargs.items()}
        )


class MockTensor:
    """Stands for a tensor of a dtype where nothing is run."""

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    @staticmethod
    def wrap_dtype(arg):
        of_torch = type(arg).__name__ == "dtype" and (
            type(arg).__module__.split(".")[0] == "torch"
        )
        return MockTensor(arg) if of_torch else arg

    @staticmethod
    def data_ptr():
        return 0

    @staticmethod
    def ptr_range():
        return 0

    def stride(self):
        strides = [1]
        for extent in reversed(self.shape[1:]):
            strides.append(strides[-1] * extent)
        return tuple(reversed(strides))


class TensorWrapper:
    """A tensor whose elements are taken for those of another type."""

    def __init__(self, base, dtype):
        self.dtype = dtype
        self.base = base
        self.data = base.data
        self.device = base.device
        self.shape = base.shape

    @property
    def is_cpu(self):
        return getattr(self.base, "is_cpu", True)

    @property
    def is_cuda(self):
        return getattr(self.base, "is_cuda", False)

    def get_device(self):
        return self.base.get_device()

    def is_pinned(self):
        return self.base.is_pinned()

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *args):
        return self.base.stride(*args)

    def element_size(self):
        return self.base.element_size()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    """`tensor` as if its elements were of another type of the same size."""
    if isinstance(tensor, TensorWrapper):
        tensor = tensor.base
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f"cannot reinterpret a {type(tensor)}")


def _is_constexpr(annotation) -> bool:
    if isinstance(annotation, str):
        return annotation.replace(" ", "").endswith("constexpr")
    return annotation is constexpr or (
        isinstance(annotation, type) and annotation.__name__ == "constexpr"
    )


def _annotations(fn) -> dict:
    try:
        return dict(fn.__annotations__)
    except Exception:  # evaluated when asked for (3.14), and may fail
        return {}


class Parameter:
    """A parameter of a jit function."""

    def __init__(self, num, name, annotation, has_default, default):
        self.num = num
        self.name = name
        self.annotation = annotation
        self.has_default = has_default
        self.default = default
        self.is_constexpr = _is_constexpr(annotation)

    def __repr__(self):
        return f"Parameter({self.name!r})"


def _read_parameters(fn) -> list[Parameter]:
    code = fn.__code__
    if code.co_flags & 0x0C:
        raise TypeError(
            f"the jit function `{fn.__name__}` takes `*args` or `**kwargs`; "
            "name its parameters"
        )
    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:count]
    defaults = dict(fn.__kwdefaults__ or {})
    positional = fn.__defaults__ or ()
    last = code.co_argcount
    defaults.update(zip(names[last - len(positional):last], positional))
    annotations = _annotations(fn)
    return [
        Parameter(i, name, annotations.get(name, ""), name in defaults,
                  defaults.get(name))
        for i, name in enumerate(names)
    ]


class _SourceText:
    """The lines of a function's file as they were when it was decorated."""

    def __init__(self, fn):
        import linecache  # slow to import, and not needed without kernels

        code = fn.__code__
        self.file = code.co_filename
        self.first_line = code.co_firstlineno
        linecache.checkcache(self.file)
        self.lines = linecache.getlines(self.file, fn.__globals__)
        if len(self.lines) < self.first_line:
            raise ValueError(
                f"the source of `{fn.__name__}` is not available "
                f"({self.file}, line {self.first_line}): jit functions have "
                "to be defined in a file, or in a notebook"
            )

    def read(self) -> str:
        return _binding.function_lines(
            "".join(self.lines[self.first_line - 1:]))


# The native type comes first: its `kernel[grid]` is the fast one.
class JITFunction(_binding.Kernel, KernelInterface):
    """A function of the language. Launch it with `kernel[grid](…)`."""

    def __init__(self, fn, version=None, do_not_specialize=None,
                 do_not_specialize_on_alignment=None, debug=None,
                 noinline=None, repr=None, launch_metadata=None):
        self.fn = fn
        self.params = _read_parameters(fn)
        self.arg_names = [param.name for param in self.params]
        self.constexprs = [p.num for p in self.params if p.is_constexpr]
        self.version = version
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment
        self.debug = debug
        self.noinline = bool(noinline)
        self.launch_metadata = launch_metadata
        self._repr = repr
        self._text = _SourceText(fn)
        self.pre_run_hooks = []
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__
        self.__globals__ = fn.__globals__
        self.__wrapped__ = fn
        self.define(
            fn, fn.__name__, tuple(self.arg_names),
            {p.name for p in self.params if p.is_constexpr},
            {p.name: p.default for p in self.params if p.has_default},
            self.noinline, self._listed(do_not_specialize),
            self._listed(do_not_specialize_on_alignment),
        )

    def _listed(self, names_or_positions) -> tuple:
        """The names of the parameters that an option lists."""
        listed = tuple(names_or_positions or ())
        return tuple(p.name for p in self.params
                     if p.name in listed or p.num in listed)

    def _read_source(self) -> tuple[str, int, str]:
        """Called by the binding when it first needs the text."""
        return self._text.file, self._text.first_line, self._text.read()

    @property
    def src(self) -> str:
        import textwrap

        text = textwrap.dedent(self._text.read())
        return text[text.index("def "):]

    raw_src = property(lambda self: self._text.read().splitlines(True))
    starting_line_number = property(lambda self: self._text.first_line)

    @property
    def signature(self):
        import inspect

        return inspect.signature(self.fn)

    @property
    def cache_key(self) -> str:
        """Names the text of the function, not what it refers to."""
        import hashlib

        return hashlib.sha256(
            f"{self._text.first_line}:{self._text.read()}".encode()
        ).hexdigest()

    def repr(self, specialization) -> str:
        return self._repr(specialization) if self._repr else self.__name__

    def run(self, *args, grid, warmup=False, **kwargs):
        if warmup:
            return self._compile(args, kwargs)
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        return self[grid](*args, **kwargs)

    def add_pre_run_hook(self, hook):
        """`hook` is called with the arguments of every `run`."""
        self.pre_run_hooks.append(hook)

    def _compile(self, args, kwargs):
        from .compiled import CompiledKernel

        return CompiledKernel(self, args, kwargs, self.compile(args, kwargs))

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            f"the jit function `{self.__name__}` cannot be called from "
            "Python: launch it as a kernel, "
            f"`{self.__name__}[grid](…)`, or call it from another one"
        )

    def __reduce__(self):
        return self.__qualname__

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return f"JITFunction({self.__module__}:{self.__qualname__})"


def jit(fn=None, **options):
    """Makes a Python function one of the language, which is compiled when it
    is launched: `@jit` or `@jit(do_not_specialize=[…], noinline=True, …)`."""

    def decorate(function):
        if isinstance(function, JITFunction):
            function = function.fn
        if not hasattr(function, "__code__"):
            raise TypeError(
                f"`jit` decorates a function, not {type(function).__name__}"
            )
        return JITFunction(function, **options)

    return decorate if fn is None else decorate(fn)


class ConstexprFunction(JITFunction):
    """A function of constants. It runs as it is when Python calls it, and
    while compiling when a kernel does."""

    def __call__(self, *args, **kwargs):
        values = [a.value if isinstance(a, constexpr) else a for a in args]
        named = {k: a.value if isinstance(a, constexpr) else a
                 for k, a in kwargs.items()}
        return self.fn(*values, **named)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return lambda *args, **kwargs: self(instance, *args, **kwargs)


def constexpr_function(fn):
    """Makes a function of constants callable from kernels, too."""
    return ConstexprFunction(fn)
