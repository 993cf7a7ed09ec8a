"""Packs what another machine needs to run Tesela: the library, the Python
package, kernels, tests and benches, as build/tesela-VERSION-ARCH.tar.xz."""

import argparse
import lzma
import platform
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STRIP = "/usr/lib/llvm-22/bin/llvm-strip"
NM = "/usr/lib/llvm-22/bin/llvm-nm"
# The newest versions that a bundle may ask of the other machine.
NEWEST = {"GLIBC": (2, 39), "GLIBCXX": (3, 4, 33), "CXXABI": (1, 3, 15)}
# What a small installation may lack. `test/gpu/run.py` takes them from here
# only where the machine has none.
SPARE = ["libz.so.1", "libzstd.so.1"]
TREES = ["kernels", "bench", "test", "include", "examples", "docs", "README.md",
         "LICENSE"]
MOST_BYTES = 62 << 20


def too_new(binary: Path) -> list[str]:
    """The symbol versions that a file asks for and should not."""
    symbols = subprocess.run([NM, "-D", "--undefined-only", binary],
                             check=True, capture_output=True, text=True).stdout
    found = set(re.findall(r"@(GLIBC|GLIBCXX|CXXABI)_([\d.]+)", symbols))
    return sorted(f"{name}_{version}" for name, version in found
                  if tuple(map(int, version.split("."))) > NEWEST[name])


def tracked(tree: str) -> list[str]:
    return subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", tree],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


def copy(source: Path, target: Path):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)  # follows links


def commit() -> str:
    return subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT,
                          capture_output=True, text=True).stdout.strip()


def fill(stage: Path, build: Path):
    library = build / "lib/libtesela.so"
    name = library.resolve().name.rsplit(".", 2)[0]  # libtesela.so.0
    copy(library, stage / "lib" / name)
    for program in ("tesela", "tesela-unit"):
        if (build / "bin" / program).exists():
            copy(build / "bin" / program, stage / "bin" / program)
    copy(build / "python/tesela/_binding.abi3.so",
         stage / "python/tesela/_binding.abi3.so")
    (stage / "python/tesela" / name).symlink_to(f"../../lib/{name}")
    for binary in [stage / "lib" / name, *(stage / "bin").iterdir(),
                   stage / "python/tesela/_binding.abi3.so"]:
        subprocess.run([STRIP, binary], check=True)
        if newer := too_new(binary):
            raise SystemExit(f"{binary.name} asks for {', '.join(newer)}")
    libraries = subprocess.run(["ldd", library], check=True,
                               capture_output=True, text=True).stdout
    for spare in SPARE:
        if found := re.search(rf"{re.escape(spare)} => (\S+)", libraries):
            copy(Path(found[1]), stage / "spare" / spare)
    for tree in TREES:
        for file in tracked(tree):
            copy(ROOT / file, stage / file)
    for file in tracked("python/tesela"):
        copy(ROOT / file, stage / file)
    (stage / "COMMIT").write_text(commit() + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--preset", type=int, default=6,
                        help="of xz: 1 is quick, 9 is small")
    options = parser.parse_args()
    build = options.build.resolve()
    stage = build / "bundle"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir()
    fill(stage, build)

    version = re.search(r"project\(Tesela VERSION (\S+)",
                        (ROOT / "CMakeLists.txt").read_text())[1]
    name = f"tesela-{version}-{platform.machine()}"
    archive = build.parent / f"{name}.tar.xz"
    with lzma.open(archive, "wb", preset=options.preset) as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            tar.add(stage, arcname="tesela")
    size = archive.stat().st_size
    print(f"{archive}: {size / 2**20:.1f} MiB")
    if size > MOST_BYTES:
        raise SystemExit("that is too large to send")


if __name__ == "__main__":
    main()
