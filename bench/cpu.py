"""Every CPU case beside its peers, in one run: build/bench/cpu.json and a plot.

  ./x bench cpu [--only CASE[,CASE…]] [--rounds N] [--threads N]

One row a case, shape and dtype: `ratio` is the peer's time over ours, so above 1
means that Tesela is faster; `peer` is the fastest of the peers' calls, the rest
stand in `others`. Rows about compiling and launching have no ratio.
"""

import argparse
import os
import platform
import subprocess
import sys
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import latency
import plots
import report
from cpu_cases import CASES
from turns import Worker, measure

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build/bench"


def commit() -> str:
    return subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT,
                          capture_output=True, text=True).stdout.strip()


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def print_row(row: dict):
    ours = f"{row['case']:24} {row['shape']:>18} {row['dtype']:>8} "
    ours += f"{row['tesela_ms']:10.3f} ms"
    if "ratio" in row:
        ours += f"  {row['peer_ms']:10.3f} ms  {row['ratio']:6.2f}  {row['peer']}"
    print(ours, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of cases, with commas")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int,
                        default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    wanted = set(filter(None, options.only.split(",")))

    OUT.mkdir(parents=True, exist_ok=True)
    rows = []
    ours = Worker("tesela", options.threads)
    peer = Worker("peer", options.threads)
    for index, case in enumerate(CASES):
        if not wanted or case.name in wanted:
            rows.append(measure(ours, peer, index, options.rounds))
            print_row(rows[-1])
    ours.close()
    peer.close()
    for row in latency.rows(wanted):
        rows.append(row)
        print_row(row)

    result = {
        "date": date.today().isoformat(),
        "commit": commit(),
        "machine": processor(),
        "threads": options.threads,
        "rows": rows,
    }
    # A part of the list never overwrites the whole of it.
    name = "cpu-part" if wanted else "cpu"
    report.write(OUT / f"{name}.json", result)
    plots.ratios(rows, OUT / f"{name}.png", f"{processor()}, "
                 f"{options.threads} threads, {result['commit']}")
    print(f"wrote {OUT / name}.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
