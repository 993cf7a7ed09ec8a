"""`triton.runtime.driver.active`: what scripts ask about the device."""

import os

from ..backends.compiler import GPUTarget


class _Properties:
    """What `active.utils` knows."""

    @staticmethod
    def get_device_properties(device=0) -> dict:
        """A core of the CPU stands for a multiprocessor of a GPU."""
        return {
            "max_shared_mem": 1 << 20,
            "max_num_regs": 1 << 16,
            "multiprocessor_count": len(os.sched_getaffinity(0)),
            "warpSize": 1,
            "sm_clock_rate": 0,
            "mem_clock_rate": 0,
            "mem_bus_width": 0,
        }


class CpuDriver:
    """The CPU as a device of Triton's."""

    def __init__(self):
        self.utils = _Properties()

    @staticmethod
    def is_active() -> bool:
        return True

    @staticmethod
    def get_current_target() -> GPUTarget:
        return GPUTarget("cpu", 0, 1)

    @staticmethod
    def get_active_torch_device():
        import torch

        return torch.device("cpu")

    @staticmethod
    def get_device_interface():
        import torch

        return torch.cpu

    @staticmethod
    def get_current_device() -> int:
        return 0

    @staticmethod
    def set_current_device(device) -> None:
        """There is one."""

    @staticmethod
    def get_current_stream(device=None) -> int:
        return 0

    @staticmethod
    def get_empty_cache_for_benchmark():
        import torch

        return torch.empty(64 << 20, dtype=torch.int8)

    @staticmethod
    def clear_cache(cache) -> None:
        cache.zero_()

    @staticmethod
    def get_benchmarker():
        from tesela.testing import do_bench

        return do_bench


class DriverConfig:
    """Which driver is in use: always that of the CPU."""

    def __init__(self):
        self.default = self.active = CpuDriver()

    def set_active(self, driver) -> None:
        self.active = driver

    def reset_active(self) -> None:
        self.active = self.default


driver = DriverConfig()
