"""What the tests of the package share."""

import importlib.util
import itertools
import linecache
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import tesela
import tesela.language as tl


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: left out of the fast set")


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


needs_torch = pytest.mark.skipif(
    not installed("torch"), reason="PyTorch is not installed"
)

_counter = itertools.count()


def define(source: str, **names):
    """Runs a text that defines functions, as a notebook does; gives its
    globals."""
    file = f"<cell {next(_counter)}>"
    linecache.cache[file] = (
        len(source), None, source.splitlines(True), file
    )
    scope = {"__name__": "cell", "tesela": tesela, "tl": tl, **names}
    exec(compile(source, file, "exec"), scope)
    return scope


@pytest.fixture(scope="session")
def drop_in():
    """Makes `import triton` mean Tesela for the rest of the run."""
    tesela.install_as_triton()
