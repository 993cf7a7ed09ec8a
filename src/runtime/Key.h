//===- Key.h - what of a launch decides which code it needs ---------------===//
//
// The types of the arguments, whether 16 divides them, integers equal to 1,
// and the values of constants. Made anew on every launch, on the stack.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_RUNTIME_KEY_H
#define TESELA_RUNTIME_KEY_H

#include "runtime/Binding.h"

#include "llvm/ADT/SmallVector.h"

namespace tesela::runtime {

enum class ParameterKind : uint8_t { Pointer, Scalar, Constant };

/// One parameter's share, free of padding, so that keys compare as bytes.
struct ParameterKey {
  ParameterKind kind = ParameterKind::Constant;
  /// Of a scalar or of what a pointer points at.
  DType dtype = DType::Int1;
  /// 16 divides the value or the address.
  uint8_t divisible = 0;
  /// Of a constant.
  Argument::Kind constant = Argument::Kind::Default;
  uint32_t unused = 0;
  /// The constant's value, or the hash of one that does not fit.
  uint64_t bits = 0;

  /// Whether `bits` is only a hash.
  bool isHashed() const {
    return kind == ParameterKind::Constant &&
           (constant == Argument::Kind::Text ||
            constant == Argument::Kind::Value);
  }
};
static_assert(sizeof(ParameterKey) == 16);

struct Key {
  /// What is not an argument: the target, by its address, and the options.
  const void *target = nullptr;
  uint64_t settings = 0;
  llvm::SmallVector<ParameterKey, 48> parameters;
  uint64_t hash = 0;
};

/// Fills `key.parameters` and `key.hash` for arguments that are all bound;
/// target and settings are there already.
std::optional<LaunchProblem> makeKey(const KernelRules &rules,
                                     std::span<const Argument> bound, Key &key);

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_KEY_H
