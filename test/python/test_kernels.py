"""The kernels that ship, against NumPy in float64."""

import hashlib

import pytest
from conftest import ROOT, needs_torch
from kernels import cases

pytestmark = [needs_torch, pytest.mark.usefixtures("drop_in")]

# Of the kernels as the seed documents print them, from decorator to last line.
SEED_KERNELS = {
    "vector_add": "d73d90e7b44e3fdc",
    "vector_add_zh": "c1f0e0147104e89b",
    "gemm": "4fec57f57b541500",
    "gemm_zh": "4f4ca459c0f62ebd",
    "attention": "8c9a034602a8b17e",
    "attention_zh": "58e500d30a9d4976",
}


@pytest.mark.parametrize("case", [
    pytest.param(case, id=case.name,
                 marks=[] if case.dtype == "float32" else [pytest.mark.slow])
    for case in cases.all_cases()
])
def test_kernel(case):
    error, multiple = case.check()
    assert multiple <= 1, f"error {error}, {multiple} times what is allowed"


@pytest.mark.parametrize("name", SEED_KERNELS)
def test_seed_kernels_are_byte_for_byte(name):
    text = (ROOT / "kernels" / "seeds" / f"{name}.py").read_bytes()
    begin = text.index(b"@triton.jit")
    kernel = text[begin:].split(b"\n\ndef ")[0].split(b"\n\n# ")[0] + b"\n"
    assert hashlib.sha256(kernel).hexdigest()[:16] == SEED_KERNELS[name]
