"""`triton.runtime.driver.active`: what scripts ask about the device."""

import os

from tesela import _binding

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


class _Driver:
    """What all devices do alike."""

    @staticmethod
    def is_active() -> bool:
        return True

    @staticmethod
    def clear_cache(cache) -> None:
        cache.zero_()

    @staticmethod
    def get_benchmarker():
        from tesela.testing import do_bench

        return do_bench


class CpuDriver(_Driver):
    """The CPU as a device of Triton's."""

    def __init__(self):
        self.utils = _Properties()

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


class CudaDriver(_Driver):
    """The current GPU of PyTorch's."""

    class _Utils:
        @staticmethod
        def get_device_properties(device=0) -> dict:
            import torch

            known = torch.cuda.get_device_properties(device)
            return {
                "max_shared_mem": known.shared_memory_per_block_optin,
                "max_num_regs": known.regs_per_multiprocessor,
                "multiprocessor_count": known.multi_processor_count,
                "warpSize": known.warp_size,
                "sm_clock_rate": getattr(known, "clock_rate", 0),
                "mem_clock_rate": getattr(known, "memory_clock_rate", 0),
                "mem_bus_width": getattr(known, "memory_bus_width", 0),
            }

    def __init__(self):
        self.utils = self._Utils()

    @staticmethod
    def get_current_target() -> GPUTarget:
        import torch

        major, minor = torch.cuda.get_device_capability()
        return GPUTarget("cuda", major * 10 + minor, 32)

    @staticmethod
    def get_active_torch_device():
        import torch

        return torch.device("cuda", torch.cuda.current_device())

    @staticmethod
    def get_device_interface():
        import torch

        return torch.cuda

    @staticmethod
    def get_current_device() -> int:
        import torch

        return torch.cuda.current_device()

    @staticmethod
    def set_current_device(device) -> None:
        import torch

        torch.cuda.set_device(device)

    @staticmethod
    def get_current_stream(device=None) -> int:
        import torch

        return torch.cuda.current_stream(device).cuda_stream

    @staticmethod
    def get_empty_cache_for_benchmark():
        import torch

        return torch.empty(64 << 20, dtype=torch.int, device="cuda")


def _gpu_is_used() -> bool:
    """Whether kernels run on a GPU unless their arrays are elsewhere."""
    chosen = _binding.device_name()
    if chosen != "auto":
        return chosen.startswith("cuda")
    if _binding.cuda_count() == 0:
        return False
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


class DriverConfig:
    """Which driver is in use: that of the device which launches go to."""

    def __init__(self):
        self._cpu = CpuDriver()
        self._cuda = CudaDriver()
        self._set = None

    @property
    def default(self):
        return self._cuda if _gpu_is_used() else self._cpu

    @property
    def active(self):
        return self._set or self.default

    def set_active(self, driver) -> None:
        self._set = driver

    def reset_active(self) -> None:
        self._set = None


driver = DriverConfig()
