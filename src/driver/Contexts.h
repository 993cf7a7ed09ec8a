//===- Contexts.h - contexts of MLIR that are kept ------------------------===//

#ifndef TESELA_DRIVER_CONTEXTS_H
#define TESELA_DRIVER_CONTEXTS_H

#include <memory>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tesela::driver {

/// A context and how often it was lent.
struct KeptContext;

/// Takes a context back that was lent.
struct ReturnContext {
  KeptContext *kept = nullptr;
  void operator()(mlir::MLIRContext *context) const;
};
using LentContext = std::unique_ptr<mlir::MLIRContext, ReturnContext>;

/// A context with the dialects of emitted code, without threads of its own, for
/// one compilation at a time. Loading dialects takes a tenth of a small
/// kernel's compilation, so that contexts are kept; since they never forget a
/// type or an attribute, not for long. Any thread.
LentContext lendContext();

/// The same, for as long as its owner likes.
std::unique_ptr<mlir::MLIRContext> makeContext();

} // namespace tesela::driver

#endif // TESELA_DRIVER_CONTEXTS_H
