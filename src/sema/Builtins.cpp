//===- Builtins.cpp - the functions of the language -----------------------===//

#include "sema/Builtins.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace tesela::sema {

namespace {

enum Where : unsigned {
  TL = 1,
  MATH = 2,
  DEVICE = 4,
  MEMBER = 8,
  TRITON = 16,
  PYTHON = 32,
  PYMATH = 64,
};

struct Row {
  const char *name;
  unsigned where;
  const char *signature;
};

constexpr Row rows[] = {
#define BUILTIN(id, name, where, signature, summary) {name, where, signature},
#include "sema/Builtins.def"
};

struct Entry {
  const char *name;
  unsigned where;
  BuiltinId id;
};

constexpr Entry entries[] = {
#define BUILTIN(id, name, where, signature, summary)                           \
  {name, where, BuiltinId::id},
#define ALIAS(id, name, where) {name, where, BuiltinId::id},
#include "sema/Builtins.def"
};

/// All names of one place, by name.
using Names = llvm::StringMap<BuiltinId>;

const Names &namesOf(Where place) {
  auto collect = [](Where place) {
    Names names;
    for (const Entry &entry : entries)
      if (entry.where & place)
        names.try_emplace(entry.name, entry.id);
    return names;
  };
  static const Names tl = collect(TL), math = collect(MATH),
                     device = collect(DEVICE), member = collect(MEMBER),
                     triton = collect(TRITON), python = collect(PYTHON),
                     pymath = collect(PYMATH);
  switch (place) {
  case TL:
    return tl;
  case MATH:
    return math;
  case DEVICE:
    return device;
  case MEMBER:
    return member;
  case TRITON:
    return triton;
  case PYTHON:
    return python;
  case PYMATH:
    return pymath;
  }
  return tl;
}

std::optional<BuiltinId> find(Where place, std::string_view name) {
  const Names &names = namesOf(place);
  auto it = names.find(name);
  return it == names.end() ? std::nullopt : std::optional(it->second);
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

ParamKind parseKind(llvm::StringRef text) {
  static const std::pair<const char *, ParamKind> kinds[] = {
      {"any", ParamKind::Any},         {"tensor", ParamKind::Tensor},
      {"pointer", ParamKind::Pointer}, {"int", ParamKind::Int},
      {"bool", ParamKind::Bool},       {"str", ParamKind::Str},
      {"number", ParamKind::Number},   {"dtype", ParamKind::DType},
      {"shape", ParamKind::Shape},     {"function", ParamKind::Function},
      {"const", ParamKind::Const}};
  for (auto &[name, kind] : kinds)
    if (text == name)
      return kind;
  assert(false && "a row of Builtins.def has an unknown kind");
  return ParamKind::Any;
}

Value parseDefault(llvm::StringRef text) {
  if (text == "None")
    return None();
  if (text == "True" || text == "False")
    return text == "True";
  if (text == "()")
    return Value::tuple({});
  if (text == "'\\n'")
    return std::string("\n");
  if (text.starts_with("'"))
    return text.drop_front().drop_back().str();
  if (std::optional<DType> type = parseDType(std::string_view(text)))
    return Type(*type);
  if (text.contains('.'))
    return std::stod(text.str());
  std::optional<Int> number = Int::parse(std::string_view(text));
  assert(number && "a row of Builtins.def has an unreadable default");
  return *number;
}

Signature parseSignature(llvm::StringRef text) {
  Signature signature;
  text = text.drop_front(); // (
  while (!text.consume_front(")")) {
    if (text.consume_front("/")) {
      signature.isPositionalOnly = true;
      continue;
    }
    Parameter parameter;
    parameter.isVariadic = text.consume_front("*");
    auto [name, rest] = text.split(": ");
    parameter.name = name.str();
    size_t end = rest.find_first_of("?, )");
    parameter.kind = parseKind(rest.take_front(end));
    text = rest.drop_front(end);
    parameter.orNone = text.consume_front("?");
    if (text.consume_front(" = ")) {
      // `()` and the last `)` are told apart by the quote-free grammar.
      size_t length = text.starts_with("()")  ? 2
                      : text.starts_with("'") ? text.find('\'', 1) + 1
                                              : text.find_first_of(",)");
      parameter.defaultValue = parseDefault(text.take_front(length));
      text = text.drop_front(length);
    }
    text.consume_front(", ");
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

} // namespace

const Signature &signatureOf(BuiltinId id) {
  static const std::vector<Signature> all = [] {
    std::vector<Signature> list;
    for (const Row &row : rows)
      list.push_back(parseSignature(row.signature));
    return list;
  }();
  return all[size_t(id)];
}

bool accepts(const Parameter &parameter, const Value &value) {
  if (value.isNone())
    return parameter.orNone || parameter.kind == ParamKind::Any ||
           parameter.kind == ParamKind::Const;
  switch (parameter.kind) {
  case ParamKind::Any:
    return true;
  case ParamKind::Tensor:
    return value.isRuntime() || value.isNumber();
  case ParamKind::Pointer:
    return value.isRuntime() && value.type().isPointer;
  case ParamKind::Int:
    return value.asInt64().has_value();
  case ParamKind::Bool:
    return value.asInt().has_value();
  case ParamKind::Str:
    return value.is<std::string>();
  case ParamKind::Number:
    return value.isNumber();
  case ParamKind::DType:
    return value.is<Type>() && !value.get<Type>().isBlock();
  case ParamKind::Shape: {
    const std::vector<Value> *items = value.items();
    if (!items)
      return value.asInt64().has_value();
    for (const Value &item : *items)
      if (!item.asInt64())
        return false;
    return true;
  }
  case ParamKind::Function:
    return value.is<FunctionRef>() || value.is<BuiltinId>();
  case ParamKind::Const:
    return !value.hasRuntime();
  }
  return false;
}

std::string describe(const Parameter &parameter) {
  static const char *const texts[] = {
      "any value",
      "a tile, a scalar or a number",
      "a pointer or a tile of pointers",
      "an int that is known while compiling",
      "a bool that is known while compiling",
      "a string",
      "a number that is known while compiling",
      "a dtype",
      "a tuple of ints that are known while compiling",
      "a function",
      "a value that is known while compiling"};
  std::string text = texts[size_t(parameter.kind)];
  return parameter.orNone ? text + " or `None`" : text;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string_view builtinName(BuiltinId id) { return rows[size_t(id)].name; }

std::string qualifiedName(BuiltinId id) {
  const Row &row = rows[size_t(id)];
  const char *prefix = row.where & TL       ? "tl."
                       : row.where & MATH   ? "tl.math."
                       : row.where & DEVICE ? "libdevice."
                       : row.where & TRITON ? "triton."
                       : row.where & PYMATH ? "math."
                                            : "";
  return std::string(prefix) + row.name;
}

std::string modulePath(BuiltinId id) {
  const Row &row = rows[size_t(id)];
  const char *prefix = row.where & TL       ? "triton.language."
                       : row.where & MATH   ? "triton.language.math."
                       : row.where & DEVICE ? "triton.language.extra.libdevice."
                       : row.where & TRITON ? "triton."
                       : row.where & PYMATH ? "math."
                                            : "builtins.";
  return std::string(prefix) + row.name;
}

/// The modules of the language and where their names come from.
static std::optional<Where> placeOf(llvm::StringRef path) {
  static const std::pair<const char *, Where> modules[] = {
      {"triton", TRITON},
      {"math", PYMATH},
      {"builtins", PYTHON},
      {"triton.language", TL},
      {"triton.language.core", TL},
      {"triton.language.standard", TL},
      {"triton.language.random", TL},
      {"triton.language.math", MATH},
      {"triton.language.extra", TL},
      {"triton.language.extra.cuda", TL},
      {"triton.language.extra.hip", TL},
      {"triton.language.extra.intel", TL},
      {"triton.language.extra.libdevice", DEVICE},
      {"triton.language.extra.cuda.libdevice", DEVICE},
      {"triton.language.extra.hip.libdevice", DEVICE},
      {"triton.language.extra.intel.libdevice", DEVICE}};
  for (auto &[name, place] : modules)
    if (path == name)
      return place;
  return std::nullopt;
}

bool isLanguageModule(const ModuleName &module) {
  return module.path != "triton" && placeOf(module.path).has_value();
}

bool isUnsupportedName(std::string_view name) {
  static const llvm::StringMap<bool> names = [] {
    llvm::StringMap<bool> set;
#define UNSUPPORTED(name) set[name] = true;
#include "sema/Builtins.def"
    return set;
  }();
  return names.contains(name);
}

Value resolveModule(const std::string &path) {
  // The language has two names, and `libdevice` used to be elsewhere.
  llvm::StringRef text = path;
  std::string canonical = path;
  if (text == "tesela" || text.starts_with("tesela."))
    canonical = "triton" + path.substr(6);
  text = canonical;
  if (text == "triton.language.libdevice")
    canonical = "triton.language.extra.libdevice";
  if (placeOf(canonical))
    return ModuleName{canonical};
  // A thing in a module, as `from triton.language import load` gives it.
  auto [parent, name] = llvm::StringRef(canonical).rsplit('.');
  if (!name.empty() && placeOf(parent))
    if (std::optional<Value> value =
            languageAttribute(ModuleName{parent.str()}, std::string_view(name)))
      return *value;
  return ModuleName{canonical};
}

static std::optional<Value> dtypeNamed(std::string_view name) {
  static const char *const others[] = {"float8e4b8", "float8e4b15",
                                       "float8e5b16"};
  // Signature names such as "i32" are not names of the language.
  if (std::optional<DType> type = parseDType(name))
    if (languageName(*type) == name)
      return Value(Type(*type));
  for (const char *other : others)
    if (name == other)
      return Value(Symbol{other});
  return std::nullopt;
}

std::optional<Value> languageAttribute(const ModuleName &module,
                                       std::string_view name) {
  std::string path = module.path + "." + std::string(name);
  if (module.path == "triton.language.PropagateNan") {
    if (name == "ALL" || name == "NONE")
      return Value(Symbol{"PropagateNan." + std::string(name)});
    return std::nullopt;
  }
  std::optional<Where> place = placeOf(module.path);
  if (!place)
    return std::nullopt;
  if (path == "triton.language.libdevice")
    return Value(ModuleName{"triton.language.extra.libdevice"});
  if (placeOf(path))
    return Value(ModuleName{path});
  if (std::optional<BuiltinId> id = find(*place, name))
    return Value(*id);
  if (*place == PYMATH) {
    static const std::pair<const char *, double> constants[] = {
        {"pi", std::numbers::pi},
        {"e", std::numbers::e},
        {"tau", 2 * std::numbers::pi},
        {"inf", std::numeric_limits<double>::infinity()},
        {"nan", std::numeric_limits<double>::quiet_NaN()}};
    for (auto &[constant, value] : constants)
      if (name == constant)
        return Value(value);
  }
  if (*place == MATH || *place == DEVICE) {
    // `tl.math` has grown and shrunk over the versions of the language.
    if (std::optional<BuiltinId> id =
            find(*place == MATH ? DEVICE : MATH, name))
      return Value(*id);
  }
  if (*place == TL) {
    if (name == "PropagateNan")
      return Value(ModuleName{"triton.language.PropagateNan"});
    if (name == "void")
      return Value(Symbol{"void"});
    return dtypeNamed(name);
  }
  return std::nullopt;
}

std::optional<Value> pythonBuiltin(std::string_view name) {
  if (std::optional<BuiltinId> id = find(PYTHON, name))
    return Value(*id);
  return std::nullopt;
}

std::optional<BuiltinId> tensorMethod(std::string_view name) {
  return find(MEMBER, name);
}

//===----------------------------------------------------------------------===//
// Attributes of types
//===----------------------------------------------------------------------===//

static std::optional<bool> predicate(const Type &type, std::string_view name) {
  bool isScalar = !type.isBlock() && !type.isPointer;
  DType dtype = type.dtype;
  auto is = [&](DType other) { return isScalar && dtype == other; };
  if (name == "is_ptr")
    return !type.isBlock() && type.isPointer;
  if (name == "is_block")
    return type.isBlock();
  if (name == "is_floating")
    return isScalar && isFloat(dtype);
  if (name == "is_standard_floating")
    return isScalar && isFloat(dtype) && !isFloat8(dtype);
  if (name == "is_int")
    return isScalar && isInt(dtype);
  if (name == "is_int_signed")
    return isScalar && isSigned(dtype);
  if (name == "is_int_unsigned")
    return isScalar && isInt(dtype) && !isSigned(dtype);
  if (name == "is_bool" || name == "is_int1")
    return is(DType::Int1);
  if (name == "is_fp8")
    return isScalar && isFloat8(dtype);
  if (name == "is_fp8e4nv")
    return is(DType::Float8E4M3);
  if (name == "is_fp8e5")
    return is(DType::Float8E5M2);
  if (name == "is_fp8e4b8" || name == "is_fp8e4b15" || name == "is_fp8e5b16" ||
      name == "is_void" || name == "is_const" || name == "is_tuple")
    return false;
  if (name.substr(0, 3) == "is_")
    if (std::optional<DType> other = parseDType(name.substr(3)))
      return is(*other);
  return std::nullopt;
}

std::optional<Value> typeAttribute(const Type &type, std::string_view name) {
  auto thunk = [](Value value) {
    return Value(Thunk{std::make_shared<const Value>(std::move(value))});
  };
  if (std::optional<bool> answer = predicate(type, name))
    return thunk(*answer);
  if (name == "scalar")
    return Value(type.scalar());
  if (name == "element_ty") {
    if (type.isBlock())
      return Value(type.scalar());
    if (type.isPointer)
      return Value(Type(type.dtype));
    return std::nullopt;
  }
  if (name == "shape" && type.isBlock())
    return Value::shape(type.shape);
  if (name == "numel" && type.isBlock())
    return Value::integer(type.numElements());
  if (name == "get_block_shapes")
    return thunk(Value::shape(type.shape));
  if (name == "primitive_bitwidth")
    return Value::integer(type.bitWidth());
  if (name == "itemsize")
    return Value::integer((type.bitWidth() + 7) / 8);
  if (name == "int_bitwidth" && type.isInt())
    return Value::integer(type.bitWidth());
  if (name == "fp_mantissa_width" && type.isFloat())
    return Value::integer(mantissaWidth(type.dtype));
  if (name == "name" && !type.isBlock() && !type.isPointer)
    return Value(std::string(signatureName(type.dtype)));
  return std::nullopt;
}

} // namespace tesela::sema
