"""Builds the wheel, for `pip install .`: CMake's release preset, then a zip.

One wheel serves every Python from 3.11 on: the binding uses the stable ABI.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STRIP = "/usr/lib/llvm-22/bin/llvm-strip"


def _version() -> str:
    import tomllib

    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]["version"]


def _tag() -> str:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp311-abi3-{platform}"


def _metadata() -> dict[str, bytes]:
    """The files that describe the wheel, without the record."""
    info = f"tesela-{_version()}.dist-info"
    return {
        f"{info}/METADATA": (
            f"Metadata-Version: 2.1\nName: tesela\nVersion: {_version()}\n"
            "Requires-Python: >=3.11\n"
        ).encode(),
        f"{info}/WHEEL": (
            "Wheel-Version: 1.0\nGenerator: tesela\n"
            f"Root-Is-Purelib: false\nTag: {_tag()}\n"
        ).encode(),
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def _stripped(library: Path) -> bytes:
    if not os.path.exists(STRIP):
        return library.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(library, folder)
        subprocess.run([STRIP, copy], check=True)
        return Path(copy).read_bytes()


def pack(package: Path, folder: Path) -> str:
    """Writes the wheel of a built package to a folder; gives its name."""
    files = {}
    for path in sorted(package.rglob("*")):
        is_library = ".so" in path.suffixes
        if not (is_library or path.suffix == ".py"):
            continue
        name = (Path("tesela") / path.relative_to(package)).as_posix()
        files[name] = (
            _stripped(path.resolve()) if is_library else path.read_bytes()
        )
    files |= _metadata()
    record = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
        record.append(
            f"{name},sha256={digest.rstrip(b'=').decode()},{len(content)}"
        )
    record_name = f"tesela-{_version()}.dist-info/RECORD"
    record.append(f"{record_name},,")
    files[record_name] = ("\n".join(record) + "\n").encode()
    wheel = f"tesela-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(folder / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def build_wheel(wheel_directory, config_settings=None,
                metadata_directory=None):
    build = ROOT / "build" / "release"
    if not (build / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True)
    subprocess.run(["ninja", "-C", build, "tesela_package"], check=True)
    return pack(build / "python" / "tesela", Path(wheel_directory))


def get_requires_for_build_wheel(config_settings=None) -> list:
    return []
