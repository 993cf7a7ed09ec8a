"""Runs every kind of test and ends in one line: `N passed, N failed, N skipped`.

Exit status 1 where a test failed or a runner broke.
"""

import argparse
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import check_layers
import check_tree
import docs

ROOT = Path(__file__).resolve().parents[2]
LIT = "/usr/lib/llvm-22/bin/lit"
# What sanitizers can find something in: how arguments, launches, caches and
# errors go through the binding and the run time. The rest compares numbers by
# the thousand.
SANITIZED = [f"test/python/test_{name}.py" for name in (
    "aliasing", "arguments", "atomics", "autotuner", "captures", "cuda",
    "dropin", "errors", "float8", "jit", "language", "launch", "warnings")]


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )


def read_junit(path: Path) -> Count:
    """Counts the cases of a JUnit file, which gtest, lit and pytest write."""
    count = Count()
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            count.failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            count.skipped += 1
        else:
            count.passed += 1
    return count


def run(command: list, report: Path | None = None) -> Count:
    """Runs a program; what it counted, or one failure where it counted nothing.

    Without a report, the last line of the form `N passed, N failed, N skipped`
    counts."""
    if report is not None:
        report.unlink(missing_ok=True)
        status = subprocess.run(command, cwd=ROOT).returncode
        count = read_junit(report) if report.exists() else Count(failed=1)
    else:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        count = None
        for line in process.stdout:
            print(line, end="", flush=True)
            found = re.match(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$",
                             line.strip())
            if found:
                count = Count(*(int(n or 0) for n in found.groups()))
        status = process.wait()
        count = count or Count(failed=1)
    if status != 0 and count.failed == 0:
        count.failed = 1
    return count


def static_checks() -> Count:
    count = Count()
    for check in (check_layers.check, check_tree.check, docs.check):
        problems = check()
        print("\n".join(problems), end="\n" if problems else "")
        count += Count(failed=len(problems)) if problems else Count(passed=1)
    return count


def unit(build: Path, reports: Path, fast: bool) -> Count:
    command = [build / "bin/tesela-unit", "--gtest_brief=1",
               f"--gtest_output=xml:{reports / 'unit.xml'}"]
    if fast:
        command.append("--gtest_filter=-*Slow*")
    return run(command, reports / "unit.xml")


def lit(build: Path, reports: Path, names: list[str]) -> Count:
    paths = [build / "test" / Path(name).relative_to("test") for name in names]
    report = reports / "lit.xml"
    return run([sys.executable, LIT, "-sv", "--xunit-xml-output", report,
                *(paths or [build / "test"])], report)


def use_sanitizers() -> None:
    """The archives of LLVM and MLIR are not instrumented: their allocators hand
    out as it is what ours poisoned, and globals of both look like two of one
    name. Python keeps much until its end."""
    os.environ["ASAN_OPTIONS"] = ("allow_user_poisoning=0:detect_leaks=0:"
                                  "detect_odr_violation=0")
    os.environ["UBSAN_OPTIONS"] = "print_stacktrace=1"


def sanitizer_library() -> str:
    """What a program that is not instrumented has to load first."""
    name = f"libclang_rt.asan-{os.uname().machine}.so"
    return subprocess.run(["clang-22", f"-print-file-name={name}"], text=True,
                          check=True, capture_output=True).stdout.strip()


def pytest(reports: Path, options, names: list[str]) -> Count:
    report = reports / "pytest.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-rs",
               f"--junitxml={report}", *names]
    if (options.fast or options.sanitized) and not options.tests:
        command += ["-m", "not slow"]
    if options.sanitized:
        command = ["env", f"LD_PRELOAD={sanitizer_library()}", *command]
    return run(command, report)


def scripts(build: Path, fast: bool) -> Count:
    """Test programs of their own: test/*/test_*.py outside pytest's folder."""
    count = Count()
    for script in sorted((ROOT / "test").glob("*/test_*.py")):
        if script.parent.name != "python":
            command = [sys.executable, script, "--build", build]
            count += run(command + (["--fast"] if fast else []))
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--sanitized", action="store_true",
                        help="the build is one with sanitizers")
    parser.add_argument("tests", nargs="*", help="files; all where none is named")
    options = parser.parse_args()
    build = options.build.resolve()
    reports = build / "reports"
    reports.mkdir(exist_ok=True)

    fast = options.fast or options.sanitized
    of_pytest = [name for name in options.tests if name.endswith(".py")]
    of_lit = [name for name in options.tests if name not in of_pytest]
    if options.tests:
        runners = []
        if of_lit:
            runners.append(("lit", lambda: lit(build, reports, of_lit)))
        if of_pytest:
            runners.append(
                ("pytest", lambda: pytest(reports, options, of_pytest)))
    else:
        of_pytest = SANITIZED if options.sanitized else ["test/python"]
        runners = [
            ("static checks", static_checks),
            ("unit", lambda: unit(build, reports, fast)),
            ("lit", lambda: lit(build, reports, [])),
            ("scripts", lambda: scripts(build, fast)),
            ("pytest", lambda: pytest(reports, options, of_pytest)),
        ]
    if options.sanitized:
        use_sanitizers()

    total = Count()
    summary = []
    for name, runner in runners:
        print(f"== {name}", flush=True)
        begin = time.monotonic()
        count = runner()
        summary.append((name, count, time.monotonic() - begin))
        total += count
    print("==")
    for name, count, seconds in summary:
        print(f"{name:14} {count.passed:6} passed {count.failed:4} failed "
              f"{count.skipped:4} skipped {seconds:7.1f} s")
    print(f"{total.passed} passed, {total.failed} failed, "
          f"{total.skipped} skipped")
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
