//===- Captures.h - what compiled code depends on outside its kernel ------===//

#ifndef TESELA_RUNTIME_CAPTURES_H
#define TESELA_RUNTIME_CAPTURES_H

#include "tesela/environment.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tesela::runtime {

/// `name`, or `module.name`, as `function` sees it, and the value that it had
/// when code was compiled; nothing where it was not defined.
struct CapturedName {
  CapturedName(std::shared_ptr<const Function> function,
               std::optional<ModuleName> module, std::string name,
               std::optional<Object> value)
      : function(std::move(function)), module(std::move(module)),
        name(std::move(name)), value(std::move(value)) {}

  std::shared_ptr<const Function> function;
  std::optional<ModuleName> module;
  std::string name;
  std::optional<Object> value;
  /// The environment's number for it when it was last found equal; 0 for none.
  mutable std::atomic<uint64_t> identity = 0;

  /// What it is now.
  std::optional<Object> lookup() const;
  /// Whether it still has `value`; by identity first.
  bool holds() const;
};

using CapturedNames = std::vector<std::unique_ptr<const CapturedName>>;

/// Whether all of them still hold.
bool hold(const CapturedNames &names);

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_CAPTURES_H
