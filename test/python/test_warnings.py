"""What is odd but no error: Python's warnings, of what is compiled afresh."""

import os
import subprocess
import sys

import pytest

SCRIPT = '''\
import warnings
import numpy as np
import tesela
import tesela.language as tl

@tesela.jit
def kernel(x_ptr):
    x = tl.load(x_ptr)
    tl.device_print("x is", x)
    tl.store(x_ptr, x + 1)

def launch(dtype=np.float32):
    x = np.zeros(1, dtype)
    kernel[1](x)
    print(x[0])

'''


@pytest.fixture
def run(tmp_path):
    def run(text, *options, **environment):
        script = tmp_path / "script.py"
        script.write_text(SCRIPT + text)
        result = subprocess.run(
            [sys.executable, *options, script], text=True, capture_output=True,
            env={**os.environ, "TESELA_CACHE": "0", **environment},
        )
        return result.stdout.splitlines(), result.stderr

    return run


def test_a_warning_has_the_line_of_the_kernel(run):
    printed, errors = run("launch()")
    assert printed == ["1.0"]
    assert errors.splitlines()[0].endswith(
        "script.py:9: CompilationWarning: `tl.device_print` prints nothing "
        "[no-effect]"
    )
    assert 'tl.device_print("x is", x)' in errors


def test_a_kernel_warns_once(run):
    _, errors = run("launch()\nlaunch()\nlaunch(np.float64)")
    assert errors.count("CompilationWarning") == 1


@pytest.mark.parametrize("call", [
    "kernel.warmup(np.zeros(1), grid=(1,))",
    "kernel.show('tile', (np.zeros(1),), {})",
])
def test_compiling_warns_too(run, call):
    _, errors = run(call)
    assert errors.count("script.py:9: CompilationWarning") == 1


@pytest.mark.parametrize("call", [
    "launch()", "kernel.warmup(np.zeros(1), grid=(1,))",
    "kernel.show('tile', (np.zeros(1),), {})",
])
def test_warnings_may_be_exceptions(run, call):
    printed, errors = run(f"""
try:
    {call}
except tesela.CompilationWarning as warning:
    print(warning)
launch()
""", "-W", "error")
    assert printed == ["`tl.device_print` prints nothing [no-effect]", "1.0"]


def test_warnings_may_be_ignored(run):
    assert run("launch()", "-W", "ignore")[1] == ""


@pytest.mark.parametrize("variable, value, wanted", [
    ("TESELA_NUM_THREADS", "abc", "it takes a whole number"),
    ("TESELA_CACHE_MB", "-1", "it takes a whole number"),
    ("TESELA_CACHE", "maybe", "it takes `1` or `0`"),
    ("TESELA_DUMP_DIR", "/dev/null/x", "nothing can be written"),
])
def test_settings_that_cannot_be_used(run, variable, value, wanted, tmp_path):
    settings = {"TESELA_CACHE_DIR": str(tmp_path / "cache"), variable: value}
    printed, errors = run(
        "warnings.simplefilter('always')\nlaunch()\nlaunch(np.float64)",
        **settings)
    assert printed == ["1.0", "1.0"]
    assert errors.count(f"`{variable}` is `{value}`") == 1
    assert wanted in errors and "[bad-setting]" in errors
