"""The loss of rows of scores, of which one class each is the right one."""

import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(logits_ptr, targets_ptr, loss_ptr, stride, num_classes,
                         BLOCK: tl.constexpr):
    row = tl.program_id(0)
    logits_ptr += row.to(tl.int64) * stride
    top = -1.0e38
    total = 0.0
    for begin in range(0, num_classes, BLOCK):
        cols = begin + tl.arange(0, BLOCK)
        x = tl.load(logits_ptr + cols, mask=cols < num_classes,
                    other=-float("inf")).to(tl.float32)
        new_top = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - new_top) + tl.sum(tl.exp(x - new_top),
                                                       axis=0)
        top = new_top
    chosen = tl.load(logits_ptr + tl.load(targets_ptr + row)).to(tl.float32)
    tl.store(loss_ptr + row, tl.log(total) + top - chosen)


def cross_entropy(logits, targets, out=None):
    """The losses of the rows of `logits`, contiguous rows, in float32."""
    m, n = logits.shape
    if out is None:
        out = torch.empty(m, dtype=torch.float32, device=logits.device)
    cross_entropy_kernel[(m,)](logits, targets, out, logits.stride(0), n,
                               BLOCK=min(4096, triton.next_power_of_2(n)))
    return out
