from tesela.jit import (ConstexprFunction, JITFunction, KernelInterface,
                        MockTensor, TensorWrapper, constexpr_function, jit,
                        reinterpret)

__all__ = ["ConstexprFunction", "JITFunction", "KernelInterface", "MockTensor",
           "TensorWrapper", "constexpr_function", "jit", "reinterpret"]
