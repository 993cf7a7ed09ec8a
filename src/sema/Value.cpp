//===- Value.cpp - what an expression of a kernel is ----------------------===//

#include "sema/Value.h"

#include "sema/Builtins.h"

#include "llvm/ADT/STLExtras.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace tesela::sema {

Value Value::tuple(std::vector<Value> items) {
  return Value(
      std::make_shared<const Sequence>(Sequence{std::move(items), false}));
}

Value Value::list(std::vector<Value> items) {
  return Value(
      std::make_shared<const Sequence>(Sequence{std::move(items), true}));
}

Value Value::shape(llvm::ArrayRef<int64_t> extents) {
  std::vector<Value> items;
  for (int64_t extent : extents)
    items.push_back(integer(extent));
  return tuple(std::move(items));
}

std::optional<Int> Value::asInt() const {
  if (auto *number = getIf<Int>())
    return *number;
  if (auto *flag = getIf<bool>())
    return Int(*flag);
  return std::nullopt;
}

std::optional<int64_t> Value::asInt64() const {
  std::optional<Int> number = asInt();
  return number ? number->asInt64() : std::nullopt;
}

std::optional<double> Value::asDouble() const {
  if (auto *number = getIf<double>())
    return *number;
  if (std::optional<Int> number = asInt())
    return number->toDouble();
  return std::nullopt;
}

const std::vector<Value> *Value::items() const {
  auto *sequence = getIf<SequenceRef>();
  return sequence ? &(*sequence)->items : nullptr;
}

