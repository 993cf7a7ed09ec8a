//===- Emit.h - from a function's text to tile IR -------------------------===//
//
// The one interpreter of kernels. A function is interpreted once for each
// specialisation; what is known while compiling disappears, what is not becomes
// ops.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_EMIT_EMIT_H
#define TESELA_EMIT_EMIT_H

#include "support/Diagnostics.h"
#include "tesela/environment.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tesela::emit {

/// A parameter as its function declares it.
struct Parameter {
  std::string name;
  bool isConstexpr = false;
  /// The value of the default where it has one.
  std::optional<Object> defaultValue;
  /// A dtype annotation (`x: tl.int64`) fixes the type of a scalar.
  std::optional<DType> annotatedType;
  /// Listed in the decorator's `do_not_specialize`: never "equal to 1" nor
  /// "divisible by 16".
  bool doNotSpecialize = false;
  bool doNotSpecializeOnAlignment = false;
};

struct Signature {
  std::string name;
  std::vector<Parameter> parameters;
};

/// Reads the parameters of a jit function.
std::optional<Signature> readSignature(const Function &function,
                                       Diagnostics &diags);

/// What is known of one parameter while compiling.
struct Specialised {
  enum class Kind : uint8_t { Constant, Pointer, Scalar };
  Kind kind = Kind::Constant;
  /// `Constant`: its value. An integer argument that equals 1 comes as one too.
  Object constant;
  /// `Pointer`: of what it points at; `Scalar`: its type.
  DType dtype = DType::Int32;
  /// The value, or the address in bytes, is a multiple of this (16 or 1).
  int64_t divisibility = 1;
};

struct Request {
  std::shared_ptr<const Function> function;
  /// One for each parameter, in order.
  std::vector<Specialised> parameters;
  /// Values of options that a kernel can see (`num_warps`, `num_stages`).
  int numWarps = 4;
  int numStages = 3;
};

/// A value from outside the kernel that the interpretation used: `name` as
/// `function` sees it, or, with a module, `module.name`. Nothing where the name
/// was not defined and so meant Python's own.
struct Capture {
  std::shared_ptr<const Function> function;
  std::optional<ModuleName> module;
  std::string name;
  std::optional<Object> value;
};

struct Emitted {
  /// One `func.func` with `tile.kernel`, named as the function; verified.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// All that it depends on besides the request, for the cache's manifest.
  std::vector<Capture> captures;
  /// Every text that a location can name, for diagnostics of later stages.
  std::vector<SourceRef> sources;
  /// What `tl.static_print` wrote.
  std::string printed;
  /// The arguments of the function, by number, that loops count by which every
  /// launch reaches, so that they have to be positive.
  std::set<unsigned> steps;
  /// How many statements were interpreted, over and over ones each time.
  uint64_t statements = 0;
};

/// Interprets a kernel. Nothing, and errors in `diags`, where it is wrong.
std::optional<Emitted> emitKernel(mlir::MLIRContext &context,
                                  const Request &request, Diagnostics &diags);

/// The places in the user's text that a location of emitted IR stands for: the
/// innermost first, then one for each call that it was inlined from.
std::vector<Location> userLocations(mlir::Location location,
                                    llvm::ArrayRef<SourceRef> sources);

} // namespace tesela::emit

#endif // TESELA_EMIT_EMIT_H
