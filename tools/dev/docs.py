"""Writes docs/reference/ from the tables that the compiler itself uses.

`--check` writes nothing and fails where a page is not what it would write.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs/reference"
TBLGEN = "/usr/lib/llvm-22/bin/mlir-tblgen"
GENERATED = "<!-- Written by ./x docs; change the table, not this page. -->\n\n"


def tblgen(generator: str, td: str) -> str:
    return subprocess.run(
        [TBLGEN, generator, "-I", ROOT / "src", "-I",
         "/usr/lib/llvm-22/include", ROOT / "src" / td],
        check=True, capture_output=True, text=True,
    ).stdout


def family_page(dialect: str, td: str) -> str:
    """The ops of one family of a dialect."""
    text = (ROOT / "src" / td).read_text()
    title = re.search(r"//===- \w+\.td - (.*?) -+===", text)[1]
    ops = re.sub(r"<!--.*?-->\n*", "", tblgen("-gen-op-doc", td))
    return f"# {title[0].upper()}{title[1:]}: `{dialect}`\n\n{ops.strip()}\n"


def family_pages() -> dict:
    """A page for each family of ops, `tile-dot.md` for DotOps.td."""
    pages = {}
    for folder, dialect in (("tile", "tile"), ("gpu", "tgpu")):
        for path in sorted((ROOT / "src/dialect" / folder).glob("*Ops.td")):
            td = path.relative_to(ROOT / "src").as_posix()
            family = path.stem.removesuffix("Ops").lower()
            pages[f"{dialect}-{family}.md"] = (
                lambda dialect=dialect, td=td: family_page(dialect, td))
    return pages


def passes_page() -> str:
    page = "# Passes\n\n"
    for td in ("passes/Passes.td", "target/Passes.td", "target/cpu/Passes.td",
               "target/nvidia/Passes.td"):
        text = re.sub(r"<!--.*?-->\n*", "", tblgen("-gen-pass-doc", td))
        page += f"## src/{td}\n\n{text.strip()}\n\n"
    return page


def split_row(row: str) -> list[str]:
    """The fields of one row, quotes taken off."""
    fields = re.findall(r'"((?:[^"\\]|\\.)*)"|([^\s,"]+)', row)
    return [(quoted or bare).replace("|", "\\|") for quoted, bare in fields]


def table_rows(path: str, macro: str) -> list[list[str]]:
    text = (ROOT / path).read_text()
    found = re.findall(rf"^{macro}\((.*?)\)\s*$", text, re.M | re.S)
    return [split_row(row) for row in found]


def builtins_page() -> str:
    page = ("# Builtins\n\nWhat a kernel can call, from "
            "`src/sema/Builtins.def`.\n\n| name | signature | what it gives |\n"
            "|---|---|---|\n")
    for fields in table_rows("src/sema/Builtins.def", "BUILTIN"):
        page += f"| `{fields[1]}` | `{fields[-2]}` | {fields[-1]} |\n"
    return page


def diagnostics_page() -> str:
    page = ("# Diagnostics\n\nThe name in brackets at the end of a message, "
            "from `src/support/Diagnostics.def`; each has a test under "
            "`test/`.\n\n| name |\n|---|\n")
    for fields in table_rows("src/support/Diagnostics.def", "DIAGNOSTIC"):
        page += f"| `{fields[1]}` |\n"
    return page


PAGES = {
    **family_pages(),
    "passes.md": passes_page,
    "builtins.md": builtins_page,
    "diagnostics.md": diagnostics_page,
}


def check() -> list[str]:
    problems = [f"docs/reference/{path.name}: no table is left for it"
                for path in REFERENCE.glob("*.md") if path.name not in PAGES]
    for name, write in PAGES.items():
        path = REFERENCE / name
        if not path.exists() or path.read_text() != GENERATED + write():
            problems.append(f"docs/reference/{name}: is stale, run ./x docs")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        problems = check()
        print("\n".join(problems))
        return bool(problems)
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, write in PAGES.items():
        (REFERENCE / name).write_text(GENERATED + write())
    return 0


if __name__ == "__main__":
    sys.exit(main())
