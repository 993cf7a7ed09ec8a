//===- Binding.h - which argument a parameter gets ------------------------===//

#ifndef TESELA_RUNTIME_BINDING_H
#define TESELA_RUNTIME_BINDING_H

#include "support/Diagnostics.h"
#include "tesela/arguments.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tesela::runtime {

/// A parameter as a launch sees it.
struct ParameterRules {
  std::string name;
  bool isConstexpr = false;
  std::optional<DType> annotatedType;
  /// An integer that equals 1 becomes a constant.
  bool specialiseOne = true;
  /// Whether 16 divides a value or an address enters the key.
  bool specialiseAlignment = true;
  std::optional<Object> defaultValue;
  /// The default as an argument; points into `defaultValue`.
  Argument defaultArgument;
};

struct KernelRules {
  std::string name;
  std::vector<ParameterRules> parameters;
};

/// Why a launch is refused. `parameter` is its index, or -1.
struct LaunchProblem {
  DiagId id;
  int parameter = -1;
  std::string message;
};

/// Gives every parameter its argument as a Python call would: positional, by
/// name, or its default. `bound` has one element for each parameter.
std::optional<LaunchProblem> bindArguments(const KernelRules &rules,
                                           std::span<const Argument> positional,
                                           std::span<const NamedArgument> named,
                                           std::span<Argument> bound);

/// Whether a grid can be launched: 1 <= x < 2^31, 1 <= y, z < 2^16.
std::optional<LaunchProblem> checkGrid(const KernelRules &rules,
                                       const Grid &grid);

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_BINDING_H
