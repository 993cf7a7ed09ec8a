import torch, triton, triton.language as tl

@triton.jit
def flashattn_kernel(q_ptr, k_ptr, v_ptr, o_ptr, N, d,
                     BLOCK: tl.constexpr, d_BLOCK: tl.constexpr):
    pid = tl.program_id(0)                            # 处理一个 query 块
    start = pid * BLOCK
    rq = start + tl.arange(0, BLOCK)                  # query 行
    rd = tl.arange(0, d_BLOCK)                        # head 维度

    q = tl.load(q_ptr + rq[:, None] * d + rd[None, :])
    m_i = tl.full((BLOCK,), float("-inf"), tl.float32)   # 运行最大值
    l_i = tl.zeros((BLOCK,), tl.float32)                 # 运行 exp 和
    acc = tl.zeros((BLOCK, d_BLOCK), tl.float32)

    for start_k in range(0, N, BLOCK):                # 分块扫描 K/V
        rk = start_k + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + rk[:, None] * d + rd[None, :])
        # 注意力分数（无 scale，简化）
        s = tl.dot(q, tl.trans(k))                    # (BLOCK, BLOCK)
        m_ij = tl.max(s, axis=1)
        m_new = tl.maximum(m_i, m_ij)
        p = tl.exp(s - m_new[:, None])                # 数值稳定的 softmax
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, axis=1)
        v = tl.load(v_ptr + rk[:, None] * d + rd[None, :])
        acc = acc * alpha[:, None] + tl.dot(p.to(tl.float16), v)
        m_i = m_new
    acc /= l_i[:, None]
    tl.store(o_ptr + rq[:, None] * d + rd[None, :], acc.to(tl.float16))

# 调用（简化：单头、d=64、N 对齐 BLOCK）
N, d = 512, 64
q = torch.randn(N, d, device="cuda" if torch.cuda.is_available() else "cpu", dtype=torch.float16)
k = torch.randn(N, d, device="cuda" if torch.cuda.is_available() else "cpu", dtype=torch.float16)
v = torch.randn(N, d, device="cuda" if torch.cuda.is_available() else "cpu", dtype=torch.float16)
o = torch.empty_like(q)
flashattn_kernel[(triton.cdiv(N, 64),)](q, k, v, o, N, d, BLOCK=64, d_BLOCK=64)
print("输出形状:", o.shape)
