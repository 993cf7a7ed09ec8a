//===- Builtins.h - the functions of the language -------------------------===//
//
// `Builtins.def` has one row for each. What a row's signature says (number and
// names of arguments, which are optional, what may be a run-time value) is
// checked here; what it means is bound to the row in `emit/`.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SEMA_BUILTINS_H
#define TESELA_SEMA_BUILTINS_H

#include "sema/Value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tesela::sema {

enum class BuiltinId : uint16_t {
#define BUILTIN(id, name, where, signature, summary) id,
#include "sema/Builtins.def"
  Count
};

/// What may be passed for a parameter.
enum class ParamKind : uint8_t {
  Any,
  Tensor,  // a run-time value or a number
  Pointer, // a run-time pointer or tile of pointers
  Int,     // the rest is known while compiling
  Bool,
  Str,
  Number,
  DType,
  Shape, // an int, or a tuple or list of ints
  Function,
  Const, // anything that holds no run-time value
};

struct Parameter {
  std::string name;
  ParamKind kind = ParamKind::Any;
  /// `None` is fine as well.
  bool orNone = false;
  /// Takes all further positional arguments, as a tuple.
  bool isVariadic = false;
  std::optional<Value> defaultValue;
};

struct Signature {
  std::vector<Parameter> parameters;
  /// Arguments have no names.
  bool isPositionalOnly = false;
};

/// The parsed signature of a row.
const Signature &signatureOf(BuiltinId id);
/// "load".
std::string_view builtinName(BuiltinId id);
/// How a user writes it: "tl.load", "min".
std::string qualifiedName(BuiltinId id);
/// "triton.language.load".
std::string modulePath(BuiltinId id);

/// The language's own modules have canonical paths: "triton.language", and
/// "triton.language.math" below it. Gives a module, or, where the path names
/// something in one, that.
Value resolveModule(const std::string &path);

/// An attribute of one of the language's modules, or of the few other modules
/// that are known here (`triton`, `math`). Nothing where the name is unknown.
std::optional<Value> languageAttribute(const ModuleName &module,
                                       std::string_view name);
/// Whether `languageAttribute` alone answers for this module.
bool isLanguageModule(const ModuleName &module);

/// Python's own functions, such as `range`.
std::optional<Value> pythonBuiltin(std::string_view name);

/// The method of a tile or scalar.
std::optional<BuiltinId> tensorMethod(std::string_view name);

/// An attribute of a dtype or type: `element_ty`, `is_floating` …
std::optional<Value> typeAttribute(const Type &type, std::string_view name);

/// Whether a value may be passed for the parameter.
bool accepts(const Parameter &parameter, const Value &value);
/// "a run-time pointer", "an int that is known while compiling".
std::string describe(const Parameter &parameter);

/// Names of the language that this version does not know yet.
bool isUnsupportedName(std::string_view name);

} // namespace tesela::sema

#endif // TESELA_SEMA_BUILTINS_H
