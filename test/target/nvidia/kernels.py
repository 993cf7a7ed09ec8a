"""Compiles all of `kernels/`, in every configuration that tests, benches and
the demo run on a GPU, and has NVIDIA's assembler take the PTX.

    python kernels.py PTXAS TESELA KERNELS ARCHITECTURE

Fails where the assembler remarks on the code, and where a kernel that multiplies
matrices keeps registers in memory: before sm_90a not where the accumulators of
attention take 128 registers of a thread and more.
"""

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HALF, SINGLE, WIDE = "*fp16:16", "*fp32:16", "i32:16"


def case(kernel, args, constants, warps=4, stages=3):
    return kernel, args, constants, warps, stages


def gemm(file, a, b, k, warps=4, stages=3, pointer=HALF, names=None, **more):
    m, n, depth = names or ("BLOCK_M", "BLOCK_N", "BLOCK_K")
    args = {f"{x}_ptr": pointer for x in "abc"}
    args |= dict.fromkeys(["M", "N", "K", "stride_am", "stride_bk", "stride_cm"],
                          WIDE)
    args |= dict.fromkeys(["stride_ak", "stride_bn", "stride_cn"], "1")
    return case(f"{file}.py:matmul_kernel", args,
                {m: a, n: b, depth: k, **more}, warps, stages)


def attention(dim, rows, columns, warps, stages, causal):
    args = {f"{x}_ptr": HALF for x in ("q", "k", "v", "out")}
    args |= {f"stride_{x}{y}": WIDE for x in "qkvo"
             for y in ("bhm" if x in "qo" else "bhn")}
    args |= dict.fromkeys(["num_heads", "num_queries", "num_keys"], WIDE)
    args |= {"scale": "fp32"}
    return case("attention.py:attention_kernel", args,
                {"HEAD": dim, "BLOCK_D": dim, "BLOCK_M": rows,
                 "BLOCK_N": columns, "CAUSAL": causal}, warps, stages)


def elementwise(kernel, pointers, **constants):
    args = {f"{x}_ptr": SINGLE for x in pointers} | {"n": WIDE}
    return case(kernel, args, constants)


def row(file, kernel, pointers, strides, block, warps, extra=()):
    args = {f"{x}_ptr": SINGLE for x in pointers}
    args |= {f"stride_{x}m": WIDE for x in strides}
    args |= {"num_cols": WIDE, **dict(extra)}
    return case(f"{file}.py:{kernel}_kernel", args, {"BLOCK": block}, warps)


