//===- CudaDriver.h - the functions of NVIDIA's driver --------------------===//
//
// Tesela is built without CUDA. The driver's library is opened when a GPU is
// first asked for; the few types and functions of its stable interface that are
// used are declared here. Handles are opaque pointers, and every function gives
// a number, 0 for success.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_RUNTIME_CUDADRIVER_H
#define TESELA_RUNTIME_CUDADRIVER_H

#include "runtime/Code.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tesela::runtime {

using CudaResult = int;
using CudaAddress = unsigned long long;

namespace cuda {

enum : CudaResult {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  UnsupportedPtxVersion = 222,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
};

enum DeviceAttribute : int {
  ComputeMajor = 75,
  ComputeMinor = 76,
  MultiprocessorCount = 16,
  /// Shared memory of a block, where a kernel asks for it.
  SharedBytesOptIn = 97,
};

enum FunctionAttribute : int {
  MaxThreads = 0,
  StaticSharedBytes = 1,
  MaxDynamicSharedBytes = 8,
  NonPortableCluster = 14,
};

enum JitOption : int {
  ErrorLog = 5,
  ErrorLogBytes = 6,
  LineInfo = 13,
};

/// `CUtensorMap`.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

/// `CUlaunchAttribute`; of its union, the extents of a cluster.
struct LaunchAttribute {
  static constexpr int clusterDimension = 4;

  int id = clusterDimension;
  char padding[4] = {};
  union {
    char bytes[64] = {};
    unsigned cluster[3];
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

/// `CUlaunchConfig`.
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

} // namespace cuda

// FUNCTION(name, symbol, parameters)
#define TESELA_CUDA_FUNCTIONS(FUNCTION)                                        \
  FUNCTION(init, "cuInit", (unsigned flags))                                   \
  FUNCTION(driverVersion, "cuDriverGetVersion", (int *version))                \
  FUNCTION(errorName, "cuGetErrorName",                                        \
           (CudaResult result, const char **text))                             \
  FUNCTION(errorText, "cuGetErrorString",                                      \
           (CudaResult result, const char **text))                             \
  FUNCTION(deviceCount, "cuDeviceGetCount", (int *count))                      \
  FUNCTION(deviceGet, "cuDeviceGet", (int *device, int ordinal))               \
  FUNCTION(deviceName, "cuDeviceGetName", (char *name, int bytes, int device)) \
  FUNCTION(deviceAttribute, "cuDeviceGetAttribute",                            \
           (int *value, int attribute, int device))                            \
  FUNCTION(retainContext, "cuDevicePrimaryCtxRetain",                          \
           (void **context, int device))                                       \
  FUNCTION(currentContext, "cuCtxGetCurrent", (void **context))                \
  FUNCTION(pushContext, "cuCtxPushCurrent_v2", (void *context))                \
  FUNCTION(popContext, "cuCtxPopCurrent_v2", (void **context))                 \
  FUNCTION(synchronize, "cuCtxSynchronize", ())                                \
  FUNCTION(moduleLoad, "cuModuleLoadDataEx",                                   \
           (void **module, const void *image, unsigned count, int *options,    \
            void **values))                                                    \
  FUNCTION(moduleUnload, "cuModuleUnload", (void *module))                     \
  FUNCTION(moduleFunction, "cuModuleGetFunction",                              \
           (void **function, void *module, const char *name))                  \
  FUNCTION(functionAttribute, "cuFuncGetAttribute",                            \
           (int *value, int attribute, void *function))                        \
  FUNCTION(setFunctionAttribute, "cuFuncSetAttribute",                         \
           (void *function, int attribute, int value))                         \
  FUNCTION(residentBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",      \
           (int *blocks, void *function, int threads, size_t sharedBytes))     \
  FUNCTION(launch, "cuLaunchKernel",                                           \
           (void *function, unsigned gridX, unsigned gridY, unsigned gridZ,    \
            unsigned blockX, unsigned blockY, unsigned blockZ,                 \
            unsigned sharedBytes, void *stream, void **parameters,             \
            void **extra))                                                     \
  FUNCTION(launchEx, "cuLaunchKernelEx",                                       \
           (const cuda::LaunchConfig *config, void *function,                  \
            void **parameters, void **extra))                                  \
  FUNCTION(encodeTensorMap, "cuTensorMapEncodeTiled",                          \
           (cuda::TensorMap * map, int dtype, unsigned rank, void *address,    \
            const uint64_t *extents, const uint64_t *strides,                  \
            const uint32_t *box, const uint32_t *elementStrides,               \
            int interleave, int swizzle, int promotion, int fill))             \
  FUNCTION(allocate, "cuMemAlloc_v2", (CudaAddress * address, size_t bytes))   \
  FUNCTION(release, "cuMemFree_v2", (CudaAddress address))                     \
  FUNCTION(copyIn, "cuMemcpyHtoD_v2",                                          \
           (CudaAddress to, const void *from, size_t bytes))                   \
  FUNCTION(copyOut, "cuMemcpyDtoH_v2",                                         \
           (void *to, CudaAddress from, size_t bytes))                         \
  FUNCTION(eventCreate, "cuEventCreate", (void **event, unsigned flags))       \
  FUNCTION(eventDestroy, "cuEventDestroy_v2", (void *event))                   \
  FUNCTION(eventRecord, "cuEventRecord", (void *event, void *stream))          \
  FUNCTION(eventSynchronize, "cuEventSynchronize", (void *event))              \
  FUNCTION(eventElapsed, "cuEventElapsedTime",                                 \
           (float *milliseconds, void *begin, void *end))

struct CudaDriver {
#define FUNCTION(name, symbol, parameters) CudaResult(*name) parameters;
  TESELA_CUDA_FUNCTIONS(FUNCTION)
#undef FUNCTION

  /// 12080 for CUDA 12.8.
  int version = 0;
  int devices = 0;

  /// Opens a library; null where it is missing, too old or finds no device. It
  /// stays open.
  static std::unique_ptr<const CudaDriver> open(const std::string &library,
                                                RunError &error);
  /// That of the process, opened once: the option `TESELA_CUDA_LIBRARY`.
  static const CudaDriver *get(RunError &error);

  /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
  std::string describe(CudaResult result) const;
};

/// "12.8" of 12080.
std::string cudaVersionText(int version);

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_CUDADRIVER_H
