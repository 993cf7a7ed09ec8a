"""Tests and benches on a machine with a GPU, from one bundle.

  python3 test/gpu/run.py --bundle build/tesela-0.1.0-x86_64.tar.xz --out DIR
      [--parts info,smoke,doors,kernels,ops,maths,run,generated,cuda80,sanitizer,
               bench]
      [--seconds 560] [--workers 8] [--bench "--only gemm_fp16 --rounds 5"]

Unpacks the bundle (or runs from where this file lies, where that is one), runs
the parts in the order given, each as long as time is left, and writes
results.json, logs and the benches' files to DIR. The last lines are a summary.
Each case runs in a process of a group: one that faults, hangs or crashes costs
that case alone.
"""

import argparse
import ctypes
import json
import lzma
import os
import queue
import shlex
import signal
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

PARTS = ["info", "smoke", "doors", "kernels", "ops", "maths", "run",
         "generated", "cuda80", "sanitizer", "bench"]
CASE_SECONDS = 120


def unpack(bundle: Path) -> Path:
    folder = Path("/tmp/tesela-bundle")
    with lzma.open(bundle) as packed, tarfile.open(fileobj=packed) as tar:
        tar.extractall(folder, filter="fully_trusted")
    return folder / "tesela"


def environment(root: Path) -> dict:
    result = dict(os.environ)
    result["PYTHONPATH"] = f"{root / 'python'}:{root}"
    result["TESELA_CACHE_DIR"] = "/tmp/tesela-cache"
    result["PYTHONUNBUFFERED"] = "1"
    spare = Path("/tmp/tesela-spare")
    for library in (root / "spare").glob("*"):
        try:
            ctypes.CDLL(library.name)
        except OSError:
            spare.mkdir(exist_ok=True)
            (spare / library.name).unlink(missing_ok=True)
            (spare / library.name).symlink_to(library)
            result["LD_LIBRARY_PATH"] = f"{spare}:" + result.get(
                "LD_LIBRARY_PATH", "")
    return result


