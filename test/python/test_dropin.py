"""`import triton`, served by Tesela."""

import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, needs_torch

SCRIPT = '''\
import sys
import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.runtime.jit import JITFunction
import triton.testing

@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(x_ptr + offs, x + libdevice.abs(-1), mask=offs < n)

if __name__ == "__main__":
    x = np.zeros(10, dtype=np.int32)
    kernel[(triton.cdiv(9, 4),)](x, 9, BLOCK=4)
    print(x.tolist(), sys.argv, isinstance(kernel, JITFunction))
'''


def run(*arguments, **kwargs):
    return subprocess.run([sys.executable, *arguments], text=True,
                          capture_output=True, **kwargs)


def test_scripts_run_unchanged(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    result = run("-m", "tesela", script, "one", "--two")
    assert result.stderr == ""
    assert result.stdout == (
        f"[1, 1, 1, 1, 1, 1, 1, 1, 1, 0] ['{script}', 'one', '--two'] True\n"
    )


def test_modules_run_unchanged(tmp_path):
    (tmp_path / "my_module.py").write_text(SCRIPT)
    result = run("-m", "tesela", "-m", "my_module", "x", cwd=tmp_path)
    assert result.stderr == ""
    assert result.stdout.startswith("[1, 1, 1, 1, 1, 1, 1, 1, 1, 0]")


def test_texts_run_unchanged():
    result = run("-m", "tesela", "-c", SCRIPT)
    assert result.stderr == ""
    assert result.stdout.startswith("[1, 1, 1, 1, 1, 1, 1, 1, 1, 0] ['-c']")


def test_standard_input_runs_unchanged():
    result = run("-m", "tesela", "-", "x", input=SCRIPT)
    assert result.stderr == ""
    assert result.stdout.startswith(
        "[1, 1, 1, 1, 1, 1, 1, 1, 1, 0] ['-', 'x']"
    )


def test_folders_and_archives_run_unchanged(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "__main__.py").write_text("import beside\nbeside.run()\n")
    (folder / "beside.py").write_text(
        "import sys, triton\n"
        "def run(): print(triton.is_tesela, sys.argv)\n"
    )
    archive = shutil.make_archive(str(tmp_path / "bundle"), "zip", folder)
    for what in (str(folder), archive):
        result = run("-m", "tesela", what, "a")
        assert result.stdout == f"True {[what, 'a']}\n", result.stderr


@pytest.mark.parametrize("arguments", [
    ["-cimport sys; print(sys.argv, __name__)", "a"],
    ["-c", "import sys; print(sys.argv, __name__)", "a"],
    ["-mtell", "a"],
    ["-m", "tell", "-c"],
    ["-mpackage"],
    ["tell.py", "-m"],
    ["-", "-"],
])
def test_what_programs_see_is_what_python_shows(tmp_path, arguments):
    tell = ("import sys\nprint(sys.argv, __name__, __package__,\n"
            "      __doc__, type(__loader__), bool(__spec__))\n")
    (tmp_path / "tell.py").write_text(tell)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__main__.py").write_text(tell)
    (tmp_path / "package" / "__init__.py").write_text("")
    ours, pythons = (
        run(*before, *arguments, cwd=tmp_path,
            input="import sys; print(sys.argv)")
        for before in (["-m", "tesela"], [])
    )
    assert ours.stdout == pythons.stdout != ""
    assert ours.stderr == pythons.stderr == ""


FAILING = "def f():\n    raise KeyError('mine')\nf()\n"


@pytest.mark.parametrize("arguments", [
    ["failing.py"], ["-m", "failing"], ["-"], ["wrong.py"], ["-m", "nowhere"],
    ["interrupted.py"], ["hooked.py"], ["leaving.py"],
])
def test_tracebacks_are_those_of_python(tmp_path, arguments):
    for name, text in [
        ("failing", FAILING),
        ("wrong", "x = (\n"),
        ("interrupted", "raise KeyboardInterrupt\n"),
        ("leaving", "import sys\nsys.exit('gone')\n"),
        ("hooked", "import sys, traceback\n"
                   "def hook(kind, error, trace):\n"
                   "    print('hook', traceback.extract_tb(trace))\n"
                   "sys.excepthook = hook\n" + FAILING),
    ]:
        (tmp_path / f"{name}.py").write_text(text)
    ours, pythons = (run(*before, *arguments, cwd=tmp_path, input=FAILING)
                     for before in (["-m", "tesela"], []))

    def comparable(text):
        # Python shows how it starts a module, and no lines of its input.
        lines = text.splitlines()
        return [line for i, line in enumerate(lines)
                if "<frozen runpy>" not in line
                and not (i and "<stdin>" in lines[i - 1]
                         and not line.startswith("  File"))
                and line.strip("^ ")]

    assert ours.returncode == pythons.returncode != 0
    assert comparable(ours.stderr) == comparable(pythons.stderr)
    assert ours.stdout == pythons.stdout


def test_scripts_import_their_neighbours(tmp_path):
    (tmp_path / "neighbour.py").write_text(SCRIPT)
    script = tmp_path / "script.py"
    script.write_text("import neighbour\nprint(neighbour.kernel.__module__)\n")
    assert run("-m", "tesela", script).stdout == "neighbour\n"


def test_a_script_can_be_the_main_module_of_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing\n"
        "import triton\n"
        "def work(x):\n"
        "    return triton.__version__, triton.is_tesela\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context('spawn')\n"
        "    with context.Pool(1) as pool:\n"
        "        print(pool.map(work, [1]))\n"
    )
    result = run("-m", "tesela", script)
    assert result.stdout == "[('3.6.0', True)]\n", result.stderr