bool Value::hasRuntime() const {
  if (isRuntime())
    return true;
  const std::vector<Value> *elements = items();
  return elements && llvm::any_of(*elements, [](const Value &element) {
           return element.hasRuntime();
         });
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// The shortest digits that read back as the same number, in Python's form.
static std::string floatRepr(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto format = std::chars_format::scientific;
  auto [end, error] = std::to_chars(buffer, buffer + 64, value, format);
  std::string text(buffer, end);
  size_t mark = text.find('e');
  int exponent = std::stoi(text.substr(mark + 1));
  // Python writes small and large exponents alone with an `e`.
  if (exponent < -4 || exponent >= 16)
    return text;
  format = std::chars_format::fixed;
  end = std::to_chars(buffer, buffer + 64, value, format).ptr;
  text.assign(buffer, end);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

static std::string strRepr(const std::string &text) {
  char quote = text.find('\'') != std::string::npos &&
                       text.find('"') == std::string::npos
                   ? '"'
                   : '\'';
  std::string result(1, quote);
  for (char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c == quote || c == '\\')
      (result += '\\') += c;
    else
      result += c;
  }
  return result + quote;
}

static std::string sequenceRepr(const Sequence &sequence) {
  std::string text = sequence.isList ? "[" : "(";
  for (size_t i = 0; i < sequence.items.size(); ++i)
    text += (i ? ", " : "") + sequence.items[i].repr();
  if (!sequence.isList && sequence.items.size() == 1)
    text += ",";
  return text + (sequence.isList ? "]" : ")");
}

std::string Value::repr() const {
  if (auto *text = getIf<std::string>())
    return strRepr(*text);
  return str();
}

std::string Value::str() const {
  struct Visitor {
    std::string operator()(const Invalid &) { return "<error>"; }
    std::string operator()(const None &) { return "None"; }
    std::string operator()(bool value) { return value ? "True" : "False"; }
    std::string operator()(const Int &value) { return value.str(); }
    std::string operator()(double value) { return floatRepr(value); }
    std::string operator()(const std::string &text) { return text; }
    std::string operator()(const Type &type) { return type.str(); }
    std::string operator()(const Symbol &symbol) { return symbol.name; }
    std::string operator()(const SequenceRef &sequence) {
      return sequenceRepr(*sequence);
    }
    std::string operator()(const SliceRef &) { return "<slice>"; }
    std::string operator()(const RangeRef &) { return "<range>"; }
    std::string operator()(const FunctionRef &function) {
      return "<function " + function->name + ">";
    }
    std::string operator()(const ModuleName &module) {
      return "<module " + module.path + ">";
    }
    std::string operator()(BuiltinId id) {
      return "<function " + qualifiedName(id) + ">";
    }
    std::string operator()(const Method &method) {
      return "<method " + std::string(builtinName(method.builtin)) + ">";
    }
    std::string operator()(const Thunk &) { return "<method>"; }
    std::string operator()(const Object::Unsupported &object) {
      return "<" + object.what + ">";
    }
    std::string operator()(const Runtime &value) {
      return "<" + value.type.str() + ">";
    }
  };
  return std::visit(Visitor(), storage);
}

std::string Value::typeName() const {
  struct Visitor {
    std::string operator()(const Invalid &) { return "error"; }
    std::string operator()(const None &) { return "None"; }
    std::string operator()(bool) { return "bool"; }
    std::string operator()(const Int &) { return "int"; }
    std::string operator()(double) { return "float"; }
    std::string operator()(const std::string &) { return "str"; }
    std::string operator()(const Type &) { return "dtype"; }
    std::string operator()(const Symbol &symbol) { return symbol.name; }
    std::string operator()(const SequenceRef &sequence) {
      return sequence->isList ? "list" : "tuple";
    }
    std::string operator()(const SliceRef &) { return "slice"; }
    std::string operator()(const RangeRef &) { return "range"; }
    std::string operator()(const FunctionRef &) { return "jit function"; }
    std::string operator()(const ModuleName &) { return "module"; }
    std::string operator()(BuiltinId) { return "builtin function"; }
    std::string operator()(const Method &) { return "method"; }
    std::string operator()(const Thunk &) { return "method"; }
    std::string operator()(const Object::Unsupported &object) {
      return object.what;
    }
    std::string operator()(const Runtime &value) { return value.type.str(); }
  };
  return std::visit(Visitor(), storage);
}

std::string Value::describe() const {
  if (auto *value = getIf<Runtime>())
    return (value->type.isBlock() ? "a tile of type `" : "a scalar of type `") +
           value->type.str() + "`";
  if (isNumber() || is<std::string>())
    return "the " + typeName() + " `" + repr() + "`";
  if (isNone())
    return "`None`";
  if (is<Type>())
    return "the dtype `" + str() + "`";
  if (auto *function = getIf<FunctionRef>())
    return "the function `" + (*function)->name + "`";
  if (auto *module = getIf<ModuleName>())
    return "the module `" + module->path + "`";
  if (auto *id = getIf<BuiltinId>())
    return "the function `" + qualifiedName(*id) + "`";
  if (auto *object = getIf<Object::Unsupported>())
    return object->what;
  if (auto *symbol = getIf<Symbol>())
    return "`" + symbol->name + "`";
  std::string text = "a " + typeName();
  if (const std::vector<Value> *elements = items(); elements) {
    text += " of (";
    for (size_t i = 0; i < elements->size(); ++i)
      text += (i ? ", `" : "`") + (*elements)[i].typeName() + "`";
    text += ")";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

namespace {
struct IdentityVisitor {
  const Value::Storage &other;
  template <typename T>
  const T &rhs() {
    return std::get<T>(other);
  }
  bool operator()(const Invalid &) { return true; }
  bool operator()(const None &) { return true; }
  bool operator()(bool value) { return value == rhs<bool>(); }
  bool operator()(const Int &value) { return value == rhs<Int>(); }
  bool operator()(double value) {
    return std::memcmp(&value, &rhs<double>(), sizeof(double)) == 0;
  }
  bool operator()(const std::string &text) {
    return text == rhs<std::string>();
  }
  bool operator()(const Type &type) { return type == rhs<Type>(); }
  bool operator()(const Symbol &symbol) {
    return symbol.name == rhs<Symbol>().name;
  }
  bool operator()(const SequenceRef &sequence) {
    const Sequence &b = *rhs<SequenceRef>();
    return sequence->isList == b.isList &&
           llvm::equal(
               sequence->items, b.items,
               [](const Value &x, const Value &y) { return x.identical(y); });
  }
  bool operator()(const SliceRef &slice) {
    const SliceObject &b = *rhs<SliceRef>();
    return slice->lower.identical(b.lower) && slice->upper.identical(b.upper) &&
           slice->step.identical(b.step);
  }
  bool operator()(const RangeRef &range) {
    const RangeObject &b = *rhs<RangeRef>();
    return range->start.identical(b.start) && range->stop.identical(b.stop) &&
           range->step.identical(b.step) && range->unroll == b.unroll;
  }
  bool operator()(const FunctionRef &f) { return f == rhs<FunctionRef>(); }
  bool operator()(const ModuleName &m) { return m == rhs<ModuleName>(); }
  bool operator()(BuiltinId id) { return id == rhs<BuiltinId>(); }
  bool operator()(const Method &method) {
    return method.builtin == rhs<Method>().builtin &&
           method.self->identical(*rhs<Method>().self);
  }
  bool operator()(const Thunk &thunk) {
    return thunk.result->identical(*rhs<Thunk>().result);
  }
  bool operator()(const Object::Unsupported &) { return false; }
  bool operator()(const Runtime &value) {
    return value.handle == rhs<Runtime>().handle &&
           value.type == rhs<Runtime>().type;
  }
};
} // namespace

bool Value::identical(const Value &other) const {
  if (storage.index() != other.storage.index())
    return false;
  return std::visit(IdentityVisitor{other.storage}, storage);
}

//===----------------------------------------------------------------------===//
// Numbers and objects
//===----------------------------------------------------------------------===//

std::optional<DType> numberType(const Value &number) {
  if (number.is<bool>())
    return DType::Int1;
  if (auto *whole = number.getIf<Int>()) {
    if (whole->fits(32, /*isSigned=*/true))
      return DType::Int32;
    if (whole->fits(32, /*isSigned=*/false))
      return DType::UInt32;
    if (whole->fits(64, /*isSigned=*/true))
      return DType::Int64;
    if (whole->fits(64, /*isSigned=*/false))
      return DType::UInt64;
    return std::nullopt;
  }
  double magnitude = std::fabs(number.get<double>());
  bool isNormal = magnitude >= 0x1p-126 && magnitude <= 0x1.fffffep127;
  if (isNormal || magnitude == 0 || !std::isfinite(magnitude))
    return DType::Float32;
  return DType::Float64;
}

Value fromObject(const Object &object) {
  struct Visitor {
    Value operator()(const Object::None &) { return None(); }
    Value operator()(bool value) { return value; }
    Value operator()(const Integer &value) {
      if (value.digits.empty())
        return Value::integer(value.small);
      if (std::optional<Int> parsed = Int::parse(value.digits))
        return *parsed;
      return Object::Unsupported{"an int that is too large"};
    }
    Value operator()(double value) { return value; }
    Value operator()(const std::string &text) { return text; }
    Value operator()(DType type) { return Type(type); }
    Value operator()(const Object::Tuple &tuple) {
      std::vector<Value> items;
      for (const Object &item : tuple)
        items.push_back(fromObject(item));
      return Value::tuple(std::move(items));
    }
    Value operator()(const Object::FunctionRef &function) {
      if (!function)
        return Object::Unsupported{"a function without a text"};
      return function;
    }
    Value operator()(const ModuleName &module) {
      return resolveModule(module.path);
    }
    Value operator()(const Object::Unsupported &object) { return object; }
  };
  return std::visit(Visitor(), object.value);
}

Object toObject(const Value &value) {
  if (value.isNone())
    return {Object::None()};
  if (auto *flag = value.getIf<bool>())
    return {*flag};
  if (auto *whole = value.getIf<Int>()) {
    if (std::optional<int64_t> small = whole->asInt64())
      return {Integer{*small, ""}};
    return {Integer{0, whole->str()}};
  }
  if (auto *number = value.getIf<double>())
    return {*number};
  if (auto *text = value.getIf<std::string>())
    return {*text};
  if (auto *type = value.getIf<Type>())
    if (!type->isPointer && !type->isBlock())
      return {type->dtype};
  if (const std::vector<Value> *items = value.items()) {
    Object::Tuple tuple;
    for (const Value &item : *items)
      tuple.push_back(toObject(item));
    return {std::move(tuple)};
  }
  if (auto *function = value.getIf<FunctionRef>())
    return {*function};
  if (auto *module = value.getIf<ModuleName>())
    return {*module};
  if (auto *id = value.getIf<BuiltinId>())
    return {ModuleName{modulePath(*id)}};
  return {Object::Unsupported{value.describe()}};
}

} // namespace tesela::sema
