"""Timing and comparing."""

import time

import numpy as np
import pytest
from conftest import needs_torch
from tesela import testing


def test_do_bench_measures_milliseconds():
    took = testing.do_bench(lambda: time.sleep(0.002), warmup=2, rep=20)
    assert 2 <= took < 20


def test_do_bench_modes():
    def run(**kwargs):
        return testing.do_bench(lambda: None, warmup=1, rep=1, **kwargs)

    assert run(return_mode="min") <= run(return_mode="max")
    assert len(run(return_mode="all")) >= 1
    low, middle, high = run(quantiles=[0.1, 0.5, 0.9])
    assert low <= middle <= high
    assert isinstance(run(quantiles=[0.5]), float)
    with pytest.raises(ValueError, match="`return_mode` is 'fastest'"):
        run(return_mode="fastest")


def test_quantiles_are_linear():
    assert testing._quantile([4, 1, 3, 2], 0.5) == 2.5
    assert testing._quantile([1], 0.9) == 1
    assert testing._quantile([1, 2], 1.0) == 2


@needs_torch
def test_do_bench_clears_gradients():
    import torch

    x = torch.ones(2, requires_grad=True)
    testing.do_bench(lambda: (x * x).sum().backward(), warmup=1, rep=2,
                     grad_to_none=[x])
    assert x.grad.tolist() == [2, 2]


def test_assert_close():
    testing.assert_close(np.ones(3), np.ones(3) * 1.001)
    testing.assert_close(1.0, 1.001)
    with pytest.raises(AssertionError):
        testing.assert_close(np.ones(3), np.ones(3) * 1.1)
    with pytest.raises(AssertionError):
        testing.assert_close(1.0, 2.0)
    with pytest.raises(AssertionError):
        testing.assert_close(np.ones(3), np.ones(3) * 1.001, atol=0, rtol=0)


@needs_torch
def test_assert_close_of_tensors():
    import torch

    testing.assert_close(torch.ones(3, dtype=torch.bfloat16), torch.ones(3))


def test_perf_report(tmp_path, capsys):
    @testing.perf_report(testing.Benchmark(
        x_names=["n"], x_vals=[1, 2], line_arg="provider",
        line_vals=["a", "b"], line_names=["A", "B"], plot_name="speeds",
        args={"k": 10}, ylabel="ms",
    ))
    def measure(n, provider, k, extra=0):
        value = float(n * k + (provider == "b") + extra)
        return (value, value - 1, value + 1) if provider == "a" else value

    measure.run(print_data=True, save_path=str(tmp_path), extra=100)
    printed = capsys.readouterr().out
    assert "speeds:" in printed and "121.000000" in printed
    assert (tmp_path / "speeds.csv").read_text().split() == [
        "n,A,B", "1,110.0,111.0", "2,120.0,121.0"
    ]
