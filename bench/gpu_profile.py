"""Nsight Compute's view of a bench case, ours beside a peer.

  python3 bench/gpu_profile.py CASE:SHAPE[,…] --out DIR [--peer triton]

For each case the fastest candidate of either side is launched once under `ncu`.
DIR gets CASE-SHAPE.txt, ncu's sections in words, and CASE-SHAPE-sass.csv, the
machine code with its samples of stalls.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

SECTIONS = ["SpeedOfLight", "LaunchStats", "Occupancy", "WarpStateStats",
            "SchedulerStats", "MemoryWorkloadAnalysis", "InstructionStats",
            "ComputeWorkloadAnalysis", "SourceCounters"]


def child(case_id: str, peer: str):
    """Launches both sides' best once between the profiler's marks."""
    import torch
    from gpu import pick
    from gpu_cases import CASES

    case = next(case for case in CASES if case.id.startswith(case_id))
    torch.manual_seed(0)
    prepared = case.prepare()
    best = [pick(name, prepared.calls[name], prepared)[1]
            for name in ("tesela", peer)]
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStart()
    for candidate in best:
        print("profiled:", candidate.config, file=sys.stderr)
        candidate.call()
        torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStop()
    os._exit(0)


def profile(case_id: str, peer: str, out: Path):
    stem = out / case_id.replace(":", "-")
    report = Path(f"/tmp/{stem.name}.ncu-rep")
    sections = [word for name in SECTIONS for word in ("--section", name)]
    done = subprocess.run(
        ["ncu", "--clock-control", "none", "--profile-from-start", "off",
         "--force-overwrite", "--export", report, *sections, sys.executable,
         __file__, case_id, "--peer", peer, "--out", out, "--child"],
        capture_output=True, text=True)
    log = done.stdout[-2000:] + done.stderr[-2000:]
    details = subprocess.run(["ncu", "--import", report, "--page", "details"],
                             capture_output=True, text=True)
    Path(f"{stem}.txt").write_text(log + details.stdout + details.stderr)
    source = subprocess.run(
        ["ncu", "--import", report, "--page", "source", "--csv"],
        capture_output=True, text=True)
    Path(f"{stem}-sass.csv").write_text(source.stdout + source.stderr)
    print(f"{case_id}: ncu ended with {done.returncode}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cases", help="CASE:SHAPE, with commas")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--peer", default="triton")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.cases, options.peer)
    options.out.mkdir(parents=True, exist_ok=True)
    for case_id in options.cases.split(","):
        profile(case_id, options.peer, options.out.resolve())


if __name__ == "__main__":
    main()
