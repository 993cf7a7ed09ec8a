"""Runs ops under Triton's interpreter, as a process of its own.

Reads a pickled list of (key, source, inputs, dtypes, outputs, count, extra
arguments) and writes a pickled dict of key -> stored outputs, or the text of
the error.
"""

import os
import pickle
import sys

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import op_harness as harness
import triton
import triton.language as tl


def run(source, inputs, dtypes, outs, grid, extra):
    kernel = harness.make_kernel(source, triton.jit, tl)
    results = [np.zeros(size, harness.FORMATS[dtype][0])
               for size, dtype in outs]
    tensors = [harness.to_torch(x, d) for x, d in zip(inputs, dtypes)]
    tensors += [harness.to_torch(r, d) for r, (_, d) in zip(results, outs)]
    kernel[(grid,)](*tensors, *extra)
    return results


def main():
    with open(sys.argv[1], "rb") as file:
        cases = pickle.load(file)
    answers = {}
    for key, *case in cases:
        try:
            with np.errstate(all="ignore"):
                answers[key] = run(*case)
        except BaseException as error:
            answers[key] = f"{type(error).__name__}: {error}"
    with open(sys.argv[2], "wb") as file:
        pickle.dump(answers, file)


if __name__ == "__main__":
    main()
