//===- JitCall.h - one call of a kernel, inside the driver ----------------===//

#ifndef TESELA_DRIVER_JITCALL_H
#define TESELA_DRIVER_JITCALL_H

#include "driver/JitKernel.h"

#include "llvm/ADT/SmallVector.h"

namespace tesela::driver {

struct JitKernel::BoundCall {
  std::span<const Argument> arguments;
  /// Behind `arguments`, unless the caller gave all in order.
  llvm::SmallVector<Argument, 48> storage;
  runtime::Key key;
};

/// Gives up an environment's lock for a while.
class Unlocked {
public:
  explicit Unlocked(const Function &function)
      : environment(function.environment.get()) {
    if (environment)
      environment->unlock();
  }
  ~Unlocked() {
    if (environment)
      environment->lock();
  }
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;

private:
  Environment *environment;
};

} // namespace tesela::driver

#endif // TESELA_DRIVER_JITCALL_H
