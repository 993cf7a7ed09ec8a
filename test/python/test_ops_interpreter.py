"""The ops against Triton's own interpreter, where it supports them."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import op_harness as harness
import op_table as table
import pytest
import tesela
import tesela.language as tl
import test_ops as ops
from conftest import installed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (installed("torch") and installed("triton")),
                       reason="Triton is not installed"),
]


def prepare(row, dtypes):
    """Source, inputs, (size, dtype) of each output, grid, more arguments."""
    outs = ops.outputs_of(row, dtypes)
    if isinstance(row, table.Map):
        return (ops.map_source(row), ops.map_inputs(row, dtypes), dtypes,
                [(ops.COUNT, outs[0])], tesela.cdiv(ops.COUNT, ops.BLOCK),
                (ops.COUNT, ops.BLOCK))
    sizes = [int(np.prod(shape)) for shape in row.out_shapes]
    return (ops.tile_source(row, dtypes), ops.tile_inputs(row, dtypes), dtypes,
            list(zip(sizes, outs)), 1, tuple(row.limits or ()))


# The interpreter takes the bits of bfloat16 for whole numbers where it computes.
COMPUTED = {"add", "sub", "mul", "multiply by float", "neg", "lt", "le", "gt",
            "ge", "where", "sum along 0", "sum along 1", "sum along None",
            "full"}


def is_right(row, dtypes) -> bool:
    """Whether the interpreter can be relied on."""
    outs = ops.outputs_of(row, dtypes)
    # It computes with the bytes of 8-bit floats.
    if any(dtype in harness.FLOAT8 for dtype in dtypes + outs):
        return False
    if "bfloat16" not in dtypes + outs:
        return True
    if row.name.endswith("to bfloat16"):
        return dtypes[0] in ("float16", "bfloat16", "float32")
    return row.name not in COMPUTED and not row.name.startswith(
        ("dot", "cum", "sort", "topk"))


def supported():
    for row in table.MAPS + table.TILES:
        for dtypes in row.dtypes if row.interpreter else ():
            full = ops.dtypes_of(row, dtypes)
            if is_right(row, full):
                yield f"{row.name}-{'-'.join(full)}", row, full


CASES = {key: (row, dtypes) for key, row, dtypes in supported()}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What the interpreter gives for all of them."""
    folder = tmp_path_factory.mktemp("interpreter")
    with open(folder / "cases", "wb") as file:
        pickle.dump([(key, *prepare(*case)) for key, case in CASES.items()],
                    file)
    worker = Path(__file__).with_name("op_interpreter.py")
    subprocess.run([sys.executable, worker, folder / "cases",
                    folder / "answers"], check=True)
    with open(folder / "answers", "rb") as file:
        return pickle.load(file)


@pytest.mark.parametrize("key", CASES)
def test_agrees(key, answers):
    answer = answers[key]
    if isinstance(answer, str):
        pytest.skip(f"the interpreter: {answer.splitlines()[0][:100]}")
    row, dtypes = CASES[key]
    source, inputs, _, outs, grid, extra = prepare(row, dtypes)
    kernel = harness.make_kernel(source, tesela.jit, tl)
    results = [harness.Output(size, dtype) for size, dtype in outs]
    kernel[(grid,)](*[harness.Typed(x, d) for x, d in zip(inputs, dtypes)],
                    *[r.argument() for r in results], *extra)
    for result, theirs, (size, out) in zip(results, answer, outs):
        got = result.stored(slice(0, size))
        if harness.is_float(out):
            limit = row.ulp[dtypes[0]] if isinstance(row.ulp, dict) else row.ulp
            distance = harness.ulps(harness.decode(got, out),
                                    harness.decode(theirs, out), out)
            # Each is as far from the exact result.
            assert distance <= max(2 * limit, 1), f"{distance} ulp apart"
        else:
            assert (got == theirs).all()
