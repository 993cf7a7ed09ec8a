//===- Constant.h - Python's operators on compile-time values -------------===//
//
// Each function gives the value that Python would, or says in `error` why there
// is none. Operands hold no run-time values.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SEMA_CONSTANT_H
#define TESELA_SEMA_CONSTANT_H

#include "sema/Value.h"
#include "syntax/Ast.h"

namespace tesela::sema {

Value foldBinary(syntax::BinOpKind op, const Value &a, const Value &b,
                 std::string &error);
Value foldUnary(syntax::UnaryOpKind op, const Value &a, std::string &error);
Value foldCompare(syntax::CmpOpKind op, const Value &a, const Value &b,
                  std::string &error);

/// Python's truth value.
bool truth(const Value &value);

/// `format(value, spec)`; nothing where the specification is not known.
std::optional<std::string> format(const Value &value, const std::string &spec);

/// What Python's `float` reads: "1e-6", "-inf", " nan ".
std::optional<double> parseFloat(const std::string &text);

/// The operator as it is written.
const char *spelling(syntax::BinOpKind op);
const char *spelling(syntax::UnaryOpKind op);
const char *spelling(syntax::CmpOpKind op);

} // namespace tesela::sema

#endif // TESELA_SEMA_CONSTANT_H
