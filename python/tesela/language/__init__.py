"""The language of kernels, which users import as `tl`.

Its element types are objects of Python. Its functions are placeholders: they
have meaning in kernels, and say so when Python calls them. They are the same
objects in every module that has them, and their modules exist without files.
"""

import sys

from . import dtypes, names
from .constants import Builtin, constexpr
from .dtypes import *  # noqa: F403
from .dtypes import get_int_dtype, str_to_ty  # noqa: F401

globals().update({name: getattr(dtypes, name) for name in dtypes.NAMES})

TRITON_MAX_TENSOR_NUMEL = 1048576


class PropagateNan:
    """What `tl.minimum` and `tl.maximum` give where an operand is not a
    number: `NONE` the other operand, `ALL` not a number either."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"PropagateNan.{self.name}"


PropagateNan.NONE = PropagateNan("NONE")
PropagateNan.ALL = PropagateNan("ALL")


class _InKernelsOnly:
    """A class of the language that Python has no objects of."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError(
            f"`tl.{type(self).__name__}` has objects in kernels only"
        )


def _class_in_kernels(name: str) -> type:
    return type(name, (_InKernelsOnly,), {"__module__": "tesela.language"})


_CLASSES = """
block_ptr condition constexpr_type range slice slice_type static_range tensor
tensor_descriptor tensor_descriptor_base tensor_descriptor_type tuple
tuple_type
""".split()


def _fill(module, path: str, functions: list) -> None:
    for name in functions:
        if name not in vars(module):
            setattr(module, name, Builtin(f"triton.language.{path}{name}"))


def _add_module(path: str, functions: list):
    module = type(sys)(f"{__name__}.{path}")
    sys.modules[module.__name__] = module
    _fill(module, path + ".", functions)
    parent, _, name = module.__name__.rpartition(".")
    setattr(sys.modules[parent], name, module)
    return module


def _define() -> list:
    this = sys.modules[__name__]
    for name in _CLASSES:
        setattr(this, name, _class_in_kernels(name))
    functions = names.CORE + names.MATH + names.STANDARD + names.RANDOM
    _fill(this, "", functions)
    public = [n for n in dtypes.NAMES + _CLASSES + functions
              if not n.startswith("_")]
    public += ["PropagateNan", "TRITON_MAX_TENSOR_NUMEL", "constexpr",
               "get_int_dtype", "str_to_ty"]

    # `tl.core.load` is `tl.load`.
    for path, own in (("core", names.CORE), ("standard", names.STANDARD),
                      ("random", names.RANDOM), ("math", names.MATH)):
        module = _add_module(path, [])
        shared = own + (public if path == "core" else [])
        for name in shared:
            setattr(module, name, getattr(this, name))
    del this._log2
    _fill(this.math, "math.", names.LIBDEVICE)

    _add_module("target_info", names.TARGET_INFO)
    _add_module("extra", [])
    _add_module("extra.libdevice", names.LIBDEVICE)
    cuda = _add_module("extra.cuda", names.CUDA)
    cuda.libdevice = this.extra.libdevice
    sys.modules[cuda.__name__ + ".libdevice"] = cuda.libdevice
    for package in (this.extra, cuda):
        package.__path__ = []
    return sorted(set(public + ["core", "extra", "math", "target_info"]))


__all__ = _define()
