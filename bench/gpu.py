"""Every GPU case beside its peers, in one run: gpu.json and plots.

  ./x bench gpu, or on a machine with a bundle python3 bench/gpu.py
      [--only CASE[:SHAPE][,…]] [--rounds N] [--out DIR] [--seconds N]

One row a case, shape, dtype and peer: `ratio` is the peer's time over ours, so
above 1 means that Tesela is faster. All calls of a case are made in one process,
in turns, from CUDA graphs, so that what launching costs the host is left out;
rows named launch_… and compile_… are about that. What fails has a row with
`failure`, and the rest goes on.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import traceback
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import report  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
CASE_SECONDS = 150
# How long a peer works in one round, and how often it is called at most.
ROUND_MS = 40
MOST_CALLS = 200


#===----------------------------------------------------------------------===#
# One process that measures
#===----------------------------------------------------------------------===#


class Timed:
    """A call, repeated in a CUDA graph where it can be captured."""

    def __init__(self, call):
        import torch

        self.torch = torch
        self.call = call
        for _ in range(2):
            call()
        torch.cuda.synchronize()
        self.count = 1
        self.graph = None
        once = min(self.measure() for _ in range(3))
        self.count = max(1, min(MOST_CALLS, int(ROUND_MS / max(once, 1e-3))))
        try:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(self.count):
                    call()
            self.graph = graph
            self.graph.replay()
            torch.cuda.synchronize()
        except Exception:
            torch.cuda.synchronize()
            self.graph = None

    def measure(self) -> float:
        """Milliseconds of one call."""
        begin = self.torch.cuda.Event(enable_timing=True)
        end = self.torch.cuda.Event(enable_timing=True)
        begin.record()
        if self.graph:
            self.graph.replay()
        else:
            for _ in range(self.count):
                self.call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / self.count


def checked(prepared, candidate, fills: bool) -> float | None:
    """The error of what a call computes; raises where it is wrong."""
    import torch

    if fills:
        prepared.out.fill_(float("nan"))
    candidate.call()
    torch.cuda.synchronize()
    if not fills:
        return None
    error = prepared.check()
    if not error <= prepared.tolerance:  # NaN is wrong, too
        raise AssertionError(
            f"wrong: error {error:.3g}, {prepared.tolerance:.3g} allowed")
    return error


# Calls that leave their result elsewhere than in `out`.
ELSEWHERE = {"copy", "native", "cudnn", "flash2"}


def pick(name, candidates, prepared):
    """The fastest candidate that is right, ready to be timed; what each took
    in milliseconds, and why others were refused."""
    best, took, problems = None, {}, []
    fills = name not in ELSEWHERE
    for candidate in candidates:
        try:
            error = checked(prepared, candidate, fills)
            timed = Timed(candidate.call)
            timed.measure()
            ms = took[candidate.config] = min(
                timed.measure() for _ in range(2))
        except Exception as problem:
            text = f"{type(problem).__name__}: {problem}"
            problems.append(f"{candidate.config} {text}"[:600])
            if is_fault(text):
                raise
            continue
        if best is None or ms < best[0]:
            best = (ms, timed, candidate, error)
    if best is None:
        raise RuntimeError("; ".join(problems)[:2500])
    return *best[1:], took, problems


def is_fault(text: str) -> bool:
    return ("device-fault" in text or "illegal memory" in text
            or "CUDA error" in text or "unspecified launch" in text)


def measure(case, rounds: int) -> list[dict]:
    import torch

    base = {"case": case.name, "shape": case.shape, "dtype": case.dtype}
    torch.manual_seed(0)
    prepared = case.prepare()
    timed, configs, rows, times = {}, {}, [], {}
    # Ours last: what it breaks it alone shall break.
    names = [n for n in prepared.calls if n != "tesela"] + ["tesela"]
    for name in names:
        try:
            timed[name], candidate, error, took, problems = pick(
                name, prepared.calls[name], prepared)
            configs[name] = (candidate.config, error, took, problems)
        except Exception as problem:
            text = f"{type(problem).__name__}: {problem}"[:3000]
            rows.append({**base, "peer": name, "failure": text})
            if is_fault(text):
                return rows + [{"fatal": True}]
    for _ in range(rounds):
        for name, call in timed.items():
            times.setdefault(name, []).append(call.measure())
    medians = {n: statistics.median(t) for n, t in times.items()}
    ours = medians.get("tesela")
    for name, ms in medians.items():
        if name == "tesela":
            continue
        row = {**base, "tesela_ms": ours, "peer": name, "peer_ms": ms}
        if ours:
            row["ratio"] = ms / ours
        fastest = ours or ms
        if prepared.flops:
            row["tflops"] = prepared.flops / fastest / 1e9
            row["peer_tflops"] = prepared.flops / ms / 1e9
        else:
            row["gbps"] = prepared.bytes / fastest / 1e6
            row["peer_gbps"] = prepared.bytes / ms / 1e6
        row["flops_per_byte"] = prepared.flops / prepared.bytes
        if "tesela" in configs:
            row["config"], row["error"], took, problems = configs["tesela"]
            if len(took) > 1:
                row["config_ms"] = took
            if problems:
                row["refused_configs"] = problems
        row["peer_config"] = configs[name][0]
        if len(configs[name][2]) > 1:
            row["peer_config_ms"] = configs[name][2]
        row["graph"] = timed[name].graph is not None
        row["spread"] = [min(times[name]), max(times[name])]
        if ours:
            row["tesela_spread"] = [min(times["tesela"]), max(times["tesela"])]
        rows.append(row)
    return rows


def child(names: list[str], rounds: int):
    """Measures cases; prints what it begins and each row."""
    import torch

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever libraries print goes elsewhere
    from gpu_cases import CASES

    by_id = {case.id: case for case in CASES}

    def say(row):
        print(json.dumps(row), file=answers, flush=True)

    torch.cuda.init()
    for name in names:
        say({"begin": name})
        try:
            rows = measure(by_id[name], rounds)
        except Exception:
            case = by_id[name]
            rows = [{"case": case.name, "shape": case.shape,
                     "dtype": case.dtype, "peer": "?",
                     "failure": traceback.format_exc()[-3000:]}]
            if is_fault(rows[0]["failure"]):
                rows.append({"fatal": True})
        for row in rows:
            say(row)
        if rows and rows[-1].get("fatal"):
            answers.flush()
            os._exit(3)
        say({"end": name})
        torch.cuda.empty_cache()
    answers.flush()
    os._exit(0)


#===----------------------------------------------------------------------===#
# The process that looks after it
#===----------------------------------------------------------------------===#


def text_of(row: dict) -> str:
    where = f"{row['case']:18} {row['shape']:>24} {row['dtype']:>11}"
    if "failure" in row:
        return f"{where} {row['peer']:>10} FAILED {row['failure'][-160:]!r}"
    ours = row["tesela_ms"]
    rate = (f"{row['tflops']:8.1f} TFLOPS" if "tflops" in row
            else f"{row['gbps']:8.0f} GB/s" if "gbps" in row else "")
    return (f"{where} {f'{ours:10.4f}' if ours else '         -'} ms "
            f"{row['peer_ms']:10.4f} ms {row.get('ratio', 0):7.3f} "
            f"{row['peer']:10} {rate}")


def follow(names: list[str], rounds: int, end: float, add):
    """Has all cases measured, whatever happens to the process that does."""
    import queue
    import threading

    rest = list(names)
    while rest and time.monotonic() < end - 5:
        process = subprocess.Popen(
            [sys.executable, __file__, "--child", ",".join(rest), "--rounds",
             str(rounds)], stdout=subprocess.PIPE, text=True)
        lines: queue.Queue = queue.Queue()
        threading.Thread(
            target=lambda: [*map(lines.put, process.stdout), lines.put(None)],
            daemon=True).start()
        current, why = None, "ended"
        while True:
            limit = min(CASE_SECONDS, end - time.monotonic())
            try:
                line = lines.get(timeout=max(limit, 1))
            except queue.Empty:
                why = "took too long"
                break
            if line is None:
                break
            row = json.loads(line)
            if "begin" in row:
                current = row["begin"]
            elif "end" in row:
                rest.remove(row["end"])
                current = None
            elif "fatal" not in row:
                add(row)
        process.kill()
        code = process.wait()
        lost = current or (rest[0] if rest and code not in (0, -9) else None)
        if lost:
            name, shape, dtype = lost.split(":")
            if code != 3:
                add({"case": name, "shape": shape, "dtype": dtype, "peer": "?",
                     "failure": f"the process {why} (exit {code})"})
            rest.remove(lost)
        elif rest and code == 0:
            break


def wanted_ids(only: str) -> list[str]:
    import re

    # Without importing PyTorch here: the child lists them.
    done = subprocess.run([sys.executable, __file__, "--list"],
                          capture_output=True, text=True)
    ids = re.findall(r"^case (\S+)$", done.stdout, re.M)
    if not ids:
        raise SystemExit(done.stderr[-3000:])
    words = [word for word in only.split(",") if word]
    if not words:
        return ids
    return [i for i in ids if any(
        i == w or i.startswith(w + ":") or i.startswith(w + "-")
        or (":" in w and i.startswith(w)) for w in words)]


def commit() -> str:
    file = ROOT / "COMMIT"
    if file.exists():
        return file.read_text().strip()
    return subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT,
                          capture_output=True, text=True).stdout.strip()


def machine() -> dict:
    done = subprocess.run(
        ["nvidia-smi", "--query-gpu=name,driver_version,power.limit",
         "--format=csv,noheader"], capture_output=True, text=True)
    versions = subprocess.run(
        [sys.executable, "-c", "import torch, triton; print(torch.__version__,"
         " torch.version.cuda, torch.backends.cudnn.version(),"
         " triton.__version__)"], capture_output=True, text=True)
    words = (versions.stdout.split() + ["?"] * 4)[:4]
    return {"machine": done.stdout.strip(), "torch": words[0],
            "cuda": words[1], "cudnn": words[2], "triton": words[3]}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="names of cases, with commas")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=Path, default=ROOT / "build/bench")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.child:
        child(options.child.split(","), options.rounds)
    if options.list:
        from gpu_cases import CASES

        for case in CASES:
            print("case", case.id)
        return 0

    end = time.monotonic() + options.seconds
    options.out.mkdir(parents=True, exist_ok=True)
    result = {"date": date.today().isoformat(), "commit": commit(),
              **machine(), "rounds": options.rounds, "rows": []}
    # A part of the list never overwrites the whole of it.
    name = "gpu-part" if options.only else "gpu"
    path = options.out / f"{name}.json"

    def add(row):
        result["rows"].append(row)
        report.write(path, result)
        print(text_of(row), flush=True)

    import gpu_latency

    ids = wanted_ids(options.only)
    follow(ids, options.rounds, end, add)
    gpu_latency.rows(options.only, end, add)
    report.write(path, result)

    import plots

    title = f"{result['machine']}, {result['commit']}"
    plots.ratios(result["rows"], options.out / f"{name}-ratios.png", title)
    plots.roofline(result["rows"], options.out / f"{name}-roofline.png", title)
    print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
