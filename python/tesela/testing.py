"""Timing and comparing."""

import statistics
import sys
import time
from typing import NamedTuple

from . import _binding


def _quantile(samples: list, q: float) -> float:
    """Linear between the two nearest samples."""
    ordered = sorted(samples)
    position = q * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


_SUMMARIES = {
    "min": min,
    "max": max,
    "mean": statistics.mean,
    "median": statistics.median,
    "all": list,
}


def _summarise(samples, quantiles, return_mode):
    if quantiles is not None:
        found = [_quantile(samples, q) for q in quantiles]
        return found[0] if len(found) == 1 else found
    return _SUMMARIES[return_mode](samples)


class _HostClock:
    """Times calls that return when they are done."""

    def start(self):
        self._begin = time.perf_counter()

    def stop(self):
        self._end = time.perf_counter()

    def milliseconds(self) -> list:
        return [(self._end - self._begin) * 1e3]


class _TorchClock:
    """Times what calls queue on PyTorch's current stream, with CUDA events."""

    # More than the second-level cache of any GPU.
    _CACHE_BYTES = 256 << 20

    def __init__(self, torch):
        self._torch = torch
        self._pairs = []
        self._flushed = None

    def _event(self):
        event = self._torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def flush(self):
        """Leaves nothing of the inputs in the GPU's cache."""
        if self._flushed is None:
            self._flushed = self._torch.empty(
                self._CACHE_BYTES, dtype=self._torch.int8, device="cuda")
        self._flushed.zero_()

    def start(self):
        self._begin = self._event()

    def stop(self):
        self._pairs.append((self._begin, self._event()))

    def milliseconds(self) -> list:
        self._torch.cuda.synchronize()
        pairs, self._pairs = self._pairs, []
        return [begin.elapsed_time(end) for begin, end in pairs]


class _DriverClock:
    """The same without PyTorch, on the default stream."""

    def __init__(self):
        self._pairs = []

    def flush(self):
        """Caches stay as they are."""

    def start(self):
        self._begin = _binding.record_event()

    def stop(self):
        self._pairs.append((self._begin, _binding.record_event()))

    def milliseconds(self) -> list:
        pairs, self._pairs = self._pairs, []
        return [_binding.elapsed(begin, end) for begin, end in pairs]


def _gpu_clock():
    """A clock for what runs on a GPU; None where nothing does."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return _TorchClock(torch)
    return _DriverClock() if _binding.cuda_in_use() else None


def _time(fn, clock, count, grad_to_none=None, flush=False):
    """The milliseconds of each of `count` calls, or of all together where the
    clock counts on the host."""
    samples = []
    for _ in range(count):
        for tensor in grad_to_none or ():
            tensor.grad = None
        if flush:
            clock.flush()
        clock.start()
        fn()
        clock.stop()
        if isinstance(clock, _HostClock):
            samples += clock.milliseconds()
    return samples or clock.milliseconds()


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None,
             return_mode="mean"):
    """How many milliseconds `fn()` takes.

    `warmup` and `rep` are milliseconds to spend before and while measuring.
    Gives the `quantiles` where they are asked for, else what `return_mode`
    names: "min", "max", "mean", "median" or "all". On a GPU, CUDA events tell
    the time, and its cache is emptied before each run; on a CPU, caches stay as
    they are between the runs."""
    if return_mode not in _SUMMARIES:
        raise ValueError(
            f"`return_mode` is {return_mode!r}; expected one of "
            f"{', '.join(map(repr, _SUMMARIES))}"
        )
    fn()  # compiles
    clock = _gpu_clock() or _HostClock()
    on_gpu = not isinstance(clock, _HostClock)
    estimate = max(statistics.mean(_time(fn, clock, 5, flush=on_gpu)), 1e-6)
    if warmup:
        _time(fn, clock, max(1, int(warmup / estimate)))
    samples = _time(fn, clock, max(1, int(rep / estimate)), grad_to_none,
                    flush=on_gpu)
    return _summarise(samples, quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None,
                       return_mode="mean"):
    """`do_bench` of calls in a CUDA graph, so that launching costs nothing; on a
    CPU, `do_bench`."""
    fn()
    clock = _gpu_clock()
    if not isinstance(clock, _TorchClock):
        return do_bench(fn, rep=rep, grad_to_none=grad_to_none,
                        quantiles=quantiles, return_mode=return_mode)
    torch = sys.modules["torch"]
    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        estimate = max(statistics.mean(_time(fn, clock, 5)), 1e-3)
        count = max(1, int(rep / estimate))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(count):
                for tensor in grad_to_none or ():
                    tensor.grad = None
                fn()
        graph.replay()
        samples = [ms / count for ms in _time(graph.replay, clock, 10)]
    return _summarise(samples, quantiles, return_mode)


def _to_numpy(value):
    import numpy

    if hasattr(value, "detach"):  # a tensor; NumPy has no bfloat16
        value = value.detach().cpu()
        if value.dtype.is_floating_point and value.element_size() < 4:
            value = value.float()
        return value.numpy()
    return numpy.asarray(value)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises `AssertionError` where `x` and `y` differ by more than
    `atol + rtol * abs(y)`; both are 1e-2 where not given."""
    import numpy

    x, y = _to_numpy(x), _to_numpy(y)
    atol = 1e-2 if atol is None else atol(x.dtype) if callable(atol) else atol
    rtol = 1e-2 if rtol is None else rtol(x.dtype) if callable(rtol) else rtol
    if x.size > 1 or y.size > 1:
        numpy.testing.assert_allclose(x, y, atol=atol, rtol=rtol,
                                      equal_nan=True, err_msg=err_msg)
    elif not numpy.allclose(x, y, atol=atol, rtol=rtol):
        raise AssertionError(f"{err_msg} {x} is not close to {y} "
                             f"(atol={atol}, rtol={rtol})")


