"""Another language, below Triton's. Scripts that can do without it find out by
importing it."""

raise ImportError(
    "Tesela has no Gluon: its kernels are those of `triton.language`",
    name=__name__,
)
