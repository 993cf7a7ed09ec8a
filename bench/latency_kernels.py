"""What the rows `compile_<kernel>` and `memory_<kernel>` compile: the kernels of
`kernels/`, and blocks that are wider than others like them."""


def element_wise(x) -> list[tuple]:
    from kernels import activations, bias_add, vector_add

    def block(size):
        return dict(BLOCK=size)

    return [
        ("add", vector_add.add_kernel, (x, x, x, 4096), block(1024)),
        *((name, getattr(activations, f"{name}_kernel"), (x, x, 4096),
           block(4096)) for name in ("relu", "silu", "gelu", "gelu_tanh")),
        ("gelu_block_4x65536", activations.gelu_tanh_kernel, (x, x, 1 << 18),
         block(4 * 65536)),
        ("bias_add", bias_add.bias_add_kernel, (x, x, x, 512, 512, 512, 512),
         dict(BLOCK_M=32, BLOCK_N=128)),
    ]


def rows(x, ids) -> list[tuple]:
    from kernels import (cross_entropy, cumsum, embedding, layer_norm, rms_norm,
                         softmax)

    n = 4096
    block = dict(BLOCK=n)
    strides = (n, n, n)
    backward = (*strides, 512, n, 8)
    return [
        ("softmax", softmax.softmax_kernel, (x, x, *strides), block),
        ("softmax_65536", softmax.softmax_kernel, (x, x, n, n, 65536),
         dict(BLOCK=65536)),
        ("layer_norm", layer_norm.layer_norm_forward_kernel,
         (x, x, x, x, x, x, *strides, 1e-5), block),
        ("layer_norm_backward", layer_norm.layer_norm_backward_kernel,
         (x,) * 8 + backward, block),
        ("rms_norm", rms_norm.rms_norm_forward_kernel,
         (x, x, x, x, *strides, 1e-6), block),
        ("rms_norm_backward", rms_norm.rms_norm_backward_kernel,
         (x,) * 6 + backward, block),
        ("sum_rows", layer_norm.sum_rows_kernel, (x, x, 64, n),
         dict(BLOCK_M=16, BLOCK_N=128)),
        ("cumsum", cumsum.cumsum_kernel, (x, x, *strides), dict(BLOCK=1024)),
        ("cross_entropy", cross_entropy.cross_entropy_kernel,
         (x, ids, x, n, n), dict(BLOCK=1024)),
        ("embedding", embedding.embedding_kernel, (ids, x, x, n),
         dict(BLOCK=1024)),
        ("scatter_add", embedding.scatter_add_kernel, (ids, x, x, n),
         dict(UNIQUE=True, BLOCK=1024)),
    ]


def products(x, q) -> list[tuple]:
    from cpu_gemm import seed_gemm
    from kernels import attention, matmul

    gemm = (x, x, x, 1024, 1024, 1024, 1024, 1, 1024, 1, 1024, 1)
    blocks = dict(BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    strides = (*q.stride()[:3],) * 4
    arguments = (q, q, q, q, *strides, 8, 2048, 2048, 0.18)
    attention_blocks = dict(HEAD=64, BLOCK_D=64, BLOCK_M=64, BLOCK_N=64)
    return [
        ("gemm_seed", seed_gemm(True), gemm, blocks),
        ("matmul", matmul.matmul_kernel, gemm, dict(**blocks, GROUP=8)),
        *((f"attention_{name}", attention.attention_kernel, arguments,
           dict(**attention_blocks, CAUSAL=causal))
          for name, causal in (("full", False), ("causal", True))),
    ]


def compiled_kernels() -> list[tuple]:
    """Name, kernel, arguments and constants of each."""
    import tesela
    import torch

    tesela.install_as_triton()
    x = torch.zeros(16)
    return [
        *element_wise(x),
        *rows(x, torch.zeros(16, dtype=torch.int64)),
        *products(x, torch.zeros(1, 1, 64, 64)),
    ]


def shape_of(constants: dict) -> str:
    return "x".join(str(value) for value in constants.values()
                    if not isinstance(value, bool))
