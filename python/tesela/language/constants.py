"""`constexpr`, and what stands for the functions of the language outside of
kernels."""

import operator


class constexpr:
    """A value that is known while compiling. It never changes."""

    __module__ = "tesela.language"
    __slots__ = ("_value",)

    def __init__(self, value):
        self._value = value.value if isinstance(value, constexpr) else value

    @property
    def value(self):
        return self._value

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash((constexpr, self.value))

    def __index__(self):
        return operator.index(self.value)

    def __bool__(self):
        return bool(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __getitem__(self, index):
        return self.value[_plain(index)]

    def __invert__(self):
        return constexpr(~self.value)

    def __neg__(self):
        return constexpr(-self.value)

    def __pos__(self):
        return constexpr(+self.value)

    # `and`, `or` and `not` of constants, as the language calls them.
    def logical_and(self, other):
        return constexpr(self.value and _plain(other))

    def logical_or(self, other):
        return constexpr(self.value or _plain(other))

    def not_(self):
        return constexpr(not self.value)


def _plain(value):
    return value.value if isinstance(value, constexpr) else value


def _define_operators():
    def forward(function):
        return lambda self, other: constexpr(
            function(self.value, _plain(other))
        )

    def backward(function):
        return lambda self, other: constexpr(
            function(_plain(other), self.value)
        )

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow",
                 "lshift", "rshift", "and", "or", "xor"):
        function = getattr(operator, f"__{name}__")
        setattr(constexpr, f"__{name}__", forward(function))
        setattr(constexpr, f"__r{name}__", backward(function))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        function = getattr(operator, f"__{name}__")
        setattr(constexpr, f"__{name}__", forward(function))


_define_operators()


class Builtin:
    """A function of the language. The compiler knows what it does."""

    __module__ = "tesela.language"

    def __init__(self, path: str, host=None):
        self.path = path
        self.host = host  # what it does outside of kernels, if anything
        self.__name__ = path.rpartition(".")[2]
        self.__qualname__ = self.__name__

    def __call__(self, *args, **kwargs):
        if self.host:
            return self.host(*args, **kwargs)
        name = self.path.replace("triton.language", "tl", 1)
        raise RuntimeError(
            f"`{name}` can be called in a kernel only: did you forget to "
            "decorate the function with `jit`?"
        )

    def __repr__(self):
        return f"<function {self.path} of the language>"

    def __reduce__(self):
        return _find_builtin, (self.path,)


def _find_builtin(path: str):
    import importlib

    module, _, name = path.rpartition(".")
    module = module.replace("triton.", "tesela.", 1)
    return getattr(importlib.import_module(module), name)
