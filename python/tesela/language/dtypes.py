"""Element types and the types that are made of them."""

from .constants import constexpr

_BITS = {
    "void": 0,
    "int1": 1, "int8": 8, "int16": 16, "int32": 32, "int64": 64,
    "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64,
    "fp8e4b15": 8, "fp8e4nv": 8, "fp8e4b8": 8, "fp8e5": 8, "fp8e5b16": 8,
    "fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64,
}
_MANTISSA_AND_BIAS = {
    "fp8e4b15": (3, 15), "fp8e4nv": (3, 7), "fp8e4b8": (3, 8),
    "fp8e5": (2, 15), "fp8e5b16": (2, 16),
    "fp16": (10, 15), "bf16": (7, 127), "fp32": (23, 127), "fp64": (52, 1023),
}


class base_type:
    """What all types of the language are."""

    __module__ = "tesela.language"


class dtype(base_type):
    """An element type, such as `tl.float32`."""

    __module__ = "tesela.language"

    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = list(_MANTISSA_AND_BIAS)
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS:
        SIGNED = 0
        UNSIGNED = 1

    class KIND:
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = name.value if isinstance(name, constexpr) else name
        if name not in _BITS:
            raise ValueError(f"no element type is called {name!r}")
        self.name = name
        self.primitive_bitwidth = _BITS[name]
        self.itemsize = max(self.primitive_bitwidth // 8, int(name == "int1"))
        if name in self.SINT_TYPES:
            self.int_signedness = dtype.SIGNEDNESS.SIGNED
            self.int_bitwidth = self.primitive_bitwidth
        elif name in self.UINT_TYPES:
            self.int_signedness = dtype.SIGNEDNESS.UNSIGNED
            self.int_bitwidth = self.primitive_bitwidth
        elif name in _MANTISSA_AND_BIAS:
            self.fp_mantissa_width, self.exponent_bias = (
                _MANTISSA_AND_BIAS[name]
            )

    def is_void(self):
        return self.name == "void"

    def is_fp8(self):
        return self.name.startswith("fp8")

    def is_floating(self):
        return self.name in self.FP_TYPES

    def is_standard_floating(self):
        return self.name in self.STANDARD_FP_TYPES

    def is_int(self):
        return self.name in self.SINT_TYPES + self.UINT_TYPES

    def is_int_signed(self):
        return self.name in self.SINT_TYPES

    def is_int_unsigned(self):
        return self.name in self.UINT_TYPES

    def is_bool(self):
        return self.is_int1()

    def kind(self):
        if self.is_int1():
            return dtype.KIND.BOOLEAN
        return dtype.KIND.INTEGRAL if self.is_int() else dtype.KIND.FLOATING

    def get_int_max_value(self):
        return 2 ** (self.int_bitwidth - self.is_int_signed()) - 1

    def get_int_min_value(self):
        return -(2 ** (self.int_bitwidth - 1)) if self.is_int_signed() else 0

    @staticmethod
    def is_dtype(name):
        return name in _BITS

    @staticmethod
    def is_ptr():
        return False

    @staticmethod
    def is_block():
        return False

    @staticmethod
    def is_const():
        return False

    @property
    def scalar(self):
        return self

    @property
    def cache_key_part(self):
        return self.name

    def codegen_name(self):
        if self.name.startswith("fp"):
            return "float" + self.name[2:]
        if self.name.startswith("bf"):
            return "bfloat" + self.name[2:]
        return self.name

    def mangle(self):
        """The name in a signature: "fp32", "i32", "u8"."""
        if self.name == "void":
            return "V"
        return self.name.replace("uint", "u").replace("int", "i")

    def __eq__(self, other):
        return type(other) is dtype and other.name == self.name

    def __hash__(self):
        return hash((dtype, self.name))

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"triton.language.{self.codegen_name()}"


def _define_predicates():
    def predicate(name):
        return lambda self: self.name == name

    for name in _BITS:
        if name != "void":
            setattr(dtype, f"is_{name}", predicate(name))


_define_predicates()


class pointer_type(dtype):
    """The type of pointers to an element type."""

    __module__ = "tesela.language"

    def __init__(self, element_ty, address_space=1, const=False):
        if isinstance(element_ty, constexpr):
            element_ty = element_ty.value
        if not isinstance(element_ty, dtype):
            raise TypeError(f"element_ty has type {type(element_ty).__name__}; "
                            "expected `dtype`")
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.name = f"pointer<{element_ty}>"
        self.primitive_bitwidth = 64

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def mangle(self):
        return f"P{self.element_ty.mangle()}"

    def __eq__(self, other):
        return (isinstance(other, pointer_type)
                and self.element_ty == other.element_ty
                and self.const == other.const)

    def __hash__(self):
        return hash((pointer_type, self.element_ty, self.const))

    def __str__(self):
        return ("const_" if self.const else "") + self.name

    __repr__ = __str__


class block_type(dtype):
    """The type of tiles of an element type."""

    __module__ = "tesela.language"

    def __init__(self, element_ty, shape):
        self.element_ty = element_ty
        self.shape = tuple(
            s.value if isinstance(s, constexpr) else s for s in shape
        )
        if not self.shape:
            raise TypeError("0d block_type is forbidden")
        self.numel = 1
        for extent in self.shape:
            self.numel *= extent
        self.name = f"<{list(self.shape)}, {element_ty}>"
        self.primitive_bitwidth = element_ty.primitive_bitwidth

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    @property
    def scalar(self):
        return self.element_ty

    def __eq__(self, other):
        return (isinstance(other, block_type)
                and self.element_ty == other.element_ty
                and self.shape == other.shape)

    def __hash__(self):
        return hash((block_type, self.element_ty, self.shape))

    __str__ = __repr__ = lambda self: self.name


class const:
    """`ptr: tl.const` says that nothing is stored through a pointer."""

    __module__ = "tesela.language"


void = dtype("void")
int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e5 = dtype("fp8e5")
float8e5b16 = dtype("fp8e5b16")
float8e4nv = dtype("fp8e4nv")
float8e4b8 = dtype("fp8e4b8")
float8e4b15 = dtype("fp8e4b15")
float16 = dtype("fp16")
bfloat16 = dtype("bf16")
float32 = dtype("fp32")
float64 = dtype("fp64")
pi32_t = pointer_type(int32)

NAMES = [
    "base_type", "block_type", "const", "dtype", "pointer_type", "pi32_t",
    "void", "int1", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64", "float8e5", "float8e5b16", "float8e4nv", "float8e4b8",
    "float8e4b15", "float16", "bfloat16", "float32", "float64",
]


def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """The integer type of so many bits."""
    if bitwidth == 1:
        return int1
    return dtype(f"{'' if signed else 'u'}int{bitwidth}")


def str_to_ty(name, c=None):
    """The type that a signature's name stands for: "*fp32", "i32"."""
    if name.startswith("*"):
        rest = name[1:]
        is_const = rest.startswith("k")
        return pointer_type(str_to_ty(rest[is_const:]), const=is_const)
    known = {
        "u1": int1, "i1": int1, "B": int1, "void": void,
        **{d.mangle(): d for d in map(dtype, _BITS) if d.name != "void"},
        **{d.name: d for d in map(dtype, _BITS)},
    }
    if name not in known:
        raise ValueError(f"no type is called {name!r} in a signature")
    return known[name]
