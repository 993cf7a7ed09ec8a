"""Tensors of block-scaled floats."""

from ..absent import absent

_HINT = "the language has no block-scaled floats yet"
MXFP4Tensor = absent("triton.tools.mxfp.MXFP4Tensor", _HINT)
MXScaleTensor = absent("triton.tools.mxfp.MXScaleTensor", _HINT)
