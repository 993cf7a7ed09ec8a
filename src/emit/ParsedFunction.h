//===- ParsedFunction.h - the syntax tree of one jit function -------------===//

#ifndef TESELA_EMIT_PARSEDFUNCTION_H
#define TESELA_EMIT_PARSEDFUNCTION_H

#include "support/Diagnostics.h"
#include "syntax/Ast.h"
#include "tesela/environment.h"

#include <memory>
#include <string_view>

namespace tesela::emit {

struct ParsedFunction {
  std::shared_ptr<const Function> function;
  SourceRef source;
  std::unique_ptr<syntax::Module> module;
  const syntax::FunctionDef *definition = nullptr;
};

/// Parses the text of a function. Null, with an error, where it is no Python or
/// holds no function.
std::unique_ptr<ParsedFunction>
parseFunction(std::shared_ptr<const Function> function, Diagnostics &diags);

/// `tl.constexpr`, however it is spelled.
bool isConstexprAnnotation(const syntax::Expr *annotation);

/// All parameters that can be passed by position or by name, in order, with
/// their defaults (null where there is none).
std::vector<std::pair<const syntax::Arg *, const syntax::Expr *>>
parametersOf(const syntax::FunctionDef &definition);

} // namespace tesela::emit

#endif // TESELA_EMIT_PARSEDFUNCTION_H
