//===- Key.cpp - what of a launch decides which code it needs -------------===//

#include "runtime/Key.h"

#include "support/Values.h"

#include "llvm/Support/xxhash.h"

#include <bit>

namespace tesela::runtime {

using Kind = Argument::Kind;

/// Whether an argument holds what its kind says. Those that the constructors of
/// `Argument` make of sound values do.
static bool isWellFormed(const Argument &argument) {
  if (argument.dtype && *argument.dtype > DType::Float64)
    return false;
  switch (argument.kind) {
  case Kind::Pointer:
  case Kind::Type:
    return argument.dtype.has_value();
  case Kind::Text:
    return argument.text || argument.bytes == 0;
  case Kind::Value: {
    if (!argument.object)
      return false;
    auto *function = std::get_if<Object::FunctionRef>(&argument.object->value);
    return !function || *function;
  }
  default:
    return argument.kind < Kind::Value;
  }
}

namespace {

/// The argument of one parameter, on its way into the key.
class ParameterKeyer {
public:
  ParameterKeyer(const KernelRules &rules, size_t index, const Argument &given)
      : rules(rules), rule(rules.parameters[index]), index(int(index)),
        argument(given) {}

  std::optional<LaunchProblem> run(ParameterKey &key) {
    if (!isWellFormed(argument))
      return problem(DiagId::ArgumentType,
                     "does not hold what its kind says it is");
    if (argument.kind == Kind::Value)
      argument = argumentOf(*argument.object);
    if (rule.isConstexpr)
      return constant(key);
    switch (argument.kind) {
    case Kind::Pointer:
      return pointer(key);
    case Kind::Integer:
      return integer(key);
    case Kind::Unsigned:
      return unsignedInteger(key);
    case Kind::Float:
      return number(key);
    case Kind::Bool:
      return boolean(key);
    case Kind::None:
    case Kind::Type:
      return constant(key);
    case Kind::Value:
      if (std::holds_alternative<Object::FunctionRef>(argument.object->value))
        return constant(key);
      [[fallthrough]];
    default:
      return problem(DiagId::ArgumentType,
                     "is " + kindOf(objectOf(argument)) +
                         ", which only a `tl.constexpr` parameter takes");
    }
  }

private:
  std::optional<LaunchProblem> problem(DiagId id, std::string seen) {
    return LaunchProblem{id, index,
                         "argument `" + rule.name + "` of `" + rules.name +
                             "` " + std::move(seen)};
  }

  std::optional<LaunchProblem> constant(ParameterKey &key) {
    key.kind = ParameterKind::Constant;
    key.constant = argument.kind;
    switch (argument.kind) {
    case Kind::Pointer:
      return problem(DiagId::ArgumentType,
                     "is a pointer; a `tl.constexpr` parameter takes a "
                     "compile-time value");
    case Kind::Unsigned:
      // What fits is the same number as an `Integer`.
      if (argument.unsignedInteger <= uint64_t(INT64_MAX))
        key.constant = Kind::Integer;
      key.bits = argument.unsignedInteger;
      break;
    case Kind::Integer:
      key.bits = uint64_t(argument.integer);
      break;
    case Kind::Float:
      key.bits = std::bit_cast<uint64_t>(argument.number);
      break;
    case Kind::Bool:
      key.bits = argument.boolean;
      break;
    case Kind::Type:
      key.dtype = *argument.dtype;
      break;
    case Kind::Text:
      key.bits =
          llvm::xxh3_64bits(llvm::StringRef(argument.text, argument.bytes));
      break;
    case Kind::Value:
      if (auto *no = std::get_if<Object::Unsupported>(&argument.object->value))
        return problem(DiagId::ArgumentType,
                       "is " + no->what +
                           ", which is not a compile-time value");
      key.bits = quickHash(*argument.object);
      break;
    case Kind::None:
    case Kind::Default:
      break;
    }
    return std::nullopt;
  }

  std::optional<LaunchProblem> pointer(ParameterKey &key) {
    if (rule.annotatedType)
      return problem(DiagId::ArgumentType,
                     "is a pointer to " +
                         std::string(languageName(*argument.dtype)) +
                         "; its annotation asks for a scalar " +
                         std::string(languageName(*rule.annotatedType)));
    key.kind = ParameterKind::Pointer;
    key.dtype = *argument.dtype;
    uintptr_t address = reinterpret_cast<uintptr_t>(argument.pointer);
    key.divisible = rule.specialiseAlignment && address % 16 == 0;
    return std::nullopt;
  }

  std::optional<DType> fixedType() const {
    return rule.annotatedType ? rule.annotatedType : argument.dtype;
  }

  static bool isFloat(DType type) { return type >= DType::Float8E4M3; }
  static bool isUnsigned(DType type) {
    return type >= DType::UInt8 && type <= DType::UInt64;
  }

