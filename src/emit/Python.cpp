//===- Python.cpp - Python's own functions --------------------------------===//

#include "emit/Interpreter.h"

#include "sema/Constant.h"

#include <cmath>

using tesela::sema::BuiltinId;
using tesela::syntax::BinOpKind;
using tesela::syntax::CmpOpKind;

namespace tesela::emit {

/// `range(stop)`, `range(start, stop)`, `range(start, stop, step)`.
static Value emitRange(Interpreter &in, const Arguments &args) {
  for (unsigned i : {0, 1, 2}) {
    // What is left out is `None`.
    if (i != 0 && !args.has(i))
      continue;
    std::optional<Type> type = in.typeOf(args[i]);
    if ((type && type->isInt() && !type->isBlock()) || args[i].asInt())
      continue;
    Emitter::At at(in, args.spans[i]);
    return in.fail(DiagId::CallType,
                   args.name() + " counts with scalar ints, and this is " +
                       args[i].describe());
  }
  bool hasStart = args.has(1);
  sema::RangeObject range;
  range.start = hasStart ? args[0] : Value::integer(0);
  range.stop = hasStart ? args[1] : args[0];
  range.step = args.has(2) ? args[2] : Value::integer(1);
  range.unroll = args.id == BuiltinId::StaticRange;
  return std::make_shared<const sema::RangeObject>(std::move(range));
}

static Value emitStaticRange(Interpreter &in, const Arguments &args) {
  if (args.has(2) && args.integer(2) == 0)
    return in.fail(DiagId::CallValue, "the step of a loop is zero");
  return emitRange(in, args);
}

/// `min` and `max` of constants are Python's, of others elementwise.
template <bool isMax>
static Value emitExtremum(Interpreter &in, const Arguments &args) {
  std::vector<Value> items = *args[0].items();
  if (items.size() == 1 && items[0].items())
    items = *items[0].items();
  if (items.empty())
    return in.fail(DiagId::CallArguments, args.name() + " of nothing");
  Value result = items[0];
  for (size_t i = 1; i < items.size() && result; ++i) {
    if (result.isRuntime() || items[i].isRuntime()) {
      result = isMax ? in.maximum(result, items[i], false)
                     : in.minimum(result, items[i], false);
      continue;
    }
    Value better =
        in.operate(isMax ? CmpOpKind::Gt : CmpOpKind::Lt, items[i], result);
    if (!better)
      return Value();
    if (sema::truth(better))
      result = items[i];
  }
  return result;
}

static Value emitLen(Interpreter &in, const Arguments &args) {
  const Value &value = args[0];
  if (const std::vector<Value> *items = value.items())
    return Value::integer(int64_t(items->size()));
  if (auto *text = value.getIf<std::string>())
    return Value::integer(int64_t(text->size()));
  if (value.isRuntime() && value.type().isBlock())
    return Value::integer(value.type().shape[0]);
  return in.fail(DiagId::CallType, value.describe() + " has no length");
}

static Value cannotConvert(Interpreter &in, const Arguments &args) {
  return in.fail(DiagId::CallType,
                 args.name() + " does not convert " + args[0].describe());
}

static Value emitInt(Interpreter &in, const Arguments &args) {
  if (std::optional<sema::Int> whole = args[0].asInt())
    return *whole;
  std::optional<sema::Int> result;
  if (auto *number = args[0].getIf<double>())
    result = sema::Int::fromDouble(*number);
  if (auto *text = args[0].getIf<std::string>())
    result = sema::Int::parse(*text);
  return result ? Value(*result) : cannotConvert(in, args);
}

static Value emitFloat(Interpreter &in, const Arguments &args) {
  std::optional<double> number = args[0].asDouble();
  if (auto *text = args[0].getIf<std::string>())
    number = sema::parseFloat(*text);
  return number ? Value(*number) : cannotConvert(in, args);
}

static Value emitBool(Interpreter &, const Arguments &args) {
  return sema::truth(args[0]);
}

static Value emitStr(Interpreter &, const Arguments &args) {
  return args[0].str();
}

template <bool isList>
static Value emitSequence(Interpreter &in, const Arguments &args) {
  const std::vector<Value> *items = args[0].items();
  if (!items)
    return cannotConvert(in, args);
  return isList ? Value::list(*items) : Value::tuple(*items);
}

/// Whether a value is of the class that a builtin stands for.
static std::optional<bool> isOf(const Value &value, const Value &cls) {
  if (auto *type = cls.getIf<Type>())
    return value.isRuntime() && value.type() == *type;
  auto *id = cls.getIf<BuiltinId>();
  if (!id)
    return std::nullopt;
  auto *sequence = value.getIf<sema::SequenceRef>();
  switch (*id) {
  case BuiltinId::PyInt:
    return value.is<sema::Int>() || value.is<bool>();
  case BuiltinId::PyFloat:
    return value.is<double>();
  case BuiltinId::PyBool:
    return value.is<bool>();
  case BuiltinId::PyStr:
    return value.is<std::string>();
  case BuiltinId::TupleClass:
    return sequence && !(*sequence)->isList;
  case BuiltinId::PyList:
    return sequence && (*sequence)->isList;
  case BuiltinId::Tensor:
    return value.isRuntime();
  case BuiltinId::DtypeClass:
  case BuiltinId::PointerType:
    return value.is<Type>();
  case BuiltinId::Constexpr:
    return !value.hasRuntime();
  default:
    return std::nullopt;
  }
}

static Value emitIsInstance(Interpreter &in, const Arguments &args) {
  std::vector<Value> single{args[1]};
  for (const Value &cls : args[1].items() ? *args[1].items() : single) {
    std::optional<bool> answer = isOf(args[0], cls);
    if (!answer)
      return in.fail(DiagId::CallType, "`isinstance` does not know " +
                                           cls.describe() + " as a class");
    if (*answer)
      return true;
  }
  return false;
}

static Value emitType(Interpreter &in, const Arguments &args) {
  for (BuiltinId cls :
       {BuiltinId::PyBool, BuiltinId::PyInt, BuiltinId::PyFloat,
        BuiltinId::PyStr, BuiltinId::TupleClass, BuiltinId::PyList,
        BuiltinId::Tensor, BuiltinId::DtypeClass})
    if (*isOf(args[0], cls))
      return cls;
  return cannotConvert(in, args);
}

static Value emitSum(Interpreter &in, const Arguments &args) {
  const std::vector<Value> *items = args[0].items();
  if (!items)
    return in.fail(DiagId::CallType,
                   "`sum` adds the items of a tuple, and this is " +
                       args[0].describe() + "; use `tl.sum`");
  Value result = args[1];
  for (const Value &item : *items)
    result = result ? in.operate(BinOpKind::Add, result, item) : Value();
  return result;
}

/// A function of Python's `math` on constants.
template <double (*function)(double)>
static Value emitMath(Interpreter &in, const Arguments &args) {
  double argument = *args[0].asDouble();
  double result = function(argument);
  if (std::isnan(result) && !std::isnan(argument))
    return in.fail(DiagId::ConstantOperation,
                   args.name() + " is not defined for " + args[0].describe());
  return result;
}

template <double (*function)(double)>
static Value emitRounding(Interpreter &in, const Arguments &args) {
  if (std::optional<sema::Int> whole = args[0].asInt())
    return *whole;
  std::optional<sema::Int> result =
      sema::Int::fromDouble(function(args[0].get<double>()));
  return result ? Value(*result) : cannotConvert(in, args);
}

static Value emitPow(Interpreter &in, const Arguments &args) {
  return in.operate(BinOpKind::Pow, args[0], args[1]);
}

void bindPython(HandlerTable &table) {
  table[BuiltinId::Range] = emitRange;
  table[BuiltinId::PyRange] = emitRange;
  table[BuiltinId::StaticRange] = emitStaticRange;
  table[BuiltinId::PyMin] = emitExtremum<false>;
  table[BuiltinId::PyMax] = emitExtremum<true>;
  table[BuiltinId::PyLen] = emitLen;
  table[BuiltinId::PyInt] = emitInt;
  table[BuiltinId::PyFloat] = emitFloat;
  table[BuiltinId::PyBool] = emitBool;
  table[BuiltinId::PyStr] = emitStr;
  table[BuiltinId::TupleClass] = emitSequence<false>;
  table[BuiltinId::PyList] = emitSequence<true>;
  table[BuiltinId::PyIsInstance] = emitIsInstance;
  table[BuiltinId::PyType] = emitType;
  table[BuiltinId::PySum] = emitSum;
  table[BuiltinId::PyRound] = emitRounding<std::nearbyint>;
  table[BuiltinId::PyPow] = emitPow;
  table[BuiltinId::PySqrt] = emitMath<std::sqrt>;
  table[BuiltinId::PyExp] = emitMath<std::exp>;
  table[BuiltinId::PyLog] = emitMath<std::log>;
  table[BuiltinId::PyLog2] = emitMath<std::log2>;
  table[BuiltinId::PyFloor] = emitRounding<std::floor>;
  table[BuiltinId::PyCeil] = emitRounding<std::ceil>;
}

} // namespace tesela::emit
