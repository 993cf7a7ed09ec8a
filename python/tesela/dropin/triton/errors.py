from tesela.errors import TeselaError as TritonError

__all__ = ["TritonError"]
