import torch, triton, triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)                          # current block id
    offs = pid * BLOCK + tl.arange(0, BLOCK)        # element indices this block covers
    mask = offs < n                                 # boundary mask (n not divisible by BLOCK)
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)

def add(x, y):
    n = x.numel()
    out = torch.empty_like(x)
    grid = (triton.cdiv(n, 1024),)                  # num blocks = ceil(n / BLOCK)
    add_kernel[grid](x, y, out, n, BLOCK=1024)
    return out

x = torch.randn(1_000_000, device="cuda" if torch.cuda.is_available() else "cpu")
y = torch.randn(1_000_000, device="cuda" if torch.cuda.is_available() else "cpu")
print("correctness:", torch.allclose(add(x, y), x + y))
