# RUN: %run %s
# A tiled matrix product with tails on every axis.

import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    pa = a + rm[:, None] * sam + rk[None, :] * sak
    pb = b + rk[:, None] * sbk + rn[None, :] * sbn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        x = tl.load(pa, mask=(rm[:, None] < M) & (rk[None, :] < left), other=0)
        y = tl.load(pb, mask=(rk[:, None] < left) & (rn[None, :] < N), other=0)
        acc += tl.dot(x, y)
        pa += BLOCK_K * sak
        pb += BLOCK_K * sbk
    pc = c + rm[:, None] * scm + rn[None, :] * scn
    tl.store(pc, acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


# Row times column: small whole numbers, so that every sum is exact.
# run:    matmul[grid=(2, 2)](a=f32[20, 24]:row, b=f32[24, 20]:col,
#             c=f32[20, 20]:-1, M=20, N=20, K=24, sam=24, sak=1, sbk=20, sbn=1,
#             scm=20, scn=1, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16)
# expect: c == row * col * 24

# Transposed operands.
# run:    matmul[grid=(2, 1)](a=f32[24, 20]:col, b=f32[16, 24]:row,
#             c=f32[20, 16]:-1, M=20, N=16, K=24, sam=1, sak=20, sbk=1, sbn=24,
#             scm=16, scn=1, BLOCK_M=16, BLOCK_N=16, BLOCK_K=32)
# expect: c == row * col * 24

# run:    matmul[grid=(1, 1)](a=f16[16, 16]:iota%5 - 2, b=f16[16, 16]:1,
#             c=f32[16, 16], M=16, N=16, K=16, sam=16, sak=1, sbk=16, sbn=1,
#             scm=16, scn=1, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16)
# expect: c[0, 0:3] == -2 -2 -2
# expect: c[1, 0:3] == -1 -1 -1
