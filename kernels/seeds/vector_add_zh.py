import torch, triton, triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)                          # 当前块的编号
    offs = pid * BLOCK + tl.arange(0, BLOCK)        # 本块覆盖的元素下标
    mask = offs < n                                 # 边界掩码（n 不整除 BLOCK）
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)

def add(x, y):
    n = x.numel()
    out = torch.empty_like(x)
    grid = (triton.cdiv(n, 1024),)                  # 块数 = ceil(n / BLOCK)
    add_kernel[grid](x, y, out, n, BLOCK=1024)
    return out

x = torch.randn(1_000_000, device="cuda" if torch.cuda.is_available() else "cpu")
y = torch.randn(1_000_000, device="cuda" if torch.cuda.is_available() else "cpu")
print("正确性:", torch.allclose(add(x, y), x + y))
