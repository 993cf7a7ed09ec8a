"""Attention, forward: softmax(q k^T scale) v over batches and heads.

The scores of a block of queries are never stored: a running maximum and a
running sum rescale what was accumulated (online softmax).
"""

import math

import torch
import triton
import triton.language as tl


@triton.jit
def attend(acc, total, top, q, k_ptrs, v_ptrs, stride_kn, stride_vn, begin, end,
           num_keys, offs_m, offs_n, in_head, scale, BLOCK_N: tl.constexpr,
           CAUSAL: tl.constexpr, MASKED: tl.constexpr):
    """Takes the keys from `begin` to `end` into account. Without `MASKED` all
    of them are there and seen by every query."""
    for start in range(begin, end, BLOCK_N):
        cols = start + offs_n
        mask = in_head[None, :]
        if MASKED:
            mask = mask & (cols[:, None] < num_keys)
        k = tl.load(k_ptrs + cols[:, None] * stride_kn, mask=mask, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        if MASKED:
            seen = cols[None, :] < num_keys
            if CAUSAL:
                seen = seen & (offs_m[:, None] >= cols[None, :])
            scores = tl.where(seen, scores, -1.0e38)
        new_top = tl.maximum(top, tl.max(scores, axis=1))
        p = tl.exp2(scores - new_top[:, None])
        decay = tl.exp2(top - new_top)
        total = total * decay + tl.sum(p, axis=1)
        v = tl.load(v_ptrs + cols[:, None] * stride_vn, mask=mask, other=0.0)
        acc = acc * decay[:, None] + tl.dot(p.to(v.dtype), v)
        top = new_top
    return acc, total, top


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr,
                     stride_qb, stride_qh, stride_qm,
                     stride_kb, stride_kh, stride_kn,
                     stride_vb, stride_vh, stride_vn,
                     stride_ob, stride_oh, stride_om,
                     num_heads, num_queries, num_keys, scale,
                     HEAD: tl.constexpr, BLOCK_D: tl.constexpr,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     CAUSAL: tl.constexpr):
    pid_m = tl.program_id(0)
    batch = tl.program_id(1) // num_heads
    head = tl.program_id(1) % num_heads
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, BLOCK_D)
    in_head = offs_d < HEAD
    q_mask = (offs_m[:, None] < num_queries) & in_head[None, :]

    q_ptrs = (q_ptr + batch * stride_qb + head * stride_qh
              + offs_m[:, None] * stride_qm + offs_d[None, :])
    k_ptrs = k_ptr + batch * stride_kb + head * stride_kh + offs_d[None, :]
    v_ptrs = v_ptr + batch * stride_vb + head * stride_vh + offs_d[None, :]
    q = tl.load(q_ptrs, mask=q_mask, other=0.0)

    top = tl.full((BLOCK_M,), -1.0e38, dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, BLOCK_D), dtype=tl.float32)

    # Keys that every query of the block sees come without a mask.
    end = num_keys
    whole = num_keys
    if CAUSAL:
        end = tl.minimum(num_keys, (pid_m + 1) * BLOCK_M)
        whole = tl.minimum(num_keys, pid_m * BLOCK_M)
    whole = whole // BLOCK_N * BLOCK_N
    acc, total, top = attend(
        acc, total, top, q, k_ptrs, v_ptrs, stride_kn, stride_vn, 0, whole,
        num_keys, offs_m, offs_n, in_head, scale, BLOCK_N, CAUSAL, False)
    acc, total, top = attend(
        acc, total, top, q, k_ptrs, v_ptrs, stride_kn, stride_vn, whole, end,
        num_keys, offs_m, offs_n, in_head, scale, BLOCK_N, CAUSAL, True)

    out_ptrs = (out_ptr + batch * stride_ob + head * stride_oh
                + offs_m[:, None] * stride_om + offs_d[None, :])
    out = acc / total[:, None]
    tl.store(out_ptrs, out.to(out_ptr.dtype.element_ty), mask=q_mask)


def attention(q, k, v, causal=False, scale=None, out=None, block=(64, 64),
              **options):
    """For `q`, `k` and `v` of (batch, heads, length, head dimension). With
    `causal`, query i sees the keys up to i. `block` queries and keys are taken
    at once; `options` are those of the launch."""
    batch, heads, num_queries, dim = q.shape
    num_keys = k.shape[2]
    if out is None:
        out = torch.empty_like(q)
    if scale is None:
        scale = 1.0 / math.sqrt(dim)
    grid = lambda meta: (triton.cdiv(num_queries, meta["BLOCK_M"]),
                         batch * heads)
    attention_kernel[grid](
        q, k, v, out, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3],
        *out.stride()[:3], heads, num_queries, num_keys,
        scale * math.log2(math.e),
        HEAD=dim, BLOCK_D=triton.next_power_of_2(dim),
        BLOCK_M=block[0], BLOCK_N=block[1], CAUSAL=causal, **options)
    return out