class Benchmark:
    """What a function measured by `perf_report` is called with: `line_arg`
    takes each of `line_vals` for each of `x_vals`."""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names,
                 plot_name, args, xlabel="", ylabel="", x_log=False,
                 y_log=False, styles=None):
        self.x_names = x_names
        self.x_vals = x_vals
        self.line_arg = line_arg
        self.line_vals = line_vals
        self.line_names = line_names
        self.plot_name = plot_name
        self.args = args
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.x_log = x_log
        self.y_log = y_log
        self.styles = styles


class _Table(NamedTuple):
    header: list
    rows: list

    def text(self) -> str:
        cells = [self.header] + [
            [f"{v:.6f}" if isinstance(v, float) else str(v) for v in row]
            for row in self.rows
        ]
        widths = [max(map(len, column)) for column in zip(*cells)]
        return "\n".join(
            "  ".join(cell.rjust(w) for cell, w in zip(row, widths))
            for row in cells
        )

    def write_csv(self, path) -> None:
        import csv

        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([self.header, *self.rows])


class Mark:
    """A function with the benchmarks that `perf_report` gave it."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def _measure(self, bench, **kwargs):
        x_names = list(bench.x_names)
        table = _Table(x_names + list(bench.line_names), [])
        spread = []
        for x in bench.x_vals:
            xs = list(x) if isinstance(x, (list, tuple)) else (
                [x] * len(x_names)
            )
            if len(xs) != len(x_names):
                raise ValueError(f"expected {len(x_names)} values, not {xs}")
            row, low_high = list(xs), []
            for line in bench.line_vals:
                result = self.fn(**dict(zip(x_names, xs)),
                                 **{bench.line_arg: line}, **bench.args,
                                 **kwargs)
                mid, low, high = (
                    result if isinstance(result, tuple)
                    else (result, None, None)
                )
                row.append(mid)
                low_high.append((low, high))
            table.rows.append(row)
            spread.append(low_high)
        return table, spread

    def _plot(self, bench, table, spread, show_plots, path):
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            return
        axes = plt.subplot()
        numbers = range(len(table.rows))
        xs = [row[0] for row in table.rows]
        for i, name in enumerate(bench.line_names):
            style = bench.styles[i] if bench.styles else (None, None)
            column = [row[len(bench.x_names) + i] for row in table.rows]
            axes.plot(xs, column, label=name, color=style[0], ls=style[1])
            if all(spread[k][i][0] is not None for k in numbers):
                axes.fill_between(
                    xs, [spread[k][i][0] for k in numbers],
                    [spread[k][i][1] for k in numbers], alpha=0.15,
                    color=style[0],
                )
        axes.legend()
        axes.set_xlabel(bench.xlabel or bench.x_names[0])
        axes.set_ylabel(bench.ylabel)
        axes.set_xscale("log" if bench.x_log else "linear")
        axes.set_yscale("log" if bench.y_log else "linear")
        if path:
            plt.savefig(path)
        if show_plots:
            plt.show()
        plt.close()

    def run(self, show_plots=False, print_data=False, save_path="",
            return_df=False, **kwargs):
        """Measures; prints, plots and saves what is asked for."""
        import os

        several = isinstance(self.benchmarks, (list, tuple))
        results = []
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        for bench in self.benchmarks if several else [self.benchmarks]:
            table, spread = self._measure(bench, **kwargs)
            stem = (os.path.join(save_path, bench.plot_name)
                    if save_path and bench.plot_name else "")
            if bench.plot_name and (show_plots or stem):
                self._plot(bench, table, spread, show_plots,
                           stem and stem + ".png")
            if print_data:
                print(bench.plot_name + ":")
                print(table.text())
            if stem:
                table.write_csv(stem + ".csv")
            if return_df:
                import pandas

                results.append(pandas.DataFrame(table.rows,
                                                columns=table.header))
        if return_df:
            return results if several else results[0]
        return None


def perf_report(benchmarks):
    """Measures a function by one `Benchmark` or a list of them: see
    `Mark.run`."""
    return lambda fn: Mark(fn, benchmarks)
