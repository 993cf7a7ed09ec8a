"""Runs cases of one part on a GPU, one JSON line each: `worker.py PART FILE`.

FILE holds the names of the cases; `worker.py PART --list` prints all. A kernel
that faults ends the process, since nothing can run in it any more: run.py starts
another one for what is left.
"""

import json
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "test/python")]

REPEATS = 20
# Whose products of fp32 are made in tf32.
TF32_KERNELS = {"matmul", "attention"}
FAULTS = ("[device-fault]", "CUDA error", "an illegal memory access")


def poison(torch):
    """Lets new tensors begin as NaNs or large numbers."""
    def poisoned(make):
        def call(*args, **kwargs):
            tensor = make(*args, **kwargs)
            if tensor.is_cuda and tensor.numel():
                if tensor.is_floating_point():
                    tensor.fill_(float("nan"))
                else:
                    tensor.fill_(0x5A)
            return tensor
        return call

    torch.empty = poisoned(torch.empty)
    torch.empty_like = poisoned(torch.empty_like)


def bits(results):
    """Copies of the bytes of one result or several."""
    import torch

    if not isinstance(results, tuple):
        results = (results,)
    return [r.contiguous().view(torch.uint8).clone() for r in results]


def run_kernel(case) -> str:
    import torch

    is_tf32 = case.dtype == "float32" and case.kernel in TF32_KERNELS
    error, multiple = case.check(device="cuda",
                                 held_to="tf32" if is_tf32 else None)
    assert multiple <= 1, (
        f"error {error:.3g}, {multiple:.3g} times what is allowed")
    inputs = case.inputs(seed=1, device="cuda")
    first = bits(case.run(*inputs))
    for _ in range(REPEATS - 1):
        for one, other in zip(first, bits(case.run(*inputs)), strict=True):
            assert torch.equal(one, other), "a second run gives other bits"
    return f"error {error:.3g}, {multiple:.2g} of what is allowed"


def kernel_cases() -> dict:
    from kernels import cases

    every = cases.all_cases(small=True) + cases.all_cases(small=False)
    return {case.name: lambda case=case: run_kernel(case) for case in every}


def sanitizer_cases() -> dict:
    """The smallest cases that go through each kernel, once each."""
    from kernels import cases

    def check(case):
        error, multiple = case.check(device="cuda")
        return f"{multiple:.2g} of what is allowed"

    chosen = {}
    for case in cases.all_cases(small=True):
        if case.dtype != "bfloat16":
            chosen[f"{case.kernel}-{case.dtype}-{case.note}"] = case
    return {case.name: lambda case=case: check(case)
            for case in chosen.values()}


def op_cases() -> dict:
    import op_harness
    import op_table
    import test_atomics
    import test_float8
    import test_ops

    op_harness.gpu = True

    def wrap(run, *arguments):
        def call():
            run(*arguments)
            return ""
        return call

    found = {}
    for rows, run in ((op_table.MAPS, test_ops.run_map),
                      (op_table.TILES, test_ops.run_tile)):
        for parameter in test_ops.cases(rows):
            found[parameter.id] = wrap(run, *parameter.values)
    for name, check in test_float8.CHECKS.items():
        found[f"float8 {name}"] = lambda check=check: check() or ""
    for name, case in test_atomics.CASES.items():
        found[name] = wrap(*case)
    return found


def maths_cases() -> dict:
    """Functions of f64, whose bounds are those of the CPU."""
    import op_harness
    import test_maths

    op_harness.gpu = True
    return {f"{function.expression}-float64":
            lambda function=function: test_maths.hold_to_its_bound(
                function, "float64", "cuda") or ""
            for function in test_maths.FUNCTIONS}


PARTS = {"kernels": kernel_cases, "ops": op_cases, "maths": maths_cases,
         "sanitizer": sanitizer_cases}


def main():
    part, names = sys.argv[1:3]
    import tesela

    tesela.install_as_triton()
    cases = PARTS[part]()
    if names == "--list":
        print("\n".join(cases))
        return
    import torch

    if part == "kernels":
        poison(torch)
    torch.cuda.init()
    for name in Path(names).read_text().splitlines():
        print(json.dumps({"begin": name}), flush=True)
        begin = time.monotonic()
        answer = {"name": name, "ok": True}
        try:
            answer["detail"] = cases[name]()
            torch.cuda.synchronize()
        except Exception as problem:
            answer["ok"] = False
            answer["detail"] = f"{type(problem).__name__}: {problem}"[:3000]
            answer["trace"] = traceback.format_exc()[-3000:]
        answer["seconds"] = round(time.monotonic() - begin, 3)
        answer["fault"] = not answer["ok"] and any(
            text in answer["detail"] for text in FAULTS)
        print(json.dumps(answer), flush=True)
        if answer["fault"]:
            sys.stdout.flush()
            import os
            os._exit(3)


if __name__ == "__main__":
    main()
