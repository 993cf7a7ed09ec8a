"""The kernels with inputs to try them on, for the tests and the demo.

`import triton` has to mean what is to run them: Tesela after
`tesela.install_as_triton()`, or Triton itself. Tensors are PyTorch's.
"""

import contextlib
import importlib
import io
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

from kernels import reference


@dataclass
class Case:
    """One kernel on one input."""

    kernel: str  # a row of `reference.TOLERANCES`
    dtype: str
    shape: tuple
    make: Callable  # (generator) -> the inputs, float64 arrays
    run: Callable  # (*tensors) -> one result or several, tensors
    want: Callable  # (*float64 arrays) -> the same, arrays
    note: str = ""
    transposed: tuple = field(default=())  # inputs with swapped strides

    @property
    def name(self) -> str:
        parts = [self.kernel, "x".join(map(str, self.shape)), self.note]
        return "-".join([*filter(None, parts), self.dtype])

    def inputs(self, seed: int = 0, device: str = "cpu") -> list:
        """The inputs as tensors of the dtype."""
        import torch

        arrays = self.make(np.random.default_rng(seed))
        tensors = [torch.from_numpy(np.ascontiguousarray(a)).to(
            device, getattr(torch, self.dtype)) for a in arrays]
        for index in self.transposed:
            tensors[index] = tensors[index].t().contiguous().t()
        return tensors

    def check(self, seed: int = 0, device: str = "cpu",
              held_to: str | None = None) -> tuple[float, float]:
        """Runs it; gives the largest error, and as a multiple of what is
        allowed: for the dtype, or for the row `held_to` of the tolerances."""
        inputs = self.inputs(seed, device)
        wanted = self.want(*[to_float64(tensor) for tensor in inputs])
        results = self.run(*inputs)
        if not isinstance(results, tuple):
            results, wanted = (results,), (wanted,)
        found = [
            reference.excess(self.kernel, held_to or self.dtype,
                             to_float64(got), want)
            for got, want in zip(results, wanted, strict=True)
        ]
        return max(e for e, _ in found), max(m for _, m in found)


def to_float64(tensor) -> np.ndarray:
    return tensor.detach().double().cpu().numpy()


def load(name: str):
    """A module of kernels. Those of the seeds run their hosts when they are
    imported: what these print is dropped."""
    with contextlib.redirect_stdout(io.StringIO()):
        return importlib.import_module(f"kernels.{name}")


def normal(*shapes):
    return lambda rng: [rng.standard_normal(shape) for shape in shapes]


FLOATS = ("float32", "float16", "bfloat16")


def _element_wise(small: bool) -> list[Case]:
    def run(name, **options):
        return lambda x: getattr(load("activations"), name)(x, **options)

    cases = []
    for n in (1, 1000, 4097) if small else (1 << 20,):
        cases += [
            Case("vector_add", dtype, (n,), normal((n,), (n,)),
                 lambda x, y: load("vector_add").add(x, y), reference.add)
            for dtype in ("float64", *FLOATS)
        ]
        for kernel, call in (("relu", run("relu")), ("silu", run("silu")),
                             ("gelu", run("gelu")),
                             ("gelu_tanh", run("gelu", approximate="tanh"))):
            cases += [
                Case(kernel, dtype, (n,),
                     lambda rng, n=n: [3 * rng.standard_normal(n)], call,
                     getattr(reference, kernel))
                for dtype in FLOATS
            ]
    return cases


def _rows(small: bool) -> list[Case]:
    def layer_norm_backward(grad, x, weight, bias):
        module = load("layer_norm")
        _, mean, rstd = module.layer_norm(x, weight, bias)
        return module.layer_norm_backward(grad, x, weight, bias, mean, rstd)

    def rms_norm_backward(grad, x, weight):
        module = load("rms_norm")
        _, rstd = module.rms_norm(x, weight)
        return module.rms_norm_backward(grad, x, weight, rstd)

    def layer_norm(*args):
        return load("layer_norm").layer_norm(*args)[0]

    def rms_norm(*args):
        return load("rms_norm").rms_norm(*args)[0]

    cases = []
    for m, n in ((1, 1), (3, 17), (37, 1000)) if small else ((1024, 1024),):
        row, vector = (m, n), (n,)
        for dtype in FLOATS:
            cases += [
                Case("bias_add", dtype, row, normal(row, vector),
                     lambda *a: load("bias_add").bias_add(*a),
                     reference.bias_add),
                Case("softmax", dtype, row, normal(row),
                     lambda x: load("softmax").softmax(x), reference.softmax),
                Case("layer_norm", dtype, row, normal(row, vector, vector),
                     layer_norm, reference.layer_norm),
                Case("rms_norm", dtype, row, normal(row, vector), rms_norm,
                     reference.rms_norm),
            ]
            if n > 1:  # one element has no gradient but rounding errors
                cases += [
                    Case("layer_norm_backward", dtype, row,
                         normal(row, row, vector, vector), layer_norm_backward,
                         reference.layer_norm_backward),
                    Case("rms_norm_backward", dtype, row,
                         normal(row, row, vector), rms_norm_backward,
                         reference.rms_norm_backward),
                ]
    return cases


