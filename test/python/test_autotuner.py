"""`autotune`, `heuristics` and `Config`."""

import os
import threading

import numpy as np
import pytest
import tesela
import tesela.language as tl


def timed_by(order):
    """A `do_bench` that calls once and takes its times from `order`."""
    times = iter(order)

    def do_bench(call, quantiles):
        call()
        return [next(times)] * 3

    return do_bench


def configs(*blocks, **options):
    return [tesela.Config({"BLOCK": block}, **options) for block in blocks]


def make_add(**options):
    """Adds BLOCK to every element that an instance has."""

    @tesela.autotune(**options)
    @tesela.jit
    def add(x_ptr, n, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offs < n
        x = tl.load(x_ptr + offs, mask=mask)
        tl.store(x_ptr + offs, x + BLOCK, mask=mask)

    return add


def launch(kernel, x):
    kernel[lambda meta: (tesela.cdiv(x.size, meta["BLOCK"]),)](x, x.size)


def test_config():
    config = tesela.Config({"BLOCK": 4}, num_warps=8, num_stages=1)
    assert config.all_kwargs() == {
        "BLOCK": 4, "num_warps": 8, "num_stages": 1, "num_ctas": 1,
    }
    assert config == tesela.Config({"BLOCK": 4}, num_warps=8, num_stages=1)
    assert config != tesela.Config({"BLOCK": 8}, num_warps=8, num_stages=1)
    assert hash(config) == hash(
        tesela.Config({"BLOCK": 4}, num_warps=8, num_stages=1)
    )
    assert "BLOCK: 4" in str(config)


def test_takes_the_fastest():
    add = make_add(configs=configs(4, 8, 16), key=["n"],
                   restore_value=["x_ptr"], do_bench=timed_by([3, 1, 2]))
    x = np.zeros(20, dtype=np.int32)
    launch(add, x)
    assert add.best_config.kwargs == {"BLOCK": 8}
    assert (x == 8).all()
    assert len(add.configs_timings) == 3
    assert add.bench_time > 0


def test_remembers_by_key_and_dtype():
    add = make_add(configs=configs(4, 8), key=["n"],
                   do_bench=timed_by([1, 2, 2, 1, 3, 1]))
    launch(add, np.zeros(20, dtype=np.int32))
    assert add.best_config.kwargs["BLOCK"] == 4
    launch(add, np.zeros(21, dtype=np.int32))
    assert add.best_config.kwargs["BLOCK"] == 8
    launch(add, np.zeros(20, dtype=np.int32))
    assert add.best_config.kwargs["BLOCK"] == 4
    launch(add, np.zeros(20, dtype=np.int64))
    assert add.best_config.kwargs["BLOCK"] == 8
    assert len(add.cache) == 3


def test_one_config_is_not_timed():
    add = make_add(configs=configs(8), key=[], do_bench=timed_by([]))
    x = np.zeros(4, dtype=np.int32)
    launch(add, x)
    assert (x == 8).all()


def test_restore_and_reset():
    for option, want in (("restore_value", 105), ("reset_to_zero", 4)):
        add = make_add(configs=configs(4, 8), key=[], **{option: ["x_ptr"]},
                       do_bench=timed_by([1, 2]))
        x = np.full(4, 101, dtype=np.int32)
        launch(add, x)
        assert (x == want).all(), option


def test_hooks():
    seen = []
    add = make_add(
        configs=[
            tesela.Config({"BLOCK": b},
                          pre_hook=lambda args: seen.append(args["BLOCK"]))
            for b in (4, 8)
        ],
        key=[], do_bench=timed_by([2, 1]),
        pre_hook=lambda args, reset_only=False: seen.append("before"),
        post_hook=lambda args, exception: seen.append(exception),
    )
    launch(add, np.zeros(4, dtype=np.int32))
    assert seen == [4, "before", None, 8, "before", None, 8]


def test_pruning():
    def early(given, named, **kwargs):
        assert named["n"] == 4
        return [c for c in given if c.kwargs["BLOCK"] != 2]

    add = make_add(
        configs=configs(2, 4, 8, 16), key=[], do_bench=timed_by([5, 4]),
        prune_configs_by={
            "early_config_prune": early, "top_k": 2,
            "perf_model": lambda BLOCK, **kwargs: -BLOCK,
        },
    )
    launch(add, np.zeros(4, dtype=np.int32))
    assert [c.kwargs["BLOCK"] for c in add.configs_timings] == [16, 8]
    assert add.best_config.kwargs["BLOCK"] == 8


def test_configs_that_cannot_be_compiled_are_left_out():
    @tesela.autotune(configs=configs(3, 8), key=[])
    @tesela.jit
    def kernel(x_ptr, BLOCK: tl.constexpr):
        tl.store(x_ptr + tl.arange(0, BLOCK), 1)

    x = np.zeros(8, dtype=np.int32)
    kernel[1](x)
    assert (x == 1).all()
    assert kernel.best_config.kwargs["BLOCK"] == 8


def test_no_config_is_an_error():
    @tesela.autotune(configs=configs(3, 5), key=[])
    @tesela.jit
    def kernel(x_ptr, BLOCK: tl.constexpr):
        tl.store(x_ptr + tl.arange(0, BLOCK), 1)

    with pytest.raises(tesela.AutotunerError, match="no configuration of `ker"):
        kernel[1](np.zeros(8, dtype=np.int32))


def test_wrong_uses_are_errors():
    with pytest.raises(ValueError, match="no parameter `m`"):
        make_add(configs=configs(4), key=["m"])
    for blocks in [(4, 8), (4,)]:
        add = make_add(configs=configs(*blocks), key=[])
        x = np.zeros(4, dtype=np.int32)
        with pytest.raises(ValueError, match="tuned over `BLOCK`"):
            add[1](x, 4, BLOCK=8)
        with pytest.raises(ValueError, match="tuned over `BLOCK`"):
            add[1](x, 4, 8)
        with pytest.raises(ValueError, match="tuned over `num_warps`"):
            add[1](x, 4, num_warps=8)
        assert not x.any()
    with pytest.raises(TypeError, match=r"add\(\) misses the argument `n`"):
        add[1](np.zeros(4, dtype=np.int32))


def test_configs_and_heuristics_of_wrong_types():
    with pytest.raises(TypeError, match=r"`Config` takes a dict .* not 3"):
        tesela.Config(3)
    with pytest.raises(TypeError, match=r"function of the arguments for `M`"):
        tesela.heuristics({"M": 1})


def test_heuristics():
    @tesela.heuristics({
        "BLOCK": lambda args: tesela.next_power_of_2(args["n"]),
        "EVEN": lambda args: args["n"] == args["BLOCK"],
    })
    @tesela.jit
    def kernel(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
        offs = tl.arange(0, BLOCK)
        tl.store(x_ptr + offs, BLOCK * 10 + EVEN, mask=offs < n)

    x = np.zeros(16, dtype=np.int32)
    kernel[1](x, 5)
    assert x.tolist() == [80] * 5 + [0] * 11
    kernel[(1,)](x, n=16)
    assert x.tolist() == [161] * 16
    assert kernel.fn.arg_names == kernel.arg_names


def test_autotune_over_heuristics():
    @tesela.autotune(configs=configs(4, 8), key=[], do_bench=timed_by([2, 1]))
    @tesela.heuristics({"TWICE": lambda args: args["BLOCK"] * 2})
    @tesela.jit
    def kernel(x_ptr, BLOCK: tl.constexpr, TWICE: tl.constexpr):
        tl.store(x_ptr, TWICE)

    x = np.zeros(1, dtype=np.int32)
    kernel[1](x)
    assert x[0] == 16
    assert kernel.base_fn.arg_names == ["x_ptr", "BLOCK", "TWICE"]
    with pytest.raises(RuntimeError, match="cannot be called from Python"):
        kernel(x)


def test_times_for_real():
    add = make_add(configs=configs(16, 1024), key=["n"], warmup=1, rep=5)
    x = np.zeros(5000, dtype=np.int32)
    launch(add, x)
    assert add.best_config.kwargs["BLOCK"] in (16, 1024)
    assert all(t[0] > 0 for t in add.configs_timings.values())


class Meeting(tesela.KernelInterface):
    """Compiles only where two threads do so at once; launches nothing."""

    arg_names = ["x_ptr", "BLOCK"]
    __module__ = __name__

    def __init__(self):
        self.barrier = threading.Barrier(2, timeout=60)
        self.launched = []

    def run(self, x, grid, warmup=False, BLOCK=0, **options):
        if not warmup:
            self.launched.append(BLOCK)
            return None
        self.barrier.wait()
        return BLOCK


needs_two = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2,
                               reason="one processor")


@needs_two
def test_configs_compile_at_once():
    meeting = Meeting()
    tuner = tesela.autotune(configs=configs(4, 8), key=[],
                            do_bench=timed_by([2, 1]))(meeting)
    tuner[1](np.zeros(1))
    assert meeting.launched == [4, 8, 8]


@needs_two
def test_warmup_compiles_all_configs_at_once():
    meeting = Meeting()
    tuner = tesela.autotune(configs=configs(4, 8, 16, 32), key=[])(meeting)
    assert tuner.warmup(np.zeros(1), grid=1) == [4, 8, 16, 32]
    assert meeting.launched == []


def test_warmup_of_configs():
    add = make_add(configs=configs(4, 8, 16), key=["n"])
    x = np.zeros(20, dtype=np.int32)
    made = add.warmup(x, 20, grid=(1,))
    assert [kernel.origin for kernel in made].count("memory") == 0
    again = add.warmup(x, 20, grid=(1,))
    assert [kernel.origin for kernel in again] == ["memory"] * 3
    assert not x.any()
    with pytest.raises(ValueError, match="tuned over `BLOCK`"):
        add.warmup(x, 20, BLOCK=8, grid=(1,))
    wrong = make_add(configs=configs(4, 3), key=["n"])
    with pytest.raises(tesela.CompileError):
        wrong.warmup(x, 20, grid=(1,))


def test_hooked_configs_compile_when_they_are_timed():
    """A hook may change what is compiled."""
    meeting = Meeting()
    hooked = configs(4, 8, pre_hook=lambda args: None)
    tuner = tesela.autotune(configs=hooked, key=[],
                            do_bench=timed_by([1, 2]))(meeting)
    tuner[1](np.zeros(1))
    assert meeting.launched == [4, 8, 4]
    assert meeting.barrier.n_waiting == 0
