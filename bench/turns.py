"""Two workers, ours and the peers', that take turns.

Each side runs in a process of its own, since thread pools in one process disturb
each other, with the same number of threads. The workers build the same inputs
from the same seed. Only one of them works at any time.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

# Set here on some machines for old OpenBLAS builds; they slow down a current one.
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


class Worker:
    """A process that answers one JSON line with one JSON line."""

    def __init__(self, side: str, threads: int):
        environment = {k: v for k, v in os.environ.items() if k not in UNSET}
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                     "MKL_NUM_THREADS", "TESELA_NUM_THREADS"):
            environment[name] = str(threads)
        if side == "peer":
            # The peer's Triton runs its interpreter: this is a CPU.
            environment["TRITON_INTERPRET"] = "1"
        worker = Path(__file__).with_name("worker.py")
        self.process = subprocess.Popen(
            [sys.executable, str(worker), side, str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment,
        )

    def ask(self, **request) -> dict:
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker died on {request}")
        answer = json.loads(line)
        if "failure" in answer:
            raise RuntimeError(answer["failure"])
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(ours: Worker, peer: Worker, case: int, rounds: int,
            names: dict | None = None) -> dict:
    """Checks, then times one case on both sides; gives its row. `names` are
    what to call the peer's calls."""
    described = ours.ask(op="prepare", case=case)
    calls = peer.ask(op="prepare", case=case)["calls"]
    tesela_times, peer_times = [], {call: [] for call in calls}
    for _ in range(rounds):
        tesela_times += ours.ask(op="time", call="tesela")["ms"]
        for call in calls:
            peer_times[call] += peer.ask(op="time", call=call)["ms"]
    ours.ask(op="release")
    peer.ask(op="release")

    row = {
        "case": described["case"],
        "shape": described["shape"],
        "dtype": described["dtype"],
        "tesela_ms": statistics.median(tesela_times),
    }
    for rate, amount in (("gflops", described["flops"]),
                         ("gbps", described["bytes"])):
        if amount:
            row[rate] = amount / row["tesela_ms"] / 1e6
    if described["flops"] and described["bytes"]:
        row["flops_per_byte"] = described["flops"] / described["bytes"]
    medians = {(names or {}).get(call, call): statistics.median(times)
               for call, times in peer_times.items()}
    if medians:
        fastest = min(medians, key=medians.get)
        row |= {
            "peer": fastest,
            "peer_ms": medians.pop(fastest),
            "others": medians,
        }
        row["ratio"] = row["peer_ms"] / row["tesela_ms"]
    return row | {"error": described["error"]}
