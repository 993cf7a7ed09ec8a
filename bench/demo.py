"""./x demo: every kernel of kernels/, checked against float64 NumPy and timed
beside what PyTorch has for it. Writes build/demo.json; exit 1 where a result is
wrong.

Times of one process, quickly taken; `./x bench cpu` is the careful one.
"""

import json
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

ENOUGH_SECONDS = 0.15


def peers(torch) -> dict:
    """PyTorch's call for each kernel."""
    functional = torch.nn.functional

    def backward(forward):
        def call(grad, x, *parameters):
            leaves = [t.detach().requires_grad_() for t in (x, *parameters)]
            return torch.autograd.grad(forward(*leaves), leaves, grad)

        return call

    def layer_norm(x, weight, bias):
        return functional.layer_norm(x, x.shape[1:], weight, bias, 1e-5)

    def rms_norm(x, weight):
        return functional.rms_norm(x, x.shape[1:], weight, 1e-5)

    def gelu_tanh(x):
        return functional.gelu(x, approximate="tanh")

    return {
        "vector_add": torch.add,
        "seed_vector_add": torch.add,
        "relu": torch.relu,
        "silu": functional.silu,
        "gelu": functional.gelu,
        "gelu_tanh": gelu_tanh,
        "seed_gelu": gelu_tanh,
        "bias_add": torch.add,
        "softmax": lambda x: torch.softmax(x, 1),
        "layer_norm": layer_norm,
        "layer_norm_backward": backward(layer_norm),
        "rms_norm": rms_norm,
        "rms_norm_backward": backward(rms_norm),
        "embedding": lambda ids, table: functional.embedding(ids.int(), table),
        "scatter_add": lambda ids, rows, table: table.index_add_(
            0, ids.int(), rows),
        "cross_entropy": lambda x, targets: functional.cross_entropy(
            x, targets.long(), reduction="none"),
        "matmul": torch.mm,
        "seed_gemm": torch.mm,
        "seed_tutorial_gemm": torch.mm,
        "attention": functional.scaled_dot_product_attention,
        "attention-causal": lambda q, k, v:
            functional.scaled_dot_product_attention(q, k, v, is_causal=True),
        "seed_attention": lambda q, k, v:
            functional.scaled_dot_product_attention(
                q[None, None], k[None, None], v[None, None], scale=1.0),
    }


def milliseconds(call) -> float:
    call()
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < ENOUGH_SECONDS:
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def run_case(case, calls) -> dict:
    error, multiple = case.check()
    inputs = case.inputs()
    row = {"case": case.name, "error": error, "of_tolerance": multiple,
           "passed": bool(multiple <= 1),
           "tesela_ms": milliseconds(lambda: case.run(*inputs))}
    peer = calls.get(f"{case.kernel}-{case.note}") or calls.get(case.kernel)
    # An activation inside a product has no single call to compare with.
    if peer and not (case.kernel == "matmul" and case.note.isalpha()
                     and len(case.note) > 2):
        row["peer_ms"] = milliseconds(lambda: peer(*inputs))
        row["ratio"] = row["peer_ms"] / row["tesela_ms"]
    return row


def print_row(row: dict):
    line = (f"{row['case']:44} {row['error']:9.2e} "
            f"{'ok' if row['passed'] else 'WRONG':>5} "
            f"{row['tesela_ms']:9.3f}")
    if "ratio" in row:
        line += f" {row['peer_ms']:9.3f} {row['ratio']:7.2f}"
    print(line, flush=True)


def main() -> int:
    try:
        import torch
    except ImportError:
        print("PyTorch cannot be had for this Python, and the kernels' hosts "
              "make their tensors with it: nothing to show")
        return 0
    import tesela

    tesela.install_as_triton()
    from kernels.cases import all_cases

    print(f"{'kernel':44} {'max error':>9} {'':5} {'ms':>9} {'PyTorch':>9} "
          f"{'ratio':>7}")
    rows = []
    for case in all_cases(small=False):
        rows.append(run_case(case, peers(torch)))
        print_row(rows[-1])
    (ROOT / "build/demo.json").write_text(json.dumps(rows, indent=1) + "\n")
    wrong = [row["case"] for row in rows if not row["passed"]]
    print(f"{len(rows) - len(wrong)} kernels right, {len(wrong)} wrong; ratio: "
          "PyTorch's time over Tesela's, above 1 is faster")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
