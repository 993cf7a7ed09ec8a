"""Checks that every room includes only what src/LAYERS lets it include."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<(tesela/[^>]+)>)', re.M)
MLIR = re.compile(r'^\s*#\s*include\s+["<]mlir/', re.M)

# Rooms that are usable without MLIR.
WITHOUT_MLIR = {"support", "syntax", "layout", "sema", "runtime", "api"}

# Folders outside src/ that see the public API alone.
PUBLIC_ONLY = ["tools/tesela", "python", "examples"]


def read_layers() -> dict[str, set[str]]:
    """Gives for each room all that it may include, transitively."""
    direct = {}
    for line in (ROOT / "src/LAYERS").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            room, _, allowed = line.partition(":")
            direct[room.strip()] = set(allowed.split())
    closed = {}

    def close(room: str) -> set[str]:
        if room not in closed:
            closed[room] = {room}
            for below in direct[room]:
                closed[room] |= close(below)
        return closed[room]

    for room in direct:
        close(room)
    return closed


def room_of(path: str, rooms) -> str | None:
    """The room that a path from src/ lies in: the longest that fits."""
    if path.startswith("tesela/"):
        return "include"
    fitting = [room for room in rooms if path.startswith(room + "/")]
    return max(fitting, key=len, default=None)


def check() -> list[str]:
    layers = read_layers()
    problems = []
    for file in sorted((ROOT / "src").rglob("*")):
        if file.suffix not in (".h", ".cpp", ".td", ".def"):
            continue
        relative = file.relative_to(ROOT / "src").as_posix()
        room = room_of(relative, layers)
        text = file.read_text()
        if room is None:
            if "/" in relative:
                problems.append(f"src/{relative}: is in no room of LAYERS")
            continue
        if room in WITHOUT_MLIR and MLIR.search(text):
            problems.append(f"src/{relative}: `{room}` includes MLIR")
        for quoted, public in INCLUDE.findall(text):
            target = quoted or public
            seen = room_of(target, layers)
            if seen is not None and seen not in layers[room]:
                problems.append(
                    f"src/{relative}: `{room}` includes `{target}` of `{seen}`"
                )
    for folder in PUBLIC_ONLY:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            for quoted, public in INCLUDE.findall(file.read_text()):
                beside = file.parent / (quoted or public)
                if not (quoted or public).startswith("tesela/") and not (
                    beside.exists()
                ):
                    name = file.relative_to(ROOT)
                    problems.append(f"{name}: includes `{quoted or public}`")
    return problems


if __name__ == "__main__":
    found = check()
    print("\n".join(found))
    sys.exit(bool(found))