def _scattered(rng, rows, tokens, n):
    """Some rows' numbers, what is added to them, and the table."""
    ids = rng.permutation(rows)[:min(tokens, 256)]
    return [ids.astype(float), rng.standard_normal((len(ids), n)),
            rng.standard_normal((rows, n))]


def _tables(small: bool) -> list[Case]:
    def whole(rows, tokens, n):
        # Sums of whole numbers are the same in any order.
        return lambda rng: [rng.integers(0, rows, tokens).astype(float),
                            rng.integers(-8, 9, (tokens, n)).astype(float)]

    def table(rows, tokens, n):
        return lambda rng: [rng.integers(0, rows, tokens).astype(float),
                            rng.standard_normal((rows, n))]

    cases = []
    for rows, tokens, n in (((1, 1, 1), (7, 100, 33), (40, 65, 300)) if small
                            else ((200, 4096, 1024),)):
        for dtype in FLOATS:
            cases += [
                Case("cumsum", dtype, (tokens, n), normal((tokens, n)),
                     lambda x: load("cumsum").cumsum(x), reference.cumsum),
                Case("embedding", dtype, (rows, tokens, n),
                     table(rows, tokens, n),
                     lambda ids, t: load("embedding").embedding(ids.int(), t),
                     reference.embedding),
                Case("embedding_backward", dtype, (rows, tokens, n),
                     whole(rows, tokens, n),
                     lambda ids, grad, r=rows: load(
                         "embedding").embedding_backward(ids.int(), grad, r),
                     lambda ids, grad, r=rows: reference.embedding_backward(
                         ids, grad, r)),
                Case("scatter_add", dtype, (rows, tokens, n),
                     lambda rng, s=(rows, tokens, n): _scattered(rng, *s),
                     lambda ids, x, t: load("embedding").scatter_add(
                         ids.int(), x, t.clone(), unique=True),
                     reference.scatter_add),
                Case("cross_entropy", dtype, (tokens, n),
                     lambda rng, s=(tokens, n): [
                         4 * rng.standard_normal(s),
                         rng.integers(0, min(s[1], 256), s[0]).astype(float)],
                     lambda x, ids: load("cross_entropy").cross_entropy(
                         x, ids.int()), reference.cross_entropy),
            ]
    if small:
        cases.append(Case("cumsum", "float32", (3, 2500), normal((3, 2500)),
                          lambda x: load("cumsum").cumsum(x), reference.cumsum))
        cases.append(Case("cross_entropy", "float32", (3, 9999),
                          lambda rng: [rng.standard_normal((3, 9999)),
                                       np.array([0.0, 9998, 4096])],
                          lambda x, ids: load("cross_entropy").cross_entropy(
                              x, ids.long()), reference.cross_entropy))
    return cases


def _matmul(small: bool) -> list[Case]:
    shapes = ((1, 1, 1), (64, 64, 32), (70, 90, 50), (130, 65, 200))
    cases = []
    for m, n, k in shapes if small else ((512, 512, 512),):
        for dtype in FLOATS:
            variants = [("", ())]
            if m == 70 or not small:
                variants += [("leaky_relu", ()), ("silu", ()), ("", (0,)),
                             ("", (1,)), ("", (0, 1))]
            cases += [
                Case("matmul", dtype, (m, n, k), normal((m, k), (k, n)),
                     lambda a, b, act=act: load("matmul").matmul(a, b, act),
                     lambda a, b, act=act: reference.matmul(a, b, act),
                     note=act or "".join("ab"[i] + "t" for i in transposed),
                     transposed=transposed)
                for act, transposed in variants
            ]
    return cases


FLOAT8 = ("float8_e4m3fn", "float8_e5m2")


