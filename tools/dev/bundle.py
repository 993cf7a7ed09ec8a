"""Packs what another machine needs to run Tesela: the library, the Python
package, kernels, tests and benches, as build/tesela-VERSION-ARCH.tar.xz."""

import argparse
import lzma
import platform
import re
import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STRIP = "/usr/lib/llvm-22/bin/llvm-strip"
NM = "/usr/lib/llvm-22/bin/llvm-nm"
# The oldest C library that a bundle has to run on.
GLIBC = (2, 39)
TREES = ["kernels", "bench", "test", "include", "README.md", "LICENSE"]


def newest_glibc(library: Path) -> tuple[int, ...]:
    """The newest version of the C library that this file asks for."""
    symbols = subprocess.run([NM, "-D", "--undefined-only", library],
                             check=True, capture_output=True, text=True).stdout
    versions = re.findall(r"@GLIBC_(\d+)\.(\d+)", symbols)
    return max((tuple(map(int, v)) for v in versions), default=(0, 0))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    options = parser.parse_args()
    build = options.build.resolve()
    stage = build / "bundle"
    subprocess.run(["rm", "-rf", stage], check=True)
    stage.mkdir()
    subprocess.run(["cp", "-rL", build / "python", stage / "python"], check=True)
    (stage / "bin").mkdir()
    (stage / "lib").mkdir()
    subprocess.run(["cp", "-L", build / "bin/tesela", stage / "bin"], check=True)
    subprocess.run(["cp", "-L", build / "lib/libtesela.so", stage / "lib"],
                   check=True)
    for binary in [*stage.rglob("*.so"), stage / "bin/tesela"]:
        subprocess.run([STRIP, binary], check=True)
        needed = newest_glibc(binary)
        if needed > GLIBC:
            raise SystemExit(f"{binary.name} needs glibc {needed}")
    for tree in TREES:
        subprocess.run(["cp", "-r", ROOT / tree, stage / tree], check=True)

    version = re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    name = f"tesela-{version[1]}-{platform.machine()}"
    archive = build.parent / f"{name}.tar.xz"
    with lzma.open(archive, "wb", preset=6) as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            tar.add(stage, arcname=name)
    print(f"{archive}: {archive.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
