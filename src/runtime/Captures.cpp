//===- Captures.cpp - what compiled code depends on outside its kernel ----===//

#include "runtime/Captures.h"

#include "support/Values.h"

#include <algorithm>

namespace tesela::runtime {

std::optional<Object> CapturedName::lookup() const {
  Environment *environment = function->environment.get();
  if (!environment)
    return std::nullopt;
  return module ? environment->attribute(*module, name)
                : environment->lookup(name);
}

bool CapturedName::holds() const {
  Environment *environment = function->environment.get();
  if (!environment)
    return false;
  if (!value)
    return !lookup();
  uint64_t now = module ? environment->identity(*module, name)
                        : environment->identity(name);
  if (now != 0 && now == identity.load(std::memory_order_relaxed))
    return true;
  std::optional<Object> current = lookup();
  if (!current || !sameValue(*current, *value))
    return false;
  identity.store(now, std::memory_order_relaxed);
  return true;
}

bool hold(const CapturedNames &names) {
  return std::all_of(names.begin(), names.end(),
                     [](const auto &name) { return name->holds(); });
}

} // namespace tesela::runtime
