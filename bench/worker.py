"""One side of a measurement: `worker.py tesela|peer THREADS`.

Answers requests on standard input, one JSON line each:
  prepare case=N   build inputs and outputs, compile, check; name the calls
  time call=NAME   run it for a while; the time of each call in milliseconds
  release          forget the case
"""

import gc
import json
import os
import sys
import time
import traceback

# Whatever a library prints must not get between the answers.
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

ENOUGH_SECONDS = 0.25
FEWEST_CALLS = 3
MOST_CALLS = 2000
# Of a call that takes so long, the first one is enough.
SLOW_SECONDS = 0.5


def time_call(call) -> list[float]:
    begin = time.perf_counter()
    call()
    first = time.perf_counter() - begin
    if first > SLOW_SECONDS:
        return [first * 1e3]
    times = []
    begin = time.perf_counter()
    while (len(times) < FEWEST_CALLS
           or time.perf_counter() - begin < ENOUGH_SECONDS):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
        if len(times) >= MOST_CALLS:
            break
    return times


def main():
    side, threads = sys.argv[1], int(sys.argv[2])
    from cpu_case import prepare_peer, prepare_tesela, set_threads
    from cpu_cases import CASES, SCALING

    set_threads(threads)
    calls = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["op"] == "prepare":
                case = [*CASES, *SCALING][request["case"]]
                answer = {"case": case.name, "shape": case.shape_text,
                          "dtype": case.dtype, "flops": case.flops,
                          "bytes": case.bytes}
                if side == "tesela":
                    calls["tesela"], answer["error"] = prepare_tesela(case)
                else:
                    calls |= prepare_peer(case)
                answer["calls"] = list(calls)
            elif request["op"] == "time":
                answer = {"ms": time_call(calls[request["call"]])}
            else:
                calls.clear()
                gc.collect()
                answer = {}
        except Exception:
            answer = {"failure": traceback.format_exc()}
        print(json.dumps(answer), file=ANSWERS, flush=True)


if __name__ == "__main__":
    main()
