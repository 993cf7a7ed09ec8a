"""What tests of Triton's ask about the device."""

from .runtime.driver import driver


def get_current_target():
    return driver.active.get_current_target()


def is_interpreter() -> bool:
    return False


def is_cuda() -> bool:
    return get_current_target().backend == "cuda"


def _is_cuda_of(major: int) -> bool:
    return is_cuda() and get_current_target().arch // 10 == major


def is_ampere_or_newer() -> bool:
    return is_cuda() and get_current_target().arch >= 80


def is_hopper_or_newer() -> bool:
    return is_cuda() and get_current_target().arch >= 90


def is_hopper() -> bool:
    return _is_cuda_of(9)


def is_blackwell() -> bool:
    return _is_cuda_of(10)


def is_sm12x() -> bool:
    return _is_cuda_of(12)


def supports_tma(byval_only=False) -> bool:
    """The language has no tensor descriptors."""
    return False


def is_hip(*args) -> bool:
    return False


is_hip_cdna = is_hip_cdna2 = is_hip_cdna3 = is_hip_cdna4 = is_hip
is_hip_gfx11 = is_hip_gfx12 = is_hip_gfx1250 = is_xpu = is_hip
