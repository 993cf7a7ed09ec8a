import torch, triton, triton.language as tl

@triton.jit
def flashattn_kernel(q_ptr, k_ptr, v_ptr, o_ptr, N, d,
                     BLOCK: tl.constexpr, d_BLOCK: tl.constexpr):
    pid = tl.program_id(0)                            # handle one query block
    start = pid * BLOCK
    rq = start + tl.arange(0, BLOCK)                  # query rows
    rd = tl.arange(0, d_BLOCK)                        # head dimension

    q = tl.load(q_ptr + rq[:, None] * d + rd[None, :])
    m_i = tl.full((BLOCK,), float("-inf"), tl.float32)   # running max
    l_i = tl.zeros((BLOCK,), tl.float32)                 # running exp sum
    acc = tl.zeros((BLOCK, d_BLOCK), tl.float32)

    for start_k in range(0, N, BLOCK):                # scan K/V in blocks
        rk = start_k + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + rk[:, None] * d + rd[None, :])
        # attention scores (no scale, simplified)
        s = tl.dot(q, tl.trans(k))                    # (BLOCK, BLOCK)
        m_ij = tl.max(s, axis=1)
        m_new = tl.maximum(m_i, m_ij)
        p = tl.exp(s - m_new[:, None])                # numerically stable softmax
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, axis=1)
        v = tl.load(v_ptr + rk[:, None] * d + rd[None, :])
        acc = acc * alpha[:, None] + tl.dot(p.to(tl.float16), v)
        m_i = m_new
    acc /= l_i[:, None]
    tl.store(o_ptr + rq[:, None] * d + rd[None, :], acc.to(tl.float16))

# Call (simplified: single head, d=64, N aligned to BLOCK)
N, d = 512, 64
q = torch.randn(N, d, device="cuda" if torch.cuda.is_available() else "cpu", dtype=torch.float16)
k = torch.randn(N, d, device="cuda" if torch.cuda.is_available() else "cpu", dtype=torch.float16)
v = torch.randn(N, d, device="cuda" if torch.cuda.is_available() else "cpu", dtype=torch.float16)
o = torch.empty_like(q)
flashattn_kernel[(triton.cdiv(N, 64),)](q, k, v, o, N, d, BLOCK=64, d_BLOCK=64)
print("output shape:", o.shape)
