"""Rows about compiling and launching: times in milliseconds, no ratio; and
bytes of memory.

  compile_<kernel>     cold, the library loaded, no cache; with each stage's share
  memory_<kernel>      bytes: the compiler's peak, scratch memory of a thread
  launch_python_<N>    a launch of one tiny instance with N arguments
  launch_cpp_<N>       the same from C++
  import               `import tesela` in a new process
  first_launch_warm    the first launch in a new process, code on disk
  torch_add_1          PyTorch's `torch.add(out=)` of one element, for scale
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHILD = Path(__file__).with_name("latency_child.py")
IMPORTS = 11


def child(*arguments: str, **environment: str) -> list[dict]:
    """Runs a new process; the rows that it printed."""
    done = subprocess.run(
        [sys.executable, CHILD, *arguments], check=True, text=True,
        stdout=subprocess.PIPE, env=os.environ | environment)
    return [json.loads(line) for line in done.stdout.splitlines()
            if line.startswith("{")]


def cpp_rows() -> list[dict]:
    program = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]).parent
    program = program / "bin/tesela-bench-launch"
    done = subprocess.run([program], check=True, text=True,
                          stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def median_row(rows: list[dict]) -> dict:
    return rows[0] | {
        "tesela_ms": statistics.median(row["tesela_ms"] for row in rows)}


def rows(wanted: set[str]):
    """All rows, or those whose case is wanted, as they are found."""
    kinds = ("compile", "memory", "launch", "import", "first", "torch_add")
    if wanted and not any(name.startswith(kinds) for name in wanted):
        return
    for row in found_rows():
        if not wanted or row["case"] in wanted:
            yield row


def found_rows():
    yield from child("launch")
    yield from cpp_rows()
    with tempfile.TemporaryDirectory() as folder:
        # As pip leaves packages: with Python's bytecode beside them.
        kept = dict(PYTHONPYCACHEPREFIX=f"{folder}/bytecode",
                    PYTHONDONTWRITEBYTECODE="",
                    TESELA_CACHE_DIR=f"{folder}/cache")
        for case in ("import", "first"):
            child(case, **kept)  # fills both
            yield median_row([child(case, **kept)[0]
                              for _ in range(IMPORTS)])
    yield from child("memory", TESELA_CACHE="0")
    yield from child("compile", TESELA_CACHE="0")
