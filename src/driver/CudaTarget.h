//===- CudaTarget.h - GPUs of NVIDIA as targets ---------------------------===//

#ifndef TESELA_DRIVER_CUDATARGET_H
#define TESELA_DRIVER_CUDATARGET_H

#include "driver/Targets.h"

#include <optional>

namespace tesela::driver {

/// What "cuda" and its like name: a GPU of this machine, or an architecture to
/// compile for.
struct CudaName {
  int ordinal = 0;
  /// "90a"; empty where a GPU is named.
  std::string architecture;
};

/// Reads "cuda", "cuda:1", "cuda:80" or "cuda:90a": numbers from 50 on are
/// architectures. Nothing where the text is none of them.
std::optional<CudaName> parseCudaName(std::string_view text);

/// The row of a GPU, or of an architecture, made at its first use. Null where
/// there is no such GPU, or the architecture is not supported.
const TargetRow *cudaRow(const CudaName &name, runtime::RunError &error);

} // namespace tesela::driver

#endif // TESELA_DRIVER_CUDATARGET_H
