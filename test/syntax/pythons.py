"""The CPythons on this machine, and running a list of files through them."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent

PROBE = """
import os, platform, sys
if platform.python_implementation() == "CPython":
    print(sys.version_info[0], sys.version_info[1])
    print(sys.executable)
    print(os.path.dirname(os.__file__))
"""


@dataclass(frozen=True)
class Python:
    minor: int
    executable: str
    library: Path

    def __str__(self):
        return f"3.{self.minor}"

    def files(self) -> list[str]:
        """Every file of the standard library, in a fixed order."""
        found = []
        for folder, folders, names in os.walk(self.library):
            folders[:] = [name for name in folders if name not in (
                "site-packages", "dist-packages", "__pycache__")]
            found += [os.path.join(folder, name) for name in names
                      if name.endswith(".py")]
        # A list of files has one name a line.
        return sorted(name for name in found if "\n" not in name)

    def results(self, files: list[str]) -> list[str]:
        return run([self.executable, "-I", str(HERE / "ast_hashes.py")], files)


def run(command: list[str], files: list[str]) -> list[str]:
    """One line of output a file; raises where the program stops early."""
    text = "".join(name + "\n" for name in files)
    done = subprocess.run(command, input=text, capture_output=True, text=True,
                          errors="surrogateescape")
    lines = done.stdout.splitlines()
    if len(lines) != len(files):
        after = files[len(lines)] if len(lines) < len(files) else "the last file"
        raise RuntimeError(f"{command[0]} stopped with status {done.returncode} "
                           f"at {after}: {done.stderr[-500:]}")
    return lines


def find_pythons() -> list[Python]:
    """One CPython for each minor version from 3.8 on, the oldest first."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = sorted(map(str, root.glob("versions/*/bin/python3")))
    names = ["python3"] + [f"python3.{minor}" for minor in range(8, 30)]
    candidates += [path for path in map(shutil.which, names) if path]
    found = {}
    for candidate in candidates:
        try:
            probe = subprocess.run([candidate, "-I", "-c", PROBE], text=True,
                                   capture_output=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            continue
        lines = probe.stdout.splitlines()
        if probe.returncode or len(lines) != 3:
            continue
        major, minor = map(int, lines[0].split())
        if major == 3 and minor >= 8 and minor not in found:
            found[minor] = Python(minor, lines[1], Path(lines[2]))
    return [found[minor] for minor in sorted(found)]
