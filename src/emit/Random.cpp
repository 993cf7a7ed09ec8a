//===- Random.cpp - random numbers from a seed and a counter --------------===//
//
// Philox ("Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011): four words
// of a counter are mixed with a key for some rounds. The same seed and offset
// give the same numbers on every target and in Triton.
//
//===----------------------------------------------------------------------===//

#include "emit/Interpreter.h"

using tesela::sema::BuiltinId;
using tesela::syntax::BinOpKind;
using tesela::syntax::CmpOpKind;

namespace tesela::emit {
namespace {

/// What a round multiplies by, and what it adds to the key, for words of 32 or
/// of 64 bits.
struct PhiloxConstants {
  uint64_t multipliers[2];
  uint64_t increments[2];
};
constexpr PhiloxConstants narrowConstants = {{0xD2511F53, 0xCD9E8D57},
                                             {0x9E3779B9, 0xBB67AE85}};
constexpr PhiloxConstants wideConstants = {
    {0xD2E7470EE14C6C93, 0xCA5A826395121157},
    {0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B}};

using Words = std::array<Value, 4>;

Value tupleOf(const Words &words) {
  for (const Value &word : words)
    if (!word)
      return Value();
  return Value::tuple({words.begin(), words.end()});
}

class Philox {
public:
  Philox(Interpreter &in, DType type)
      : in(in), type(type),
        constants(type == DType::UInt64 ? wideConstants : narrowConstants) {}

  /// Everything is of the type.
  Words run(Words c, Value key0, Value key1, int64_t rounds) {
    Value a = number(constants.multipliers[0]);
    Value b = number(constants.multipliers[1]);
    for (int64_t round = 0; round < rounds; ++round) {
      c = {mix(high(b, c[2]), c[1], key0), combine(BinOpKind::Mult, b, c[2]),
           mix(high(a, c[0]), c[3], key1), combine(BinOpKind::Mult, a, c[0])};
      key0 = combine(BinOpKind::Add, key0, number(constants.increments[0]));
      key1 = combine(BinOpKind::Add, key1, number(constants.increments[1]));
    }
    return c;
  }

private:
  Value number(uint64_t bits) {
    return in.constant(Value(sema::Int(llvm::APInt(128, bits))), Type(type));
  }
  Value combine(BinOpKind op, const Value &a, const Value &b) {
    return a && b ? in.binary(op, a, b) : Value();
  }
  Value high(const Value &a, const Value &b) {
    return a && b ? in.callBuiltin(BuiltinId::Umulhi, {a, b}) : Value();
  }
  Value mix(const Value &a, const Value &b, const Value &c) {
    return combine(BinOpKind::BitXor, combine(BinOpKind::BitXor, a, b), c);
  }