@pytest.mark.parametrize("arguments, status, message", [
    ([], 2, "python -m tesela SCRIPT"),
    (["--help"], 0, "python -m tesela SCRIPT"),
    (["nowhere.py"], 2, "cannot read nowhere.py"),
    (["-m"], 2, "-m needs an argument"),
])
def test_wrong_uses(arguments, status, message):
    result = run("-m", "tesela", *arguments)
    assert result.returncode == status
    assert message in result.stdout + result.stderr


def test_errors_of_the_script_are_its_own(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("raise KeyError('mine')\n")
    result = run("-m", "tesela", script)
    assert result.returncode == 1
    assert "KeyError: 'mine'" in result.stderr
    assert "line 1, in <module>" in result.stderr


def test_another_triton_is_left_alone(tmp_path):
    (tmp_path / "triton.py").write_text("")
    result = run("-c", "import triton, tesela; tesela.install_as_triton()",
                 cwd=tmp_path)
    assert "another `triton` is imported already" in result.stderr


def test_names_that_scripts_use(drop_in):
    import triton
    import triton.language as tl
    import triton.language.core
    import triton.language.extra.cuda.libdevice
    import triton.language.math
    from triton import Config, autotune, cdiv, heuristics, next_power_of_2
    from triton.backends.compiler import GPUTarget
    from triton.compiler.errors import CompilationError
    from triton.language.extra.cuda import libdevice
    from triton.runtime import driver
    from triton.runtime.autotuner import Autotuner, OutOfResources
    from triton.runtime.errors import OutOfResources as again
    from triton.runtime.driver import driver as same

    import tesela

    assert triton.jit is tesela.jit
    assert tl is tesela.language
    assert triton.language.core is tl.core
    assert libdevice is tl.extra.libdevice
    assert CompilationError is tesela.CompileError
    assert OutOfResources is again
    assert tuple(map(int, triton.__version__.split(".")[:2])) == (3, 6)
    assert driver is same
    target = driver.active.get_current_target()
    assert isinstance(target, GPUTarget) and target.backend == "cpu"
    properties = driver.active.utils.get_device_properties(0)
    assert properties["multiprocessor_count"] >= 1
    tesela.install_as_triton()  # a second time does nothing


@needs_torch
def test_devices_that_scripts_ask_for(drop_in):
    import torch
    import triton

    assert triton.runtime.driver.active.get_active_torch_device() == (
        torch.device("cpu")
    )


@needs_torch
@pytest.mark.slow
@pytest.mark.parametrize("name, printed", [
    ("vector_add", "correctness: True\n"),
    ("vector_add_zh", "正确性: True\n"),
    ("gemm", "correctness: True\n"),
    ("gemm_zh", "正确性: True\n"),
    ("attention", "output shape: torch.Size([512, 64])\n"),
    ("attention_zh", "输出形状: torch.Size([512, 64])\n"),
    ("gelu", "correctness: True\n"),
    ("tutorial_gemm", "correctness: True\n"),
])
def test_scripts_of_the_seeds(name, printed):
    result = run("-m", "tesela", ROOT / "kernels" / "seeds" / f"{name}.py")
    assert result.stdout == printed, result.stderr


TUTORIAL = '''\
import numpy as np
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice
from triton.runtime import driver

LIMIT = tl.constexpr(2)
assert driver.active.get_current_target().backend == "cpu"

@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, SCALE: tl.constexpr = LIMIT):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, libdevice.asin(x) * SCALE * LIMIT, mask=at < n)

x = np.linspace(-1, 1, 100, dtype=np.float32)
y = np.zeros_like(x)
grid = lambda meta: (triton.cdiv(x.size, meta["BLOCK"]),)
compiled = kernel.warmup(x, y, x.size, BLOCK=64, grid=(1,))
kernel[grid](x, y, x.size, BLOCK=64)
assert np.allclose(y, 4 * np.arcsin(x))

@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["size"], x_vals=[10, 100], line_arg="provider",
    line_vals=["ours"], line_names=["Ours"], plot_name="asin", args={}))
def benchmark(size, provider):
    ms, low, high = triton.testing.do_bench(
        lambda: kernel[grid](x, y, size, BLOCK=64), warmup=1, rep=1,
        quantiles=[0.5, 0.2, 0.8])
    assert low <= ms <= high
    return ms, high, low

benchmark.run(print_data=True, show_plots=False)
'''


def test_a_tutorial_runs_unchanged():
    result = run("-m", "tesela", "-c", TUTORIAL)
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "asin:" and lines[1].split() == ["size", "Ours"]
    assert [line.split()[0] for line in lines[2:]] == ["10", "100"]


def test_names_that_scripts_import_in_any_case():
    result = run("-m", "tesela", "-c", """
import numpy as np
import triton.profiler as proton
import triton.profiler.viewer
from triton._internal_testing import is_cuda, is_hip, is_hopper_or_newer
from triton.compiler import ASTSource
from triton.runtime.cache import get_cache_manager
from triton.tools.mxfp import MXFP4Tensor, MXScaleTensor
from triton.tools.tensor_descriptor import TensorDescriptor

print(isinstance(np.zeros(1), TensorDescriptor), is_hip())
assert not is_cuda() or is_hopper_or_newer() in (False, True)
with proton.scope("outside of a session"):
    proton.deactivate()
for use in (lambda: TensorDescriptor.from_tensor(np.zeros(1), [1]),
            lambda: TensorDescriptor(1, 2, 3, 4), lambda: ASTSource(fn=None),
            lambda: get_cache_manager("x"), lambda: MXFP4Tensor(size=(1, 1)),
            lambda: MXScaleTensor(size=(1, 1)), lambda: triton.compile(None),
            lambda: proton.start("name", hook="triton")):
    try:
        use()
    except NotImplementedError as error:
        print(error)
try:
    from triton.experimental import gluon
except ImportError as error:
    print(error)
""")
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "False False"
    assert lines[1] == lines[2] == (
        "Tesela has no `triton.tools.tensor_descriptor.TensorDescriptor`: give "
        "the kernel the tensor, its shape and its strides"
    )
    assert all(line.startswith("Tesela has no `triton.") for line in lines[1:9])
    assert lines[9].startswith("Tesela has no Gluon")
    assert len(lines) == 10


def test_formulas_of_occupancy_give_a_number(drop_in):
    import numpy as np
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(x_ptr, BLOCK: tl.constexpr):
        tl.store(x_ptr + tl.arange(0, BLOCK), 1)

    utils = triton.runtime.driver.active.utils
    properties = utils.get_device_properties(0)
    compiled = kernel.warmup(np.zeros(8, np.float32), BLOCK=8, num_warps=8,
                             grid=(1,))
    compiled._init_handles()
    occupancy = properties["max_num_regs"] // (
        compiled.n_regs * properties["warpSize"] * 8)
    occupancy = min(occupancy,
                    properties["max_shared_mem"] // compiled.metadata.shared)
    assert occupancy * properties["multiprocessor_count"] >= 1