  std::optional<LaunchProblem> outOfRange(std::string value, DType type) {
    return problem(DiagId::ArgumentRange, "is " + value +
                                              ", which does not fit " +
                                              std::string(languageName(type)));
  }

  std::optional<LaunchProblem> scalar(ParameterKey &key, DType type,
                                      bool divisible) {
    key.kind = ParameterKind::Scalar;
    key.dtype = type;
    key.divisible = divisible && rule.specialiseAlignment && !isFloat(type) &&
                    type != DType::Int1;
    return std::nullopt;
  }

  std::optional<LaunchProblem> integer(ParameterKey &key) {
    int64_t value = argument.integer;
    std::optional<DType> fixed = fixedType();
    if (!fixed && value == 1 && rule.specialiseOne)
      return constant(key);
    DType type = fixed                              ? *fixed
                 : value == int64_t(int32_t(value)) ? DType::Int32
                                                    : DType::Int64;
    if (!isFloat(type)) {
      unsigned bits = bitWidth(type);
      bool fits =
          type == DType::Int1 ? value == 0 || value == 1
          : isUnsigned(type)  ? value >= 0 && (bits == 64 || value >> bits == 0)
          : bits == 64        ? true
                       : value >> (bits - 1) == 0 || value >> (bits - 1) == -1;
      if (!fits)
        return outOfRange(std::to_string(value), type);
    }
    return scalar(key, type, value % 16 == 0);
  }

  std::optional<LaunchProblem> unsignedInteger(ParameterKey &key) {
    uint64_t value = argument.unsignedInteger;
    if (value <= uint64_t(INT64_MAX)) {
      argument.kind = Kind::Integer;
      return integer(key);
    }
    DType type = fixedType().value_or(DType::UInt64);
    if (type != DType::UInt64 && !isFloat(type))
      return outOfRange(std::to_string(value), type);
    return scalar(key, type, value % 16 == 0);
  }

  std::optional<LaunchProblem> number(ParameterKey &key) {
    DType type = fixedType().value_or(DType::Float32);
    if (!isFloat(type))
      return problem(DiagId::ArgumentType,
                     "is a float; its annotation asks for " +
                         std::string(languageName(type)));
    return scalar(key, type, false);
  }

  std::optional<LaunchProblem> boolean(ParameterKey &key) {
    return scalar(key, fixedType().value_or(DType::Int1), false);
  }

  const KernelRules &rules;
  const ParameterRules &rule;
  int index;
  Argument argument;
};

} // namespace

static uint64_t mix(uint64_t hash, uint64_t word) {
  unsigned __int128 product =
      (unsigned __int128)(hash ^ word) * 0x9E3779B97F4A7C15ull;
  return uint64_t(product) ^ uint64_t(product >> 64);
}

/// The cases that almost all arguments are. False for any other.
static bool keyQuickly(const ParameterRules &rule, const Argument &argument,
                       ParameterKey &key) {
  if (rule.isConstexpr) {
    if (argument.kind != Kind::Integer)
      return false;
    key.constant = Kind::Integer;
    key.bits = uint64_t(argument.integer);
    return true;
  }
  if (rule.annotatedType)
    return false;
  if (argument.kind == Kind::Pointer) {
    if (!argument.dtype || *argument.dtype > DType::Float64)
      return false;
    key.kind = ParameterKind::Pointer;
    key.dtype = *argument.dtype;
    key.divisible = rule.specialiseAlignment &&
                    reinterpret_cast<uintptr_t>(argument.pointer) % 16 == 0;
    return true;
  }
  if (argument.kind != Kind::Integer || argument.dtype ||
      argument.integer != int64_t(int32_t(argument.integer)) ||
      argument.integer == 1)
    return false;
  key.kind = ParameterKind::Scalar;
  key.dtype = DType::Int32;
  key.divisible = rule.specialiseAlignment && argument.integer % 16 == 0;
  return true;
}

std::optional<LaunchProblem>
makeKey(const KernelRules &rules, std::span<const Argument> bound, Key &key) {
  key.parameters.resize_for_overwrite(bound.size());
  uint64_t hash = mix(reinterpret_cast<uintptr_t>(key.target), key.settings);
  for (size_t i = 0; i < bound.size(); ++i) {
    // In place: a copy would wait for the single bytes to be written.
    ParameterKey &parameter = key.parameters[i];
    parameter = ParameterKey();
    if (!keyQuickly(rules.parameters[i], bound[i], parameter))
      if (auto problem = ParameterKeyer(rules, i, bound[i]).run(parameter))
        return problem;
    uint64_t tag = uint64_t(parameter.kind) | uint64_t(parameter.dtype) << 8 |
                   uint64_t(parameter.divisible) << 16 |
                   uint64_t(parameter.constant) << 24;
    hash = mix(hash, tag ^ parameter.bits << 32 ^ parameter.bits >> 32);
  }
  key.hash = hash;
  return std::nullopt;
}

} // namespace tesela::runtime
