//===- HostExpression.h - the values of module-level expressions ----------===//

#ifndef TESELA_DRIVER_HOSTEXPRESSION_H
#define TESELA_DRIVER_HOSTEXPRESSION_H

#include "tesela/environment.h"

#include <functional>
#include <string>

namespace tesela {

namespace syntax {
struct Expr;
enum class BinOpKind : uint8_t;
} // namespace syntax

namespace driver {

/// How an expression finds names, and attributes of modules.
struct HostScope {
  std::function<std::optional<Object>(const std::string &)> lookup;
  std::function<std::optional<Object>(const ModuleName &, const std::string &)>
      attribute;
};

/// The value that Python would compute, for numbers, strings, tuples and types,
/// arithmetic on them and a few functions (`float("inf")`, `math.sqrt`,
/// `triton.cdiv`, `tl.constexpr` …). Anything else is `Unsupported`.
Object evaluateHost(const syntax::Expr *expression, const HostScope &scope);

/// The same of one binary operation, for `x += 1`.
Object evaluateHostBinary(syntax::BinOpKind op, const Object &left,
                          const Object &right);

/// Whether a value counts as true; nothing where that is not known.
std::optional<bool> hostTruth(const Object &value);

} // namespace driver
} // namespace tesela

#endif // TESELA_DRIVER_HOSTEXPRESSION_H
