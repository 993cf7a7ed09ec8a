"""Every CPU case beside its peers, in one run: build/bench/cpu.json and plots.

  ./x bench cpu [--only CASE[:SHAPE][,…]] [--rounds N] [--threads N]

One row a case, shape and dtype: `ratio` is the peer's time over ours, so above 1
means that Tesela is faster; `peer` is the fastest of the peers' calls, the rest
stand in `others`. Rows `scaling` have ours with one thread as the peer. Rows
about compiling and launching, and the machine's own peaks, have no ratio.
`--only softmax:256,add` runs the cases of that name whose shape and dtype
contain what stands after the colon.
"""

import argparse
import json
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
from cpu_cases import CASES, SCALING
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
    if "tesela_ms" in row:
        ours += f"{row['tesela_ms']:10.3f} ms"
    for unit in ("gflops", "gbps") if "tesela_ms" not in row else ():
        if unit in row:
            ours += f"{row[unit]:10.1f} {unit}"
    if "peak_bytes" in row:
        ours += (f"{row['peak_bytes'] / 2**20:10.1f} MB  "
                 f"{row['scratch_bytes'] / 2**10:10.1f} KB scratch")
    if "ratio" in row:
        ours += f"  {row['peer_ms']:10.3f} ms  {row['ratio']:6.2f}  {row['peer']}"
    print(ours, flush=True)


def is_wanted(case, words: list[str]) -> bool:
    """Whether a case is named by one of the words, or there are none."""
    for word in words:
        name, _, part = word.partition(":")
        if name == case.name and part in f"{case.shape_text} {case.dtype}":
            return True
    return not words


def measured_rows(words: list[str], threads: int, rounds: int):
    """The rows that have a ratio."""
    chosen = [(index, case) for index, case in enumerate(CASES)
              if is_wanted(case, words)]
    scaled = [(index, case) for index, case in enumerate(SCALING, len(CASES))
              if is_wanted(case, words)]
    if not chosen and not scaled:
        return
    ours = Worker("tesela", threads)
    peer = Worker("peer", threads)
    for index, _ in chosen:
        yield measure(ours, peer, index, rounds)
    peer.close()
    if scaled and threads > 1:
        alone = Worker("tesela", 1)
        for index, _ in scaled:
            yield measure(ours, alone, index, rounds, {"tesela": "1 thread"})
        alone.close()
    ours.close()


def peak_rows(words: list[str], threads: int):
    """What the machine can do at best, of one thread and of all."""
    if words and not {"peak_fma", "peak_copy"} & set(words):
        return
    program = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]).parent
    for count in sorted({1, threads}):
        done = subprocess.run(
            [program / "bin/tesela-bench-peaks", str(count)], check=True,
            text=True, stdout=subprocess.PIPE)
        yield from map(json.loads, done.stdout.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of cases, with commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int,
                        default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    words = list(filter(None, options.only.split(",")))

    OUT.mkdir(parents=True, exist_ok=True)
    rows = []
    for source in (peak_rows(words, options.threads),
                   measured_rows(words, options.threads, options.rounds),
                   latency.rows(set(words))):
        for row in source:
            rows.append(row)
            print_row(row)

    result = {
        "date": date.today().isoformat(),
        "commit": commit(),
        "machine": processor(),
        "threads": options.threads,
        "rounds": options.rounds,
        "rows": rows,
    }
    # A part of the list never overwrites the whole of it.
    name = "cpu-part" if words else "cpu"
    report.write(OUT / f"{name}.json", result)
    title = f"{processor()}, {options.threads} threads, {result['commit']}"
    plots.ratios(rows, OUT / f"{name}.png", title)
    plots.cpu_roofline(rows, OUT / f"{name}-roofline.png", title)
    print(f"wrote {OUT / name}.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
