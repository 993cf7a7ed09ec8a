from dataclasses import dataclass


@dataclass(frozen=True)
class GPUTarget:
    """What is compiled for."""

    backend: str
    arch: object
    warp_size: int