def _matmul_float8(small: bool) -> list[Case]:
    """Whole numbers, so small that their sums are exact in whatever hardware
    adds products of 8-bit floats to (13 bits at least)."""
    def whole(*shapes):
        return lambda rng: [rng.integers(-2, 3, shape).astype(np.float64)
                            for shape in shapes]

    def run(a, b, blocks, **options):
        import torch

        (m, k), n = a.shape, b.shape[1]
        out = torch.zeros((m, n), dtype=torch.float32, device=a.device)
        block_m, block_n, block_k = blocks
        grid = (-(-m // block_m) * -(-n // block_n),)
        load("matmul").matmul_kernel[grid](
            a, b, out, m, n, k, *a.stride(), *b.stride(), *out.stride(),
            BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k, GROUP=8,
            **options)
        return out

    little, many = (64, 64, 32), {"num_warps": 8}
    chosen = [((70, 90, 50), little, {}), ((130, 65, 208), little, {}),
              ((250, 300, 512), (128, 128, 128), many),
              ((256, 512, 320), (128, 256, 64), many)]
    cases = []
    for (m, n, k), blocks, options in chosen if small else [
            ((512, 512, 512), (128, 256, 64), many)]:
        for dtype in FLOAT8:
            cases += [
                Case("matmul", dtype, (m, n, k), whole((m, k), (k, n)),
                     lambda a, b, blocks=blocks, options=options: run(
                         a, b, blocks, **options), reference.matmul,
                     note="".join("ab"[i] + "t" for i in transposed),
                     transposed=transposed)
                for transposed in ((), (1,))
            ]
    return cases


def _attention(small: bool) -> list[Case]:
    shapes = ((1, 1, 64, 64), (2, 3, 100, 40), (1, 2, 70, 16), (1, 1, 5, 256),
              (1, 1, 130, 128))
    cases = []
    for shape in shapes if small else ((1, 4, 512, 64),):
        for dtype in FLOATS:
            cases += [
                Case("attention", dtype, shape, normal(shape, shape, shape),
                     lambda *a, c=causal: load("attention").attention(
                         *a, causal=c),
                     lambda *a, c=causal: reference.attention(*a, causal=c),
                     note="causal" if causal else "")
                for causal in (False, True)
            ]
    if small:
        q, kv = (1, 2, 33, 64), (1, 2, 150, 64)
        cases.append(
            Case("attention", "float32", q, normal(q, kv, kv),
                 lambda *a: load("attention").attention(*a, scale=0.5),
                 lambda *a: reference.attention(*a, scale=0.5),
                 note="other-length"))
        # Several warpgroups, where there are any, and a maximum of scores that
        # is the minimum of the products.
        for rows, warps, scale in ((128, 8, 0.5), (256, 16, 0.5),
                                   (128, 8, -0.5)):
            q, kv = (1, 2, 300, 64), (1, 2, 400, 64)
            options = {"scale": scale, "block": (rows, 64), "num_warps": warps}
            cases.append(
                Case("attention", "float16", q, normal(q, kv, kv),
                     lambda *a, o=options: load("attention").attention(*a, **o),
                     lambda *a, s=scale: reference.attention(*a, scale=s),
                     note=f"{warps}-warps" + ("-negative" if scale < 0 else "")))
    return cases


def _seeds() -> list[Case]:
    """The kernels of the seed documents, launched as there."""
    def gemm(a, b):
        return load("seeds.gemm").matmul(a, b)

    def attention(q, k, v):
        import torch

        n, d = q.shape
        out = torch.empty_like(q)
        load("seeds.attention").flashattn_kernel[(n // 64,)](
            q, k, v, out, n, d, BLOCK=64, d_BLOCK=64)
        return out

    n = 100_003
    return [
        Case("seed_vector_add", "float32", (n,), normal((n,), (n,)),
             lambda x, y: load("seeds.vector_add").add(x, y), reference.add),
        Case("seed_gelu", "float32", (n,), normal((n,)),
             lambda x: load("seeds.gelu").gelu(x), reference.gelu_tanh),
        Case("seed_gemm", "float16", (256, 256, 256),
             normal((256, 256), (256, 256)), gemm, reference.matmul),
        Case("seed_tutorial_gemm", "float16", (250, 130, 300),
             normal((250, 300), (300, 130)),
             lambda a, b: load("seeds.tutorial_gemm").matmul(a, b),
             reference.matmul),
        Case("seed_attention", "float16", (512, 64),
             normal((512, 64), (512, 64), (512, 64)), attention,
             lambda *a: reference.attention(*a, scale=1)),
    ]


def all_cases(small: bool = True) -> list[Case]:
    """Odd and tiny shapes for tests, or (`small=False`) one of some size for
    each kernel; the seeds' kernels in both."""
    return (_seeds() + _element_wise(small) + _rows(small)
            + _tables(small) + _matmul(small) + _matmul_float8(small)
            + _attention(small))
