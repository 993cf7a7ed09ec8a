"""Checks of the tree that no compiler makes: sizes, names, words, guards, and
that every diagnostic has a test."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = {".h", ".cpp", ".td", ".def", ".py", ".c"}
LONGEST = 1000
BANNED = {
    r"\breport_fatal_error\b": "aborts the user's process",
    r"\b(TODO|FIXME|XXX|HACK)\b": "is unfinished work",
    r"^\s*using namespace std;": "hides where names come from",
}
VAGUE_NAME = re.compile(r"(Utils?|Utilit(y|ies)|Helpers?|Common|Misc)$", re.I)

# Files over the limit, each with its reason.
LONG_FILES: dict[str, str] = {}


def tracked() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def check_text(name: str, path: Path) -> list[str]:
    problems = []
    text = path.read_text(errors="replace")
    lines = text.splitlines()
    if len(lines) > LONGEST and name not in LONG_FILES:
        problems.append(f"{name}: has {len(lines)} lines, over {LONGEST}")
    if name != "tools/dev/check_tree.py":
        for pattern, reason in BANNED.items():
            for match in re.finditer(pattern, text, re.M):
                line = text.count("\n", 0, match.start()) + 1
                problems.append(f"{name}:{line}: `{match[0].strip()}` {reason}")
    if VAGUE_NAME.search(path.stem):
        problems.append(f"{name}: the name does not say what is in it")
    if path.suffix == ".h":
        problems += check_header(name, text)
    return problems


def check_header(name: str, text: str) -> list[str]:
    if name == "src/Pch.h":
        return []
    inner = name.removeprefix("src/").removeprefix("include/tesela/")
    guard = "TESELA_" + re.sub(r"[^A-Za-z0-9]", "_", inner).upper()
    if name.startswith(("src/", "include/")) and f"#ifndef {guard}" not in text:
        return [f"{name}: its guard is not {guard}"]
    if re.search(r"^using namespace", text, re.M):
        return [f"{name}: `using namespace` in a header"]
    return []


def check_diagnostics() -> list[str]:
    rows = (ROOT / "src/support/Diagnostics.def").read_text()
    ids = re.findall(r'^DIAGNOSTIC\(\w+,\s*"([\w-]+)"\)', rows, re.M)
    tests = "".join(
        path.read_text(errors="replace")
        for path in (ROOT / "test").rglob("*")
        if path.suffix in (".py", ".test", ".cpp", ".mlir")
    )
    return [
        f"src/support/Diagnostics.def: no test names [{name}]"
        for name in ids
        if f"[{name}]" not in tests
    ]


def check() -> list[str]:
    problems = []
    for path in tracked():
        if path.suffix in CODE:
            problems += check_text(path.relative_to(ROOT).as_posix(), path)
    return problems + check_diagnostics()


if __name__ == "__main__":
    found = check()
    print("\n".join(found))
    sys.exit(bool(found))