  Interpreter &in;
  DType type;
  const PhiloxConstants &constants;
};

/// An integer argument as a run-time value.
Value integerArgument(Interpreter &in, const Arguments &args, unsigned index) {
  Value value = in.toRuntime(args[index]);
  if (!value || value.type().isInt())
    return value;
  Emitter::At at(in, args.spans[index]);
  return in.fail(DiagId::OperandType, args.name() +
                                          " takes integers, and is "
                                          "given " +
                                          value.describe());
}

/// Whether words of this many bits have a Philox; an error otherwise.
bool checkWidth(Interpreter &in, const Arguments &args, const Type &type) {
  if (type.bitWidth() == 32 || type.bitWidth() == 64)
    return true;
  in.fail(DiagId::OperandType, args.name() +
                                   " takes counters of 32 or 64 bits, and is "
                                   "given `" +
                                   type.str() + "`");
  return false;
}

/// With `seed` as the key.
Words philox(Interpreter &in, Value seed, Words counter, int64_t rounds) {
  bool isWide = counter[0].type().bitWidth() == 64;
  DType type = isWide ? DType::UInt64 : DType::UInt32;
  seed = in.cast(seed, Type(DType::UInt64));
  for (Value &word : counter)
    word = in.cast(word, Type(type));
  Value low = in.cast(seed, Type(type)), high;
  if (isWide)
    high = in.zero(Type(type));
  else
    high = in.cast(in.operate(BinOpKind::RShift, seed, Value::integer(32)),
                   Type(type));
  return Philox(in, type).run(counter, low, high, rounds);
}

/// Words for one offset: it is the lower half of the counter.
Words wordsAt(Interpreter &in, const Arguments &args) {
  Value seed = integerArgument(in, args, 0);
  Value offset = seed ? integerArgument(in, args, 1) : Value();
  if (!offset)
    return {};
  Type word(DType::UInt32);
  Value low = in.cast(offset, word);
  Value zero = in.zero(low.type()), high = zero;
  if (offset.type().bitWidth() > 32)
    high = in.cast(in.operate(BinOpKind::RShift, offset, Value::integer(32)),
                   word);
  return philox(in, seed, {low, high, zero, zero}, args.integer(2));
}

/// x as a signed number, folded over zero and scaled to less than 1.
Value toUniform(Interpreter &in, const Value &x) {
  if (!x)
    return Value();
  bool isWide = x.type().bitWidth() == 64;
  Value bits = in.bitcast(x, Type(isWide ? DType::Int64 : DType::Int32));
  Value folded = in.unary(syntax::UnaryOpKind::Invert, bits);
  Value isNegative = in.operate(CmpOpKind::Lt, bits, Value::integer(0));
  Value magnitude = in.select(isNegative, folded, bits, "`rand`");
  return in.operate(BinOpKind::Mult, magnitude,
                    Value(isWide ? 1.0842020432385337e-19 : 4.6566127342e-10));
}

/// Box and Muller's.
std::array<Value, 2> toNormal(Interpreter &in, const Value &u1,
                              const Value &u2) {
  auto call = [&](BuiltinId id, const Value &x) {
    return x ? in.callBuiltin(id, {x}) : Value();
  };
  auto times = [&](const Value &a, const Value &b) {
    return a && b ? in.operate(BinOpKind::Mult, a, b) : Value();
  };
  if (!u1 || !u2)
    return {};
  Value angle = times(Value(6.283185307179586), u2);
  Value least = in.maximum(Value(1.0e-7), u1, false);
  Value radius =
      call(BuiltinId::Sqrt, times(Value(-2.0), call(BuiltinId::Log, least)));
  return {times(radius, call(BuiltinId::Cos, angle)),
          times(radius, call(BuiltinId::Sin, angle))};
}

Value emitPhiloxImpl(Interpreter &in, const Arguments &args) {
  std::array<Value, 6> given;
  for (unsigned i = 0; i != given.size(); ++i)
    if (!(given[i] = integerArgument(in, args, i)))
      return Value();
  const Type &type = given[0].type();
  if (!checkWidth(in, args, type))
    return Value();
  DType word = type.bitWidth() == 64 ? DType::UInt64 : DType::UInt32;
  for (Value &value : given)
    value = in.cast(value, Type(word));
  return tupleOf(Philox(in, word).run({given[0], given[1], given[2], given[3]},
                                      given[4], given[5], args.integer(6)));
}

Value emitPhilox(Interpreter &in, const Arguments &args) {
  std::array<Value, 5> given;
  for (unsigned i = 0; i != given.size(); ++i)
    if (!(given[i] = integerArgument(in, args, i)))
      return Value();
  if (!checkWidth(in, args, given[1].type()))
    return Value();
  return tupleOf(philox(in, given[0], {given[1], given[2], given[3], given[4]},
                        args.integer(5)));
}

Value emitRandInt4x(Interpreter &in, const Arguments &args) {
  return tupleOf(wordsAt(in, args));
}

Value emitRandInt(Interpreter &in, const Arguments &args) {
  return wordsAt(in, args)[0];
}

Value emitRand(Interpreter &in, const Arguments &args) {
  return toUniform(in, wordsAt(in, args)[0]);
}

Words uniformAt(Interpreter &in, const Arguments &args) {
  Words words = wordsAt(in, args);
  for (Value &word : words)
    word = toUniform(in, word);
  return words;
}

Value emitRand4x(Interpreter &in, const Arguments &args) {
  return tupleOf(uniformAt(in, args));
}

Value emitRandN(Interpreter &in, const Arguments &args) {
  Words words = wordsAt(in, args);
  return toNormal(in, toUniform(in, words[0]), toUniform(in, words[1]))[0];
}

Value emitRandN4x(Interpreter &in, const Arguments &args) {
  Words words = uniformAt(in, args);
  auto [n1, n2] = toNormal(in, words[0], words[1]);
  auto [n3, n4] = toNormal(in, words[2], words[3]);
  return tupleOf({n1, n2, n3, n4});
}

Value emitUniformFloat(Interpreter &in, const Arguments &args) {
  Value x = integerArgument(in, args, 0);
  return x && checkWidth(in, args, x.type()) ? toUniform(in, x) : Value();
}

Value emitUniformToNormal(Interpreter &in, const Arguments &args) {
  auto [first, second] = toNormal(in, args[0], args[1]);
  return first && second ? Value::tuple({first, second}) : Value();
}

} // namespace

void bindRandom(HandlerTable &table) {
  table[BuiltinId::PhiloxImpl] = emitPhiloxImpl;
  table[BuiltinId::Philox] = emitPhilox;
  table[BuiltinId::RandInt] = emitRandInt;
  table[BuiltinId::RandInt4x] = emitRandInt4x;
  table[BuiltinId::Rand] = emitRand;
  table[BuiltinId::Rand4x] = emitRand4x;
  table[BuiltinId::RandN] = emitRandN;
  table[BuiltinId::RandN4x] = emitRandN4x;
  table[BuiltinId::UniformFloat] = emitUniformFloat;
  table[BuiltinId::UniformToNormal] = emitUniformToNormal;
}

} // namespace tesela::emit