class Runner:
    def __init__(self, root: Path, out: Path, seconds: float, workers: int):
        self.root = root
        self.out = out
        self.env = environment(root)
        self.end = time.monotonic() + seconds
        self.workers = workers
        self.results = {}

    def left(self) -> float:
        return self.end - time.monotonic()

    def save(self):
        text = json.dumps(self.results, indent=1)
        (self.out / "results.json").write_text(text + "\n")

    def record(self, part: str, cases: list[dict], **more):
        failed = [case for case in cases if not case["ok"]]
        self.results[part] = {
            "passed": len(cases) - len(failed), "failed": len(failed),
            "failures": failed, **more,
        }
        self.save()
        print(f"-- {part}: {len(cases) - len(failed)} passed, "
              f"{len(failed)} failed {more or ''}", flush=True)

    def command(self, words: list, log: str, limit: float, **env) -> dict:
        """Runs a program to its end or its limit; what it printed goes into a
        log, its end into the answer."""
        begin = time.monotonic()
        path = self.out / log
        with open(path, "ab") as file:
            try:
                process = subprocess.Popen(
                    [str(word) for word in words], cwd=self.root, stdout=file,
                    stderr=subprocess.STDOUT, env={**self.env, **env},
                    start_new_session=True)
            except OSError as problem:
                return {"ok": False, "code": None, "detail": str(problem),
                        "seconds": 0}
            try:
                code = process.wait(timeout=max(limit, 1))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                code = "timeout"
        text = path.read_bytes().decode(errors="replace")
        return {"ok": code == 0, "code": code, "detail": text[-1500:],
                "seconds": round(time.monotonic() - begin, 1)}

    # Cases of worker.py ---------------------------------------------------

    def names(self, part: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "test/gpu/worker.py", part, "--list"],
            cwd=self.root, env=self.env, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr[-3000:])
        return done.stdout.splitlines()

    def serve(self, part: str, names: list[str], found: queue.Queue,
              index: int, env: dict, prefix: list):
        """Sees to it that each of the cases gets an answer."""
        rest = list(names)
        while rest and self.left() > 5:
            file = Path(f"/tmp/tesela-{os.getpid()}-{part}-{index}.txt")
            file.write_text("\n".join(rest))
            with open(self.out / f"{part}.log", "ab") as log:
                process = subprocess.Popen(
                    [*prefix, sys.executable, "test/gpu/worker.py", part, file],
                    cwd=self.root, env={**self.env, **env}, text=True,
                    stdout=subprocess.PIPE, stderr=log,
                    start_new_session=True)
            lines: queue.Queue = queue.Queue()
            threading.Thread(target=lambda: [
                *map(lines.put, process.stdout), lines.put(None)],
                daemon=True).start()
            current, why, answered = None, "ended early", False
            while True:
                try:
                    line = lines.get(
                        timeout=max(1, min(CASE_SECONDS, self.left())))
                except queue.Empty:
                    why = "took too long"
                    break
                if line is None:
                    break
                try:
                    answer = json.loads(line)
                except ValueError:
                    continue
                answered = True
                if "begin" in answer:
                    current = answer["begin"]
                    continue
                found.put(answer)
                rest.remove(answer["name"])
                current = None
            if process.poll() is None and why == "took too long":
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
            if not answered and self.left() > 5:
                found.put({"name": f"worker {index}", "ok": False, "seconds": 0,
                           "detail": f"the process {why} (exit {code}) before "
                                     f"its first case: see {part}.log"})
                break
            if current is not None or (code not in (0, 3) and rest):
                lost = current or rest[0]
                found.put({"name": lost, "ok": False, "seconds": 0,
                           "detail": f"the process {why} (exit {code})"})
                rest.remove(lost)
        for name in rest:
            found.put({"name": name, "ok": False, "detail": "no time left",
                       "skipped": True, "seconds": 0})

    def cases(self, part: str, title: str, env: dict = {}, prefix: list = [],
              workers: int | None = None, names: list | None = None):
        names = self.names(part) if names is None else names
        found: queue.Queue = queue.Queue()
        workers = max(1, min(workers or self.workers, len(names)))
        threads = [
            threading.Thread(target=self.serve, args=(
                part, names[i::workers], found, i, env, prefix))
            for i in range(workers)
        ]
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        answers = [found.get() for _ in range(found.qsize())]
        skipped = [a for a in answers if a.get("skipped")]
        answers = [a for a in answers if not a.get("skipped")]
        self.record(title, answers, not_run=len(skipped),
                    seconds=round(time.monotonic() - begin, 1))

    # Parts ----------------------------------------------------------------

    def info(self):
        script = (
            "import torch, sys, platform; print(sys.version); "
            "print('torch', torch.__version__, 'cuda', torch.version.cuda); "
            "print(torch.cuda.get_device_name(0), "
            "torch.cuda.get_device_capability(0)); "
            "import triton; print('triton', triton.__version__)")
        cases = [
            self.command(["nvidia-smi"], "info.log", 30),
            self.command([sys.executable, "-c", script], "info.log", 120),
            self.command(["bin/tesela", "version"], "info.log", 30),
        ]
        for case, name in zip(cases, ("nvidia-smi", "torch", "tesela")):
            case["name"] = name
        self.record("info", cases,
                    commit=(self.root / "COMMIT").read_text().strip()
                    if (self.root / "COMMIT").exists() else "?")
        print((self.out / "info.log").read_text()[-1500:], flush=True)

    def smoke(self):
        script = (
            "import torch, tesela; tesela.install_as_triton(); "
            "from kernels import vector_add; "
            "x = torch.randn(100003, device='cuda'); y = torch.randn_like(x); "
            "z = vector_add.add(x, y); torch.cuda.synchronize(); "
            "assert torch.equal(z, x + y), (z - x - y).abs().max(); "
            "print('smoke: right')")
        case = self.command([sys.executable, "-c", script], "smoke.log", 120)
        self.record("smoke", [{**case, "name": "vector_add"}])
        if not case["ok"]:
            print(case["detail"], flush=True)

    def doors(self):
        program = "test/gpu/doors.py"
        listed = subprocess.run([sys.executable, program, "--list"],
                                cwd=self.root, env=self.env, check=True,
                                capture_output=True, text=True)
        self.record("doors", [
            {**self.command([sys.executable, program, name], f"door-{name}.log",
                            min(CASE_SECONDS, self.left())), "name": name}
            for name in listed.stdout.split()])

    def kernels(self):
        self.cases("kernels", "kernels")

    def ops(self):
        self.cases("ops", "ops")

    def maths(self):
        self.cases("maths", "maths")

    def run_files(self):
        cases = []
        for file in sorted((self.root / "test/run").glob("*.py")):
            case = self.command(
                ["bin/tesela", "run", "--quiet", "--target=interp,cuda", file],
                f"run-{file.stem}.log", min(CASE_SECONDS, self.left()))
            cases.append({**case, "name": file.stem})
        self.record("run", cases)

    def generated(self):
        """2000 kernels, in shares, each beside the evaluator."""
        total, share = 2000, 2000 // self.workers
        cases, lock = [], threading.Lock()

        def one(first):
            case = self.command(
                ["bin/tesela-unit", "--gtest_filter=CudaDifferential.*"],
                f"generated-{first}.log", min(400, self.left()),
                TESELA_RANDOM_SEED=str(first),
                TESELA_RANDOM_KERNELS=str(share))
            with lock:
                cases.append({**case, "name": f"seeds from {first}"})

        threads = [threading.Thread(target=one, args=(first,))
                   for first in range(0, total, share)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.record("generated", cases, kernels=total)

    def cuda80(self):
        self.cases("kernels", "kernels-80", {"TESELA_CUDA_ARCH": "80"})
        self.cases("ops", "ops-80", {"TESELA_CUDA_ARCH": "80"})

    def sanitizer(self):
        for tool in ("memcheck", "racecheck", "synccheck"):
            self.cases(
                "sanitizer", tool,
                {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"},
                ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9",
                 "--log-file", str(self.out / f"{tool}-%p.log")],
                workers=2)
        # What they found is in their logs, many to a tool: one file each.
        for tool in ("memcheck", "racecheck", "synccheck"):
            logs = sorted(self.out.glob(f"{tool}-*.log"))
            text = "\n".join(log.read_text(errors="replace") for log in logs)
            (self.out / f"{tool}.txt").write_text(text[-2_000_000:])
            for log in logs:
                log.unlink()
            lines = [line for line in text.splitlines()
                     if "ERROR SUMMARY" in line or "RACECHECK SUMMARY" in line]
            # PyTorch's products run kernels of cuBLAS, which are not ours.
            races = [line for line in text.splitlines()
                     if "Race reported" in line and "nvjet_" not in line]
            clean = bool(lines) and not races and all(
                " 0 errors" in line or "RACECHECK" in line for line in lines)
            self.results[tool]["summary"] = lines[-20:]
            self.results[tool]["clean"] = clean
            print(f"-- {tool}: {'clean' if clean else 'NOT CLEAN'} "
                  f"{lines[-1:]}", flush=True)
        self.save()

    def bench(self, options: str):
        case = self.command(
            [sys.executable, "bench/gpu.py", "--out", self.out,
             "--seconds", str(int(self.left() - 15)), *shlex.split(options)],
            "bench.log", self.left() - 5)
        self.record("bench", [{**case, "name": "bench/gpu.py"}])
        print((self.out / "bench.log").read_text(errors="replace")[-7000:],
              flush=True)


def tidy(out: Path):
    """At most a handful of files may travel: small logs become one."""
    logs = sorted(out.glob("*.log"))
    with open(out / "logs.txt", "w") as file:
        for log in logs:
            text = log.read_text(errors="replace")
            file.write(f"==== {log.name}\n{text[-400_000:]}\n")
            log.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bundle", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", default="info,smoke,kernels,ops,run")
    parser.add_argument("--seconds", type=float, default=560)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--bench", default="", help="options of bench/gpu.py")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    root = (unpack(options.bundle) if options.bundle
            else Path(__file__).resolve().parents[2])
    print(f"unpacked in {time.monotonic() - begin:.0f} s", flush=True)
    runner = Runner(root, options.out.resolve(),
                    options.seconds - (time.monotonic() - begin),
                    options.workers)
    for part in options.parts.split(","):
        if part not in PARTS:
            parser.error(f"there is no part `{part}`")
        if runner.left() < 10:
            runner.results[part] = {"passed": 0, "failed": 0,
                                    "not_run": "no time left"}
            continue
        try:
            if part == "bench":
                runner.bench(options.bench)
            else:
                getattr(runner, "run_files" if part == "run" else part)()
        except Exception as problem:
            runner.record(part, [{"name": part, "ok": False, "seconds": 0,
                                  "detail": repr(problem)[-3000:]}])
    runner.save()
    tidy(options.out)

    print("== summary", flush=True)
    failed = 0
    for part, result in runner.results.items():
        failed += result["failed"]
        extra = {k: v for k, v in result.items()
                 if k in ("not_run", "seconds", "clean", "commit") and v}
        print(f"{part:12} {result['passed']:5} passed {result['failed']:4} "
              f"failed {extra or ''}")
        for case in result.get("failures", [])[:6]:
            first = " | ".join(case["detail"].strip().splitlines()[-3:])
            print(f"    {case['name']}: {first[-240:]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
