//===- WrittenArguments.h - the pointers that a kernel writes through -----===//

#ifndef TESELA_DRIVER_WRITTENARGUMENTS_H
#define TESELA_DRIVER_WRITTENARGUMENTS_H

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace tesela::driver {

/// For each argument of the one kernel in the module, whether it may store
/// through an address that was computed from it. An address that was loaded
/// from memory belongs to no argument.
std::vector<bool> writtenArguments(mlir::ModuleOp module);

} // namespace tesela::driver

#endif // TESELA_DRIVER_WRITTENARGUMENTS_H
