from tesela.errors import AutotunerError, OutOfResources
from tesela.errors import TeselaError as TritonError

__all__ = ["AutotunerError", "OutOfResources", "TritonError"]
