// Plain CUDA C++ to compare with: a copy and a vector addition that move 16
// bytes a thread, and a tiled matrix product on tensor cores through `wmma`,
// 128 x 128 tiles staged in shared memory with two buffers.

#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

using namespace nvcuda;

__global__ void copyKernel(const float4 *x, float4 *out, int64_t count) {
  int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = x[i];
}

__global__ void addKernel(const float4 *x, const float4 *y, float4 *out,
                          int64_t count) {
  int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float4 a = x[i], b = y[i];
  out[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

constexpr int tileM = 128, tileN = 128, tileK = 32;
constexpr int pitchA = tileK + 8, pitchB = tileN + 8;

// 256 threads: 8 warps, each 64 x 32 of the tile. Sizes are multiples of it.
__global__ __launch_bounds__(256) void gemmKernel(const half *a, const half *b,
                                                  half *c, int m, int n,
                                                  int k) {
  __shared__ half as[2][tileM * pitchA];
  __shared__ half bs[2][tileK * pitchB];
  int warp = threadIdx.x / 32;
  int warpRow = warp / 4 * 64, warpCol = warp % 4 * 32;
  int64_t row = int64_t(blockIdx.y) * tileM, col = int64_t(blockIdx.x) * tileN;

  auto stage = [&](int buffer, int at) {
    for (int i = threadIdx.x; i < tileM * tileK / 8; i += 256) {
      int r = i / (tileK / 8), q = i % (tileK / 8) * 8;
      *reinterpret_cast<float4 *>(&as[buffer][r * pitchA + q]) =
          *reinterpret_cast<const float4 *>(&a[(row + r) * k + at + q]);
    }
    for (int i = threadIdx.x; i < tileK * tileN / 8; i += 256) {
      int r = i / (tileN / 8), q = i % (tileN / 8) * 8;
      *reinterpret_cast<float4 *>(&bs[buffer][r * pitchB + q]) =
          *reinterpret_cast<const float4 *>(&b[int64_t(at + r) * n + col + q]);
    }
  };

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4][2];
  for (auto &line : acc)
    for (auto &fragment : line)
      wmma::fill_fragment(fragment, 0.0f);
  stage(0, 0);
  __syncthreads();
  for (int at = 0, buffer = 0; at < k; at += tileK, buffer ^= 1) {
    if (at + tileK < k)
      stage(buffer ^ 1, at + tileK);
    for (int step = 0; step < tileK; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[4];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
      for (int i = 0; i < 4; ++i)
        wmma::load_matrix_sync(
            fa[i], &as[buffer][(warpRow + i * 16) * pitchA + step], pitchA);
      for (int j = 0; j < 2; ++j)
        wmma::load_matrix_sync(
            fb[j], &bs[buffer][step * pitchB + warpCol + j * 16], pitchB);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
          wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, half> narrow;
      for (int e = 0; e < narrow.num_elements; ++e)
        narrow.x[e] = __float2half(acc[i][j].x[e]);
      wmma::store_matrix_sync(
          &c[(row + warpRow + i * 16) * n + col + warpCol + j * 16], narrow, n,
          wmma::mem_row_major);
    }
}

extern "C" int nativeCopy(const void *x, void *out, int64_t count,
                          void *stream) {
  int64_t fours = count / 4;
  copyKernel<<<unsigned((fours + 255) / 256), 256, 0, cudaStream_t(stream)>>>(
      static_cast<const float4 *>(x), static_cast<float4 *>(out), fours);
  return cudaGetLastError();
}

extern "C" int nativeAdd(const void *x, const void *y, void *out, int64_t count,
                         void *stream) {
  int64_t fours = count / 4;
  addKernel<<<unsigned((fours + 255) / 256), 256, 0, cudaStream_t(stream)>>>(
      static_cast<const float4 *>(x), static_cast<const float4 *>(y),
      static_cast<float4 *>(out), fours);
  return cudaGetLastError();
}

extern "C" int nativeGemm(const void *a, const void *b, void *c, int m, int n,
                          int k, void *stream) {
  dim3 grid(unsigned(n / tileN), unsigned(m / tileM));
  gemmKernel<<<grid, 256, 0, cudaStream_t(stream)>>>(
      static_cast<const half *>(a), static_cast<const half *>(b),
      static_cast<half *>(c), m, n, k);
  return cudaGetLastError();
}
