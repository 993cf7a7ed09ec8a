"""The errors that docs/maths.md promises, in units of the last place."""

import re
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/maths.md"
COLUMNS = ("float32", "float64")
# Where a result is rounded to nearest. A tie that a wider type does not show
# as one is why it is a little more.
NEAREST = 0.501


def read_bounds() -> dict:
    """Function -> dtype -> bound."""
    text = DOCUMENT.read_text().split("\n## On a GPU\n")[0]
    halves = float(re.search(r"f16 and bf16 are within (\d\.\d+)", text)[1])
    bounds = {}
    for row in re.findall(r"^\| (`.*) \|$", text, re.MULTILINE):
        functions, *cells = row.split(" | ")
        figures = {"float16": halves, "bfloat16": halves}
        for dtype, cell in zip(COLUMNS, cells):
            figures[dtype] = (NEAREST if cell.startswith("exact")
                              else float(re.match(r"[\d.]+", cell)[0]))
        for name in re.findall(r"`([^`]+)`", functions):
            bounds[name] = figures
    return bounds


BOUNDS = read_bounds()
