"""What can be passed to a launch, and what cannot."""

import array
import ctypes

import numpy as np
import pytest
import tesela
import tesela.language as tl
from conftest import needs_torch


@tesela.jit
def increment(x_ptr, n, BLOCK: tl.constexpr = 16):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0)
    tl.store(x_ptr + offs, x + 1, mask=offs < n)


@tesela.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr = 16):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, x, mask=offs < n)


@tesela.jit
def fill(out_ptr, value, BLOCK: tl.constexpr = 16):
    tl.store(out_ptr + tl.arange(0, BLOCK), value)


# Passes an array on through one protocol alone.

class OnlyDLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OldDLPack(OnlyDLPack):
    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class OnlyArrayInterface:
    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


class OnOpenCl(OnlyDLPack):
    def __dlpack_device__(self):
        return (4, 0)


class CudaArray:
    __cuda_array_interface__ = {}


class ForeignCudaArray:
    __cuda_array_interface__ = {"shape": (3,), "typestr": ">f4",
                                "data": (4096, False), "version": 3}


class BrokenInterface:
    __array_interface__ = {"shape": (3,)}


@pytest.mark.parametrize("wrap", [
    lambda a: a, memoryview, OnlyDLPack, OldDLPack, OnlyArrayInterface,
], ids=["numpy", "buffer", "dlpack", "old dlpack", "array interface"])
@pytest.mark.parametrize("dtype", [
    np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32,
    np.uint64, np.float16, np.float32, np.float64,
])
def test_arrays(wrap, dtype):
    x = np.arange(10).astype(dtype)
    increment[(1,)](wrap(x), 7)
    assert x.tolist() == [1, 2, 3, 4, 5, 6, 7, 7, 8, 9]


@pytest.mark.parametrize("make", [
    lambda: array.array("i", range(5)),
    lambda: bytearray(range(5)),
    lambda: (ctypes.c_int64 * 5)(*range(5)),
    lambda: (ctypes.c_double * 5)(*range(5)),
], ids=["array", "bytearray", "ctypes integers", "ctypes floats"])
def test_buffers(make):
    x = make()
    increment[(1,)](x, 5)
    assert list(x) == [1, 2, 3, 4, 5]


def test_bool_arrays():
    x = np.array([True, False, True, False])
    out = np.zeros(4, dtype=bool)
    copy[(1,)](x, out, 4)
    assert out.tolist() == x.tolist()


def test_views_start_where_they_start():
    x = np.zeros(10, dtype=np.float32)
    increment[(1,)](x[3:], 4)
    assert x.tolist() == [0, 0, 0, 1, 1, 1, 1, 0, 0, 0]


@needs_torch
@pytest.mark.parametrize("dtype", [
    "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16",
    "float32", "float64",
])
def test_tensors(dtype):
    import torch

    x = torch.arange(10).to(getattr(torch, dtype))
    increment[(1,)](x[2:], 3)
    assert x.tolist() == [0, 1, 3, 4, 5, 5, 6, 7, 8, 9]


@needs_torch
def test_parameters_and_subclasses_of_tensors():
    import torch

    class Mine(torch.Tensor):
        pass

    x = torch.nn.Parameter(torch.zeros(4))
    increment[(1,)](x, 4)
    assert x.tolist() == [1, 1, 1, 1]
    y = torch.zeros(4).as_subclass(Mine)
    increment[(1,)](y, 2)
    assert y.tolist() == [1, 1, 0, 0]


@needs_torch
def test_tensor_on_another_device():
    import torch

    with pytest.raises(ValueError, match="`x_ptr` is on the device `meta`"):
        increment[(1,)](torch.zeros(3, device="meta"), 3)


@needs_torch
def test_reinterpreted_tensor():
    import torch

    x = torch.full((4,), -1, dtype=torch.int32)
    increment[(1,)](tesela.reinterpret(x.view(torch.int32), tl.uint32), 4)
    assert x.tolist() == [0, 0, 0, 0]


@needs_torch
def test_empty_tensors():
    import torch

    increment[(1,)](torch.zeros(0), 0)


@pytest.mark.parametrize("value, want", [
    (5, 5), (True, 1), (-3, -3), (np.int64(7), 7), (np.uint8(200), 200),
    (np.bool_(True), 1), (2**31, 2**31), (-2**63, -2**63),
])
def test_whole_numbers(value, want):
    out = np.zeros(16, dtype=np.int64)
    fill[(1,)](out, value)
    assert (out == want).all()


def test_largest_unsigned_number():
    out = np.zeros(16, dtype=np.uint64)
    fill[(1,)](out, 2**64 - 1)
    assert (out == 2**64 - 1).all()


@pytest.mark.parametrize("value", [
    0.5, np.float16(0.5), np.float32(0.5), np.float64(0.5),
])
def test_floats(value):
    out = np.zeros(16, dtype=np.float32)
    fill[(1,)](out, value)
    assert (out == 0.5).all()


@pytest.mark.parametrize("value", [2**64, -2**63 - 1, 1 << 20000],
                         ids=["2**64", "-2**63 - 1", "1 << 20000"])
def test_whole_numbers_out_of_range(value):
    out = np.zeros(16, dtype=np.int64)
    with pytest.raises(OverflowError, match="`value` does not fit"):
        fill[(1,)](out, value)
    assert (out == 0).all()


def test_read_only_arrays_may_be_read():
    x = np.arange(4, dtype=np.float32)
    x.flags.writeable = False
    out = np.zeros(4, dtype=np.float32)
    copy[(1,)](x, out, 4)
    assert out.tolist() == x.tolist()
    copy[(1,)](bytes(range(4)), memoryview(bytearray(4)), 4)


