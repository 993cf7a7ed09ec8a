import triton
import triton.language as tl


@triton.jit
def shown(x):
    tl.device_print("x", x)
    return x


@triton.jit
def first(x_ptr):
    tl.store(x_ptr, shown(tl.load(x_ptr)))


@triton.jit
def second(x_ptr):
    tl.store(x_ptr + 1, shown(tl.load(x_ptr)))
