//===- SourceLines.h - IR with the kernel's lines beside it ---------------===//

#ifndef TESELA_DRIVER_SOURCELINES_H
#define TESELA_DRIVER_SOURCELINES_H

#include "support/Source.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tesela::driver {

/// Prints modules. With lines, a comment comes before each run of ops from one
/// line of the kernel:
///
///     // add.py:9: x = tl.load(x_ptr + offs, mask=mask)
///     %7 = tile.splat %arg0 : tensor<1024x!tile.ptr<f32>>
class SourceLines {
public:
  explicit SourceLines(std::vector<SourceRef> sources)
      : sources(std::move(sources)) {}

  std::string print(mlir::ModuleOp module, bool withLines) const;

private:
  /// The comment for a location as MLIR prints it; empty where it names no
  /// known line.
  std::string comment(llvm::StringRef location) const;

  std::vector<SourceRef> sources;
};

} // namespace tesela::driver

#endif // TESELA_DRIVER_SOURCELINES_H
