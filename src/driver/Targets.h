//===- Targets.h - the list of targets ------------------------------------===//

#ifndef TESELA_DRIVER_TARGETS_H
#define TESELA_DRIVER_TARGETS_H

#include "runtime/Code.h"
#include "target/Target.h"

#include "llvm/ADT/ArrayRef.h"

#include <string_view>

namespace tesela::driver {

/// A target, and how its binaries are run in this process.
struct TargetRow {
  Target target;
  /// Null, with the reason in `error`, where the binary can't be loaded.
  std::unique_ptr<runtime::Code> (*load)(const TargetRow &row,
                                         const Binary &binary,
                                         runtime::RunError &error);
  /// Whether its binaries are worth keeping on disk.
  bool cached = true;
  /// Of the host, asked for once; of the GPU or architecture.
  TargetFacts facts = {};
  /// The GPU that code is loaded on; -1 for none.
  int ordinal = -1;
  /// As users name it: "cpu", "cuda:0", "cuda:90a".
  std::string name = target.name;
};

/// All targets of the host, in the order in which they are named to users.
llvm::ArrayRef<TargetRow> targets();
/// Null where there is none of this name.
const TargetRow *findTarget(std::string_view name);

/// The row of the reference evaluator.
TargetRow interpreterTarget();

} // namespace tesela::driver

#endif // TESELA_DRIVER_TARGETS_H
