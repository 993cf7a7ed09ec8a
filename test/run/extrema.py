# RUN: %run %s
# Minima and maxima of zeros with signs, and of NaNs.

import triton
import triton.language as tl


@triton.jit
def zeros(x, low, high, any_low, any_high, N: tl.constexpr, T: tl.constexpr,
          BITS: tl.constexpr):
    """Of zeros the negative one is the smaller where NaNs propagate; else either
    may come out."""
    ALL: tl.constexpr = tl.PropagateNan.ALL
    i = tl.arange(0, N)
    a = tl.load(x + i).to(T, bitcast=True)
    b = tl.load(x + i // 2).to(T, bitcast=True)
    tl.store(low + i,
             tl.minimum(a, b, propagate_nan=ALL).to(BITS, bitcast=True))
    tl.store(high + i,
             tl.maximum(a, b, propagate_nan=ALL).to(BITS, bitcast=True))
    tl.store(any_low + i, tl.minimum(a, b) + tl.clamp(a, b, b) + tl.min(a))
    tl.store(any_high + i, tl.maximum(a, b) + tl.clamp(b, a, a) + tl.max(b))


@triton.jit
def bfloat16_zeros(x, y, low, high, N: tl.constexpr):
    """These are compared as float32s."""
    ALL: tl.constexpr = tl.PropagateNan.ALL
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(low + i, 1 / tl.minimum(a, b, propagate_nan=ALL))
    tl.store(high + i, 1 / tl.maximum(a, b, propagate_nan=ALL))


@triton.jit
def where_largest(x, value, index, N: tl.constexpr, LEFT: tl.constexpr):
    a = tl.load(x + tl.arange(0, N))
    v, i = tl.max(a, axis=0, return_indices=True,
                  return_indices_tie_break_left=LEFT)
    tl.store(value, v)
    tl.store(index, i)
    tl.store(index + 1, tl.argmax(a, axis=0, tie_break_left=LEFT))
    v, i = tl.min(a, axis=0, return_indices=True,
                  return_indices_tie_break_left=LEFT)
    tl.store(value + 1, v)
    tl.store(index + 2, i)
    tl.store(index + 3, tl.argmin(a, axis=0, tie_break_left=LEFT))


@triton.jit
def where_in_columns(x, largest, smallest, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(largest + j, tl.argmax(a, axis=0))
    tl.store(smallest + j, tl.argmin(a, axis=0))


# 0, -0, 0, -0 against 0, 0, -0, -0.
# run:    zeros(x=i32[4]:[0 -2147483648 0 -2147483648], low=i32[4], high=i32[4],
#             any_low=f32[4]:-1, any_high=f32[4]:-1, N=4, T=f32, BITS=i32)
# expect: low == 0 -2147483648 -2147483648 -2147483648
# expect: high == 0 0 0 -2147483648
# expect: any_low == 0
# expect: any_high == 0
# run:    zeros(x=i16[4]:[0 -32768 0 -32768], low=i16[4], high=i16[4],
#             any_low=f32[4]:-1, any_high=f32[4]:-1, N=4, T=f16, BITS=i16)
# expect: low == 0 -32768 -32768 -32768
# expect: high == 0 0 0 -32768
# expect: any_low == 0
# expect: any_high == 0
# run:    zeros(x=i64[4]:[0 -9223372036854775808 0 -9223372036854775808],
#             low=i64[4], high=i64[4], any_low=f64[4]:-1, any_high=f64[4]:-1,
#             N=4, T=f64, BITS=i64)
# expect: low[0:2] == 0 -9223372036854775808
# expect: low[2:4] == -9223372036854775808 -9223372036854775808
# expect: high == 0 0 0 -9223372036854775808
# expect: any_low == 0
# expect: any_high == 0
# run:    bfloat16_zeros(x=bf16[4]:[0 -0 0 -0], y=bf16[4]:[0 0 -0 -0],
#             low=f32[4], high=f32[4], N=4)
# expect: low == inf -inf -inf -inf
# expect: high == inf inf inf -inf

# A NaN is before every number, and the first one counts.
# run:    where_largest(x=f32[4]:[1 nan 3 nan], value=f32[2], index=i32[4], N=4,
#             LEFT=True)
# expect: value == nan
# expect: index == 1
# run:    where_largest(x=f32[4]:[1 nan 3 nan], value=f32[2], index=i32[4], N=4,
#             LEFT=False)
# expect: value == nan
# expect: index == 1
# run:    where_largest(x=f32[4]:[nan 3 3 1], value=f32[2], index=i32[4], N=4,
#             LEFT=True)
# expect: index == 0
# run:    where_largest(x=f32[4]:[2 3 1 nan], value=f32[2], index=i32[4], N=4,
#             LEFT=True)
# expect: index == 3
# run:    where_largest(x=f64[4]:[nan nan nan nan], value=f64[2], index=i32[4], N=4, LEFT=True)
# expect: index == 0
# run:    where_largest(x=f16[4]:[5 inf nan -inf], value=f32[2], index=i32[4],
#             N=4, LEFT=True)
# expect: index == 2
# run:    where_largest(x=bf16[4]:[nan inf nan -inf], value=f32[2],
#             index=i32[4], N=4, LEFT=True)
# expect: index == 0
# Zeros are equal, whatever their signs.
# run:    where_largest(x=f32[4]:[-0 0 -0 0], value=f32[2], index=i32[4], N=4,
#             LEFT=True)
# expect: index == 0
# run:    where_largest(x=f32[4]:[3 1 3 1], value=f32[2], index=i32[4], N=4,
#             LEFT=False)
# expect: value == 3 1
# expect: index == 0 0 1 1
# run:    where_largest(x=f32[128]:iota%64*0/(iota//64 - 1), value=f32[2],
#             index=i32[4], N=128, LEFT=True)
# expect: index == 64
# run:    where_in_columns(x=f32[4, 4]:[1 2 3 nan 4 nan 3 nan 2 nan 3 0 0 9 nan 1],
#             largest=i32[4], smallest=i32[4], M=4, N=4)
# expect: largest == 1 1 3 0
# expect: smallest == 3 1 3 0
