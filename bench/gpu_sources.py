"""The kernels of the GPU bench, for Tesela and for Triton from one source.

Real Triton and Tesela's drop-in cannot both be `triton` in one process. So each
file of kernels is written twice to a folder, once with `triton` renamed to
`tesela`, and both are imported.
"""

import importlib.util
import re
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(tempfile.gettempdir()) / "tesela-bench-sources"

# Where the host code of a seed begins, which would run when it is imported.
HOSTS = {"seeds/gemm": "def matmul(", "seeds/attention": "# Call"}


def load(name: str, side: str):
    """The module of `kernels/NAME.py` for a side, "tesela" or "triton"."""
    path = ROOT / "kernels" / f"{name}.py"
    if not path.exists():
        path = Path(__file__).with_name(f"{name}.py")
    text = path.read_text()
    if name in HOSTS:
        text = text[:text.index(HOSTS[name])]
    if side == "tesela":
        text = re.sub(r"\btriton\b", "tesela", text)
    FOLDER.mkdir(exist_ok=True)
    module_name = f"{side}_{name.replace('/', '_')}"
    file = FOLDER / f"{module_name}.py"
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    spec = importlib.util.spec_from_file_location(module_name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
