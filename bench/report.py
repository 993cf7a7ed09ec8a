"""The file that a bench writes: what was run, and a line for each row."""

import json
from pathlib import Path


def write(path: Path, result: dict):
    """`result` as JSON; of its "rows" one a line, so that runs compare well."""
    head = {key: value for key, value in result.items() if key != "rows"}
    lines = [f" {json.dumps(key)}: {json.dumps(value)},"
             for key, value in head.items()]
    rows = ",\n".join("  " + json.dumps(row) for row in result["rows"])
    path.write_text("\n".join(["{", *lines, ' "rows": [', rows, " ]", "}", ""]))