@pytest.mark.parametrize("wrap", [
    lambda a: a, memoryview, OnlyDLPack, OnlyArrayInterface,
], ids=["numpy", "buffer", "dlpack", "array interface"])
def test_read_only_arrays_may_not_be_written(wrap):
    x = np.zeros(4, dtype=np.float32)
    x.flags.writeable = False
    try:
        wrapped = wrap(x)
        wrapped.__dlpack__(max_version=(1, 0)) if wrap is OnlyDLPack else None
    except BufferError:
        pytest.skip("this NumPy does not export read-only arrays")
    with pytest.raises(ValueError, match="`x_ptr`.*read-only"):
        increment[(1,)](wrapped, 4)
    assert (x == 0).all()


def test_read_only_text_may_not_be_written():
    with pytest.raises(ValueError, match="`x_ptr`.*read-only"):
        increment[(1,)](b"abcd", 4)


@pytest.mark.parametrize("value, error, message", [
    ([1, 2], TypeError, "`x_ptr` is a list; expected an array or tensor"),
    ({}, TypeError, "`x_ptr` is a dict"),
    (object(), TypeError, "`x_ptr` is a value of type `object`"),
    (1j, TypeError, "`x_ptr` is a value of type `complex`"),
    (len, TypeError, "`x_ptr` is a value of type `builtin_function_or_method`"),
    (np.zeros(3, dtype=complex), TypeError, "`x_ptr`.*type `complex128`"),
    (np.zeros(3, dtype=object), TypeError, "`x_ptr`.*type `object`"),
    (np.zeros(3, dtype="M8[s]"), TypeError, "`x_ptr`.*type `datetime64"),
    (np.zeros(3, dtype=">f4"), ValueError, "`x_ptr`.*foreign byte order"),
    (np.frombuffer(bytes(9), np.int32, 2, 1), ValueError,
     "`x_ptr` is not aligned"),
    (OnOpenCl(np.zeros(3)), ValueError,
     r"`x_ptr` is on the DLPack device \(4, 0"),
    (CudaArray(), TypeError, "`x_ptr` has a `__cuda_array_interface__` without"),
    (ForeignCudaArray(), ValueError, "`x_ptr`.*foreign byte order"),
    (OnlyDLPack(np.frombuffer(bytearray(9), np.int32, 2, 1)), ValueError,
     "`x_ptr` is not aligned"),
    (np.zeros(3, dtype="i4,f4"), TypeError, "`x_ptr` has elements of type"),
    (np.complex64(1), TypeError, "`x_ptr` is a value of type `numpy.complex64"),
    (np.datetime64("now"), TypeError, "`x_ptr` is a value of type `numpy.date"),
    (np.timedelta64(3), TypeError, "`x_ptr` is a value of type `numpy.timed"),
    (np.bytes_(b"3"), TypeError, "`x_ptr` is a value of type `numpy.bytes_"),
    (np.void(b"3"), TypeError, "`x_ptr` is a value of type `numpy.void"),
    (BrokenInterface(), TypeError, "`x_ptr` has an `__array_interface__` with"),
    (memoryview(np.zeros(3, dtype="i4,f4")), TypeError, "`x_ptr` has elements"),
])
def test_values_that_are_refused(value, error, message):
    with pytest.raises(error, match=message):
        increment[(1,)](value, 3)


def test_a_failing_protocol_shows_its_own_error():
    class Failing:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **kwargs):
            raise MemoryError("of its own")

    with pytest.raises(MemoryError, match="of its own"):
        increment[(1,)](Failing(), 3)


@pytest.mark.parametrize("args, kwargs, message", [
    ((), {}, r"copy\(\) misses the arguments `x_ptr`, `out_ptr`, `n`"),
    ((1, 2), {}, r"copy\(\) misses the argument `n`"),
    ((1, 2, 3, 4, 5), {}, r"copy\(\) takes 4 arguments, 5 were given"),
    ((1, 2, 3), {"n": 3}, r"copy\(\) got two values for parameter `n`"),
    ((1, 2, 3), {"BLOK": 3}, r"copy\(\) has no parameter `BLOK`.* mean `BLOCK`"),
    ((1, 2, 3), {"num_warp": 4}, "did you mean `num_warps`"),
    ((1, 2, 3), {"size_of_it": 4}, "it has `x_ptr`, `out_ptr`, `n`, `BLOCK`"),
    ((1, 2, 3), {"num_warps": "four"}, "option `num_warps` is a string"),
])
def test_arguments_that_do_not_fit_the_parameters(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        copy[(1,)](*args, **kwargs)


@pytest.mark.parametrize("warps", [0, -1, 10**30])
def test_options_out_of_range(warps):
    with pytest.raises(ValueError, match="`num_warps` is"):
        copy[(1,)](1, 2, 3, num_warps=warps)


def test_options_of_other_targets_are_accepted():
    x = np.zeros(4, dtype=np.int32)
    increment[(1,)](x, 4, num_warps=8, num_stages=2, num_ctas=1, maxnreg=None,
                    waves_per_eu=2, launch_pdl=False, enable_fp_fusion=False)
    assert (x == 1).all()


def test_numbers_for_pointers_are_refused():
    with pytest.raises((TypeError, tesela.CompileError)):
        increment[(1,)](3, 3)


def test_arrays_for_constants_are_refused():
    x = np.zeros(4, dtype=np.int32)
    with pytest.raises(TypeError, match="BLOCK"):
        increment[(1,)](x, 4, BLOCK=x)
    assert (x == 0).all()
