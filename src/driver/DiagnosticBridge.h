//===- DiagnosticBridge.h - MLIR's diagnostics at the user's lines --------===//

#ifndef TESELA_DRIVER_DIAGNOSTICBRIDGE_H
#define TESELA_DRIVER_DIAGNOSTICBRIDGE_H

#include "support/Diagnostics.h"
#include "tesela/environment.h"

#include "mlir/IR/Diagnostics.h"

#include <vector>

namespace tesela::driver {

/// While it lives, errors that passes report become `Diagnostic`s: at the line
/// of the kernel that the op comes from, with a note for each inlined call.
class DiagnosticBridge {
public:
  DiagnosticBridge(mlir::MLIRContext &context, const Function &kernel,
                   const char *target, Diagnostics &diags);

  /// Texts that locations may name.
  void addSources(const std::vector<SourceRef> &sources);

  /// After a failure: adds an error that at least names the kernel, where none
  /// was reported.
  void ensureError();

private:
  void report(mlir::Diagnostic &diagnostic);
  /// The innermost place, and the calls that lead to it, from the inside out.
  std::vector<Location> unwind(mlir::Location location) const;
  Location find(mlir::FileLineColRange range) const;
  Location kernelLocation() const;

  const Function &kernel;
  const char *target;
  Diagnostics &diags;
  std::vector<SourceRef> sources;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tesela::driver

#endif // TESELA_DRIVER_DIAGNOSTICBRIDGE_H