GEMM_CONFIGS = [
    (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (256, 128, 64, 8, 3),
    (128, 128, 64, 4, 4), (128, 128, 64, 8, 4), (128, 128, 64, 8, 3),
    (128, 64, 64, 4, 5), (64, 128, 64, 4, 5), (64, 256, 64, 4, 4),
    (64, 64, 64, 4, 6), (128, 128, 128, 8, 3), (64, 128, 128, 4, 3),
]
ATTENTION_CONFIGS = [(128, 64, 4, 3), (128, 64, 8, 3), (128, 128, 8, 2),
                     (128, 128, 8, 3), (64, 64, 4, 3), (128, 32, 4, 4)]


def cases():
    for kernel in ("relu", "silu", "gelu", "gelu_tanh"):
        for block in (1024, 4096):
            yield elementwise(f"activations.py:{kernel}_kernel", ["x", "out"],
                              BLOCK=block)
    for block in (1024, 4096):
        yield elementwise("vector_add.py:add_kernel", ["x", "y", "out"],
                          BLOCK=block)
    for block, warps in ((1024, 4), (4096, 8), (16384, 16)):
        yield row("softmax", "softmax", ["x", "out"], "xo", block, warps)
        yield row("layer_norm", "layer_norm_forward",
                  ["x", "weight", "bias", "out", "mean", "rstd"], "xo", block,
                  warps, {"eps": "fp32"})
        yield row("rms_norm", "rms_norm_forward",
                  ["x", "weight", "out", "rstd"], "xo", block, warps,
                  {"eps": "fp32"})
    yield row("layer_norm", "layer_norm_backward",
              ["x", "weight", "grad", "mean", "rstd", "grad_x", "part_weight",
               "part_bias"], "xgo", 1024, 4, {"num_rows": WIDE, "rows_each": WIDE})
    yield row("rms_norm", "rms_norm_backward",
              ["x", "weight", "grad", "rstd", "grad_x", "part_weight"], "xgo",
              1024, 4, {"num_rows": WIDE, "rows_each": WIDE})
    for file in ("layer_norm", "rms_norm"):
        yield case(f"{file}.py:sum_rows_kernel",
                   {"part_ptr": SINGLE, "out_ptr": SINGLE, "num_rows": WIDE,
                    "num_cols": WIDE}, {"BLOCK_M": 32, "BLOCK_N": 128})
    yield case("bias_add.py:bias_add_kernel",
               {"x_ptr": SINGLE, "bias_ptr": SINGLE, "out_ptr": SINGLE,
                "num_rows": WIDE, "num_cols": WIDE, "stride_xm": WIDE,
                "stride_om": WIDE}, {"BLOCK_M": 16, "BLOCK_N": 256})
    for m, n, k, warps, stages in GEMM_CONFIGS:
        yield gemm("matmul", m, n, k, warps, stages, GROUP=8)
    for activation in ("", "leaky_relu", "silu"):
        yield gemm("matmul", 64, 64, 32, GROUP=8, ACTIVATION=activation)
    yield gemm("matmul", 64, 64, 32, pointer=SINGLE, GROUP=8)
    yield gemm("seeds/gemm", 64, 64, 32)
    yield gemm("seeds/gemm", 128, 128, 64)
    yield gemm("seeds/tutorial_gemm", 64, 64, 32, GROUP_SIZE_M=8, names=[
        f"BLOCK_SIZE_{x}" for x in "MNK"])
    yield case("seeds/attention.py:flashattn_kernel",
               {"q_ptr": HALF, "k_ptr": HALF, "v_ptr": HALF, "o_ptr": HALF,
                "N": WIDE, "d": WIDE}, {"BLOCK": 64, "d_BLOCK": 64})
    for dim in (64, 128):
        for causal in (False, True):
            for config in ATTENTION_CONFIGS:
                yield attention(dim, *config, causal)


def must_fit(architecture, constants, warps):
    sizes = {name.removeprefix("BLOCK_SIZE_").removeprefix("BLOCK_"): size
             for name, size in constants.items()}
    if "HEAD" in sizes:
        words = sizes["M"] * (sizes["HEAD"] + sizes["N"])
        return architecture == "90a" or words < 128 * 32 * warps
    return "K" in sizes or "d_BLOCK" in sizes


def assemble(ptxas, tesela, kernels, architecture, given):
    kernel, args, constants, warps, stages = given
    words = [f"--arg={k}={v}" for k, v in args.items()]
    words += [f"-D{k}={v}" for k, v in constants.items()]
    name = " ".join([kernel, *words[len(args):], f"{warps} warps"])
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder, "kernel.ptx")
        run = subprocess.run(
            [tesela, "show", f"{kernels}/{kernel}", *words, "--stage=ptx",
             f"--target=cuda:{architecture}", f"--num-warps={warps}",
             f"--num-stages={stages}", "--plain", "-o", ptx],
            capture_output=True, text=True)
        if run.returncode:
            return name, [run.stderr]
        run = subprocess.run([ptxas, f"-arch=sm_{architecture}", "-v", ptx,
                              "-o", "/dev/null"], capture_output=True, text=True)
    report = run.stdout + run.stderr
    problems = re.findall(r".*(?:\(C7\d+\)|warning|unresolved|error).*", report)
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill", report)]
    if any(spills) and must_fit(architecture, constants, warps):
        problems.append(f"spills: {spills}")
    registers = re.findall(r"Used (\d+) registers", report)
    return f"{name}: {registers} registers, spills {spills}", problems


def main() -> int:
    failures = count = 0
    with ThreadPoolExecutor(2) as pool:
        for name, problems in pool.map(
                lambda given: assemble(*sys.argv[1:], given), cases()):
            count += 1
            failures += bool(problems)
            print(name, *problems, sep="\n  ")
    print(f"{count - failures} of {count} kernels assemble")
    return failures != 0


sys.exit(main())
