"""The product of two matrices of any strides, with an activation."""

import torch
import triton
import triton.language as tl


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def grouped_tile(pid, num_m, num_n, GROUP: tl.constexpr):
    """Row and column of the tile of an instance: instances go down `GROUP`
    rows before they go to the next column."""
    in_group = GROUP * num_n
    first_m = (pid // in_group) * GROUP
    height = min(num_m - first_m, GROUP)
    within = pid % in_group
    return first_m + within % height, within // height


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak,
                  stride_bk, stride_bn, stride_cm, stride_cn,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
                  ACTIVATION: tl.constexpr = "",
                  SUM: tl.constexpr = tl.float32):
    pid_m, pid_n = grouped_tile(tl.program_id(0), tl.cdiv(M, BLOCK_M),
                                tl.cdiv(N, BLOCK_N), GROUP)
    # Rows and columns past the end wrap around; what they give is not stored.
    offs_m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=SUM)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if ACTIVATION == "leaky_relu":
        acc = leaky_relu(acc)
    elif ACTIVATION == "silu":
        acc = silu(acc)
    c = acc.to(c_ptr.dtype.element_ty)

    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + rows[:, None] * stride_cm + cols[None, :] * stride_cn, c,
             mask=mask)


def blocks(a, n):
    """Extents of the tiles for a product with `n` columns, and tile rows in a
    group."""
    if a.device.type != "cpu":
        return dict(BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP=8)
    rows = min(64, triton.next_power_of_2(a.shape[0]))
    if rows <= 8:
        # Reading the other matrix is all the work: rows as long as leave a tile
        # to each thread.
        share = triton.next_power_of_2(n // torch.get_num_threads())
        longest = 2048 if rows <= 2 else 1024
        return dict(BLOCK_M=rows, BLOCK_N=max(128, min(share, longest)),
                    BLOCK_K=64, GROUP=1)
    # Down all the rows, which share what is copied of their columns.
    columns = 128 if n >= 1024 else 64
    return dict(BLOCK_M=rows, BLOCK_N=columns, BLOCK_K=64 if rows < 64 else 32,
                GROUP=1024)


def matmul(a, b, activation="", out=None):
    """`activation(a @ b)`; the activation is "", "leaky_relu" or "silu". Of
    int8 the result is int32."""
    m, k = a.shape
    _, n = b.shape
    is_int = a.dtype == torch.int8
    if out is None:
        out = torch.empty((m, n), dtype=torch.int32 if is_int else a.dtype,
                          device=a.device)
    grid = lambda meta: (triton.cdiv(m, meta["BLOCK_M"])
                         * triton.cdiv(n, meta["BLOCK_N"]),)
    matmul_kernel[grid](
        a, b, out, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1),
        out.stride(0), out.stride(1), **blocks(a, n), ACTIVATION=activation,
        SUM=tl.int32 if is_int else tl.float32)
    return out
