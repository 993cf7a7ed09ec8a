"""Descriptors of tensors that the host makes."""

from ..absent import absent

TensorDescriptor = absent(
    "triton.tools.tensor_descriptor.TensorDescriptor",
    "give the kernel the tensor, its shape and its strides",
)
