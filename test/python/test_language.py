"""The module that users import as `tl`, outside of kernels."""

import copy
import pickle

import pytest
import tesela
import tesela.language as tl


def test_every_function_of_the_language_has_its_name():
    for name in ("load store dot arange zeros where sum max cdiv sigmoid "
                 "softmax atomic_add static_range range rand tensor "
                 "associative_scan make_tensor_descriptor").split():
        assert name in tl.__all__
        assert hasattr(tl, name)


def test_names_agree_between_modules():
    assert tl.core.load is tl.load
    assert tl.core.float32 is tl.float32
    assert tl.standard.sum is tl.sum
    assert tl.math.exp is tl.exp
    assert tl.extra.cuda.libdevice is tl.extra.libdevice
    assert tl.extra.libdevice.tanh.path == (
        "triton.language.extra.libdevice.tanh"
    )


def test_modules_can_be_imported():
    from tesela.language.extra import libdevice
    from tesela.language.extra.cuda import libdevice as of_cuda
    from tesela.language.math import exp
    import tesela.language.core

    assert libdevice is of_cuda
    assert exp is tl.exp


@pytest.mark.parametrize("function", ["load", "sum", "dot", "program_id"])
def test_functions_say_that_they_are_for_kernels(function):
    with pytest.raises(RuntimeError, match=f"`tl.{function}` can be called in"):
        getattr(tl, function)(1)


def test_classes_say_that_they_are_for_kernels():
    with pytest.raises(RuntimeError, match="`tl.tensor` has objects in kernel"):
        tl.tensor(1)


@pytest.mark.parametrize("name, bits, floating, signed, size", [
    ("int1", 1, False, False, 1), ("int8", 8, False, True, 1),
    ("uint16", 16, False, False, 2), ("int64", 64, False, True, 8),
    ("float8e4nv", 8, True, False, 1), ("float16", 16, True, False, 2),
    ("bfloat16", 16, True, False, 2), ("float32", 32, True, False, 4),
    ("float64", 64, True, False, 8),
])
def test_dtypes(name, bits, floating, signed, size):
    dtype = getattr(tl, name)
    assert dtype.primitive_bitwidth == bits
    assert dtype.is_floating() is floating
    assert dtype.is_int() is not floating
    assert dtype.is_int_signed() is signed
    assert dtype.itemsize == size
    assert dtype.scalar is dtype
    assert not dtype.is_ptr() and not dtype.is_block()
    assert dtype == tl.dtype(dtype.name)
    assert hash(dtype) == hash(tl.dtype(dtype.name))
    assert dtype != tl.void
    assert pickle.loads(pickle.dumps(dtype)) == dtype


def test_dtype_details():
    assert str(tl.float32) == "fp32"
    assert repr(tl.bfloat16) == "triton.language.bfloat16"
    assert tl.float32.is_fp32() and not tl.float32.is_fp16()
    assert tl.float8e5.is_fp8()
    assert tl.float32.fp_mantissa_width == 23
    assert tl.int8.get_int_max_value() == 127
    assert tl.uint8.get_int_min_value() == 0
    assert tl.core.get_int_dtype(16, signed=False) == tl.uint16
    assert tl.str_to_ty("*bf16") == tl.pointer_type(tl.bfloat16)
    with pytest.raises(ValueError, match="'fp31'"):
        tl.dtype("fp31")


def test_pointer_and_block_types():
    pointer = tl.pointer_type(tl.float16)
    assert pointer.is_ptr() and pointer.element_ty == tl.float16
    assert pointer != tl.pointer_type(tl.float32)
    block = tl.block_type(tl.int32, [4, tl.constexpr(8)])
    assert block.is_block() and block.shape == (4, 8) and block.numel == 32
    with pytest.raises(TypeError, match="element_ty"):
        tl.pointer_type(3)


def test_constexpr_computes():
    five = tl.constexpr(5)
    assert (five + 1).value == 6
    assert (2 * five).value == 10
    assert (five // tl.constexpr(2)).value == 2
    assert (-five).value == -5
    assert five == 5 and five > 4 and not five < 5
    assert tl.constexpr(five).value == 5
    assert list(range(10))[five] == 5
    assert repr(five) == "constexpr[5]"
    assert copy.copy(five).value == 5
    with pytest.raises(AttributeError):
        five.value = 6


def test_functions_can_be_pickled():
    assert pickle.loads(pickle.dumps(tl.load)) is tl.load
    assert pickle.loads(pickle.dumps(tl.extra.libdevice.tanh)) is (
        tl.extra.libdevice.tanh
    )


@pytest.mark.parametrize("n, power", [
    (0, 0), (1, 1), (2, 2), (3, 4), (1000, 1024), (1024, 1024),
    (2**40 + 1, 2**41),
])
def test_next_power_of_2(n, power):
    assert tesela.next_power_of_2(n) == power


def test_cdiv():
    assert tesela.cdiv(7, 2) == 4
    assert tesela.cdiv(8, 2) == 4
    assert tesela.cdiv(0, 5) == 0
