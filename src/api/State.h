//===- State.h - what the public handles stand for ------------------------===//

#ifndef TESELA_API_STATE_H
#define TESELA_API_STATE_H

#include "driver/FileProgram.h"
#include "driver/JitKernel.h"
#include "runtime/CudaDevice.h"
#include "runtime/ThreadPool.h"
#include "tesela/tesela.h"

#include <mutex>
#include <set>

namespace tesela {

namespace detail {

struct DeviceState {
  const driver::TargetRow *row;
  /// Of a CPU.
  std::unique_ptr<runtime::ThreadPool> pool;
  /// Of a GPU; null where the device is only compiled for.
  runtime::CudaDevice *gpu = nullptr;
};

struct KernelState {
  std::unique_ptr<driver::JitKernel> kernel;
  std::shared_ptr<Environment> environment;
  std::mutex mutex;
  /// The warnings that users have got.
  std::set<std::string> given;

  KernelState(std::unique_ptr<driver::JitKernel> kernel,
              std::shared_ptr<Environment> environment)
      : kernel(std::move(kernel)), environment(std::move(environment)) {}
  /// What users have not got yet of the warnings of a call that succeeded.
  std::vector<Message> takeWarnings(Diagnostics &diags);
};

struct ModuleState {
  std::shared_ptr<driver::FileProgram> program;
};

} // namespace detail

/// All diagnostics, as the error of a call that failed.
Error takeError(Diagnostics &diags);

/// The error of a call that failed for one reason without a place.
Error makeError(DiagId id, std::string message);
Error makeError(const runtime::RunError &error);

} // namespace tesela

#endif // TESELA_API_STATE_H
