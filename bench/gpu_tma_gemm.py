"""A persistent matrix product over tensor descriptors, for Triton's own TMA."""

import triton
import triton.language as tl


@triton.jit
def tma_matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, INSTANCES: tl.constexpr,
                      BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
                      SPECIALISE: tl.constexpr):
    a_tiles = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1],
                                        [BLOCK_M, BLOCK_K])
    b_tiles = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1],
                                        [BLOCK_K, BLOCK_N])
    c_tiles = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1],
                                        [BLOCK_M, BLOCK_N])
    num_m = tl.cdiv(M, BLOCK_M)
    num_n = tl.cdiv(N, BLOCK_N)
    in_group = GROUP * num_n
    for tile in tl.range(tl.program_id(0), num_m * num_n, INSTANCES,
                         flatten=True, warp_specialize=SPECIALISE):
        first = tile // in_group * GROUP
        height = min(num_m - first, GROUP)
        row = (first + tile % in_group % height) * BLOCK_M
        col = tile % in_group // height * BLOCK_N
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(tl.cdiv(K, BLOCK_K)):
            a = a_tiles.load([row, k * BLOCK_K])
            b = b_tiles.load([k * BLOCK_K, col])
            acc = tl.dot(a, b, acc)
        c_tiles.store([row, col], acc.to(tl.float16))
