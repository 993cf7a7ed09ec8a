"""Compares syntax trees with those of every CPython on this machine.

    test_syntax.py --build DIR [--fast]

For each CPython from 3.8 on, every file of its standard library must be
accepted or rejected as there, and give the same tree with the same positions.
Then the newest CPython judges snippets of hard syntax (`snippets.py`) and
mutated files (`mutants.py`). One grammar serves all versions, so the newest
CPython also decides where an older one disagrees with us on what to accept.
Where that is older than 3.13 itself, what it rejects and we accept may be
grammar that is newer (f-strings since 3.12): it is counted as skipped.
"""

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants import mutants
from pythons import Python, find_pythons, run
from snippets import SNIPPETS, SNIPPETS_3_14

# In a fast run, one file of so many; and so many mutants.
FAST_STRIDE = 40
FAST_MUTANTS, MUTANTS = 300, 8000
# From this minor version on, CPython knows the grammar of all snippets.
FULL_GRAMMAR = 13


class Comparison:
    def __init__(self, build: Path, newest: Python):
        self.hashes = str(build / "bin/tesela-ast-hashes")
        self.newest = newest
        self.passed = self.failed = self.skipped = 0

    def ours(self, python: Python, files: list[str]) -> list[str]:
        return run([self.hashes, f"--python={python}"], files)

    def compare(self, python: Python, files: list[str]) -> tuple[list, int]:
        """What differs: (file, ours, theirs); and how many were too deep."""
        ours, theirs = self.ours(python, files), python.results(files)
        differing, limited = [], 0
        for file, a, b in zip(files, ours, theirs):
            if b == "limit":
                limited += 1
            elif a != b and not (a.startswith("error") and b.startswith("error")):
                differing.append((file, a, b))
        return differing, limited

    def count(self, title: str, python: Python, files: list[str]):
        begin = time.monotonic()
        try:
            differing, limited = self.compare(python, files)
            # Grammar that is newer, or that no longer is: the newest decides.
            # Of snippets, some also mean something else now: `with (a, b):`.
            disputed = [file for file, a, b in differing
                        if a.startswith("error") != b.startswith("error")
                        or title.startswith("snippets")]
            if python != self.newest and disputed:
                still, _ = self.compare(self.newest, disputed)
                still = {file for file, _, _ in still}
                differing = [item for item in differing
                             if item[0] not in disputed or item[0] in still]
        except RuntimeError as error:
            print(f"{title}: {error}")
            self.failed += 1
            return
        total = len(differing)
        if self.newest.minor < FULL_GRAMMAR:
            differing = [(file, a, b) for file, a, b in differing
                         if a.startswith("error") or not b.startswith("error")]
        newer = total - len(differing)
        for file, a, b in differing[:20]:
            print(f"{title}: {file}\n  tesela: {a}\n  python: {b}")
        self.passed += len(files) - total - limited
        self.failed += len(differing)
        self.skipped += limited + newer
        print(f"{title}: {len(files)} files, {len(differing)} differ, "
              f"{limited} too deep for Python, {newer} too new for it, "
              f"{time.monotonic() - begin:.1f} s", flush=True)


def write_all(folder: str, texts: list[bytes]) -> list[str]:
    files = []
    for i, text in enumerate(texts):
        files.append(os.path.join(folder, f"{i}.py"))
        Path(files[-1]).write_bytes(text)
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--fast", action="store_true")
    options = parser.parse_args()
    pythons = find_pythons()
    if not pythons:
        print("no CPython from 3.8 on: nothing to compare with")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    newest = pythons[-1]
    comparison = Comparison(options.build.resolve(), newest)

    with tempfile.TemporaryDirectory() as folder, \
            ThreadPoolExecutor(max_workers=2) as pool:
        jobs = []
        for python in reversed(pythons):
            files = python.files()
            if options.fast:
                files = files[::FAST_STRIDE]
            jobs.append((f"library of {python}", python, files))
        texts = [text.encode() if isinstance(text, str) else text
                 for text in SNIPPETS]
        if newest.minor >= 14:
            texts += [text.encode() for text in SNIPPETS_3_14]
        snippets = os.path.join(folder, "snippets")
        os.mkdir(snippets)
        files = write_all(snippets, texts)
        for python in pythons if not options.fast else [newest]:
            jobs.append((f"snippets with {python}", python, files))
        changed = os.path.join(folder, "mutants")
        os.mkdir(changed)
        count = FAST_MUTANTS if options.fast else MUTANTS
        files = write_all(changed, mutants(newest.files(), count))
        jobs.append((f"mutants with {newest}", newest, files))
        for done in [pool.submit(comparison.count, *job) for job in jobs]:
            done.result()

    print(f"{comparison.passed} passed, {comparison.failed} failed, "
          f"{comparison.skipped} skipped")
    return 1 if comparison.failed else 0


if __name__ == "__main__":
    sys.exit(main())
