"""Assembles PTX; fails at any remark on the code, not only at errors.

    python assemble.py PTXAS ARCHITECTURE FILE [--registers=N]
"""

import re
import subprocess
import sys


def main() -> int:
    ptxas, architecture, source, *rest = sys.argv[1:]
    run = subprocess.run(
        [ptxas, f"-arch=sm_{architecture}", "-v", source, "-o", "/dev/null"],
        capture_output=True, text=True,
    )
    report = run.stdout + run.stderr
    problems = re.findall(r".*(?:\(C7\d+\)|warning|unresolved|error).*", report)
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill", report)]
    if any(spills):
        problems.append(f"spills: {spills}")
    for option in rest:
        most = int(option.removeprefix("--registers="))
        used = max(int(n) for n in re.findall(r"Used (\d+) registers", report))
        if used > most:
            problems.append(f"{used} registers, more than {most}")
    print(report)
    print("\n".join(problems), file=sys.stderr)
    return run.returncode or bool(problems)


sys.exit(main())
