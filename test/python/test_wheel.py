"""The wheel: what is built can be installed and works away from its sources."""

import subprocess
import sys
from pathlib import Path

import pytest
import tesela
from conftest import ROOT

pytestmark = pytest.mark.slow


def test_the_wheel_works_where_it_is_installed(tmp_path):
    sys.path.insert(0, str(ROOT / "python"))
    try:
        import wheel_backend
    finally:
        sys.path.pop(0)
    wheel = wheel_backend.pack(Path(tesela.__file__).parent, tmp_path)
    assert wheel.startswith("tesela-0.1.0-cp311-abi3-linux_")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-index",
         "--no-deps", "--target", tmp_path / "site", tmp_path / wheel],
        check=True,
    )
    (tmp_path / "script.py").write_text(
        "import numpy, triton, triton.language as tl, tesela\n"
        "@triton.jit\n"
        "def kernel(x_ptr):\n"
        "    tl.store(x_ptr, 5)\n"
        "x = numpy.zeros(1, dtype=numpy.int32)\n"
        "kernel[1](x)\n"
        "print(x[0], tesela.__file__)\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "tesela", tmp_path / "script.py"], text=True,
        capture_output=True, cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "site"), "HOME": str(tmp_path)},
    )
    assert result.stdout == f"5 {tmp_path}/site/tesela/__init__.py\n", (
        result.stderr
    )


def test_libraries_depend_on_neither_python_nor_llvm():
    folder = Path(tesela.__file__).parent
    libraries = [path for path in folder.iterdir() if ".so" in path.suffixes]
    assert len(libraries) == 2
    for library in libraries:
        listed = subprocess.run(["ldd", library], text=True,
                                capture_output=True, check=True).stdout
        assert "python" not in listed.lower().replace(str(folder), "")
        assert "LLVM" not in listed and "MLIR" not in listed
        assert "not found" not in listed
