//===- CudaCode.h - a kernel loaded on a GPU ------------------------------===//

#ifndef TESELA_RUNTIME_CUDACODE_H
#define TESELA_RUNTIME_CUDACODE_H

#include "runtime/CudaDevice.h"
#include "support/GpuLaunch.h"

namespace tesela::runtime {

/// Loads PTX or a cubin. `run` queues the kernel on the stream of the execution
/// context and returns at once; what goes wrong on the GPU later is reported by
/// a later call.
std::unique_ptr<Code> loadCudaCode(CudaDevice &device, const std::string &name,
                                   const std::string &image,
                                   const ArgumentLayout &arguments,
                                   const GpuLaunch &gpu, RunError &error);

enum class MapOutcome : uint8_t { Done, NotEncodable, Failed };

/// Encodes a map from the values of the launch's host program.
MapOutcome encodeTensorMap(const CudaDevice &device, const TensorMapPlan &plan,
                           std::span<const int64_t> values,
                           cuda::TensorMap &map, RunError &error);

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_CUDACODE_H
