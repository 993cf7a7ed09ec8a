//===- Atomics.cpp - read, change and write in one step -------------------===//

#include "emit/Interpreter.h"

#include "dialect/tile/Tile.h"

using namespace mlir;
using tesela::sema::BuiltinId;
using tesela::syntax::CmpOpKind;

namespace tesela::emit {
namespace {

/// `sem` and `scope`, from parameter `index` on.
struct Ordering {
  tile::MemoryOrder order = tile::MemoryOrder::AcqRel;
  tile::MemoryScope scope = tile::MemoryScope::Device;
};

std::optional<Ordering> orderingOf(Interpreter &in, const Arguments &args,
                                   unsigned index) {
  Ordering result;
  auto unknown = [&](unsigned at, const char *what, const char *known) {
    Emitter::At place(in, args.spans[at]);
    in.fail(DiagId::CallValue, std::string(what) + " of " + args.name() +
                                   " is `" + args.text(at) + "`; there are " +
                                   known);
    return std::nullopt;
  };
  if (args.has(index)) {
    auto order = tile::symbolizeMemoryOrder(args.text(index));
    if (!order)
      return unknown(index, "`sem`", "acquire, release, acq_rel and relaxed");
    result.order = *order;
  }
  if (args.has(index + 1)) {
    auto scope = tile::symbolizeMemoryScope(args.text(index + 1));
    if (!scope)
      return unknown(index + 1, "`scope`", "gpu, cta and sys");
    result.scope = *scope;
  }
  return result;
}

/// A value as elements of what is pointed at, in the pointers' shape.
Value operandFor(Interpreter &in, const Arguments &args, unsigned index,
                 const Type &pointer, const char *what) {
  Emitter::At at(in, args.spans[index]);
  Value value = args[index];
  if (value.isNumber() && Emitter::isRepresentable(value, pointer.dtype))
    value = in.constant(value, Type(pointer.dtype));
  value = in.toRuntime(value);
  if (!value)
    return Value();
  if (!pointer.isBlock() && value.type().isBlock())
    return in.fail(DiagId::ShapeMismatch,
                   std::string(what) + " of " + args.name() + " is " +
                       value.describe() + ", and the pointer is a scalar");
  value = in.cast(value, Type(pointer.dtype));
  return value ? in.broadcast(value, pointer.shape) : Value();
}

Value maskFor(Interpreter &in, const Arguments &args, unsigned index,
              const Type &pointer) {
  Emitter::At at(in, args.spans[index]);
  Value mask = in.toRuntime(args[index]);
  if (!mask)
    return Value();
  if (!mask.type().isBool())
    return in.fail(DiagId::OperandType, "the mask of " + args.name() + " is " +
                                            args[index].describe() +
                                            "; it must be `int1`");
  if (!pointer.isBlock() && mask.type().isBlock())
    return in.fail(DiagId::ShapeMismatch, "`mask` of " + args.name() + " is " +
                                              mask.describe() +
                                              ", and the pointer is a scalar");
  return in.broadcast(mask, pointer.shape);
}

/// Of a float extremum the greatest or least NaN where the value is one,
/// whatever its sign: NaNs win.
Value withWinningNan(Interpreter &in, const Value &value, bool isMax) {
  DType dtype = value.type().dtype;
  bool isDouble = dtype == DType::Float64;
  Type bits(isDouble ? DType::UInt64 : DType::UInt32);
  uint64_t nan = isDouble ? 0x7ff8000000000000 : 0x7fc00000;
  if (!isMax)
    nan |= uint64_t(1) << (isDouble ? 63 : 31);
  Value winner = in.bitcast(
      in.constant(Value(sema::Int(llvm::APInt(128, nan))), bits), Type(dtype));
  Value isNan = in.compare(CmpOpKind::NotEq, value, value);
  return in.select(isNan, winner, value, "`value`");
}

template <BuiltinId id>
std::optional<tile::AtomicKind> kindFor(const Type &element) {
  using Kind = tile::AtomicKind;
  bool isFloat = element.isFloat(), isSigned = element.isSigned();
  unsigned bits = element.bitWidth();
  bool isWord = (bits == 32 || bits == 64) && !element.isBool();
  if constexpr (id == BuiltinId::AtomicAdd) {
    if (isFloat)
      return bits >= 16 ? std::optional(Kind::FAdd) : std::nullopt;
    return isWord ? std::optional(Kind::Add) : std::nullopt;
  }
  if (!isWord)
    return std::nullopt;
  switch (id) {
  case BuiltinId::AtomicMax:
    return isFloat ? Kind::FMax : isSigned ? Kind::MaxS : Kind::MaxU;
  case BuiltinId::AtomicMin:
    return isFloat ? Kind::FMin : isSigned ? Kind::MinS : Kind::MinU;
  case BuiltinId::AtomicXchg:
    return Kind::Xchg;
  default:
    break;
  }
  if (isFloat)
    return std::nullopt;
  return id == BuiltinId::AtomicAnd  ? Kind::And
         : id == BuiltinId::AtomicOr ? Kind::Or
                                     : Kind::Xor;
}

template <BuiltinId id>
Value emitRMW(Interpreter &in, const Arguments &args) {
  enum { Pointer, Operand, Mask, Sem };
  const Value &pointer = args[Pointer];
  const Type &type = pointer.type();
  auto kind = kindFor<id>(Type(type.dtype));
  if (!kind) {
    Emitter::At at(in, args.spans[Pointer]);
    return in.fail(DiagId::OperandType,
                   args.name() + " is not defined for elements of type `" +
                       Type(type.dtype).str() + "`");
  }
  auto ordering = orderingOf(in, args, Sem);
  if (!ordering)
    return Value();
  Value value = operandFor(in, args, Operand, type, "`val`");
  if (value &&
      (*kind == tile::AtomicKind::FMax || *kind == tile::AtomicKind::FMin))
    value = withWinningNan(in, value, *kind == tile::AtomicKind::FMax);
  if (!value)
    return Value();
  Value mask;
  if (args.has(Mask)) {
    mask = maskFor(in, args, Mask, type);
    if (!mask)
      return Value();
  }
  auto op = tile::AtomicRMWOp::create(
      in.builder, in.loc(), *kind, ordering->order, ordering->scope,
      in.ir(pointer), in.ir(value), mask ? in.ir(mask) : mlir::Value());
  return in.make(op, value.type());
}

Value emitCas(Interpreter &in, const Arguments &args) {
  enum { Pointer, Expected, New, Sem };
  const Value &pointer = args[Pointer];
  const Type &type = pointer.type();
  Type element(type.dtype);
  if (element.bitWidth() < 16 || element.isBool()) {
    Emitter::At at(in, args.spans[Pointer]);
    return in.fail(DiagId::OperandType,
                   args.name() + " is not defined for elements of type `" +
                       element.str() + "`, which have less than 16 bits");
  }
  auto ordering = orderingOf(in, args, Sem);
  if (!ordering)
    return Value();
  Value expected = operandFor(in, args, Expected, type, "`cmp`");
  Value value = expected ? operandFor(in, args, New, type, "`val`") : Value();
  if (!value)
    return Value();
  auto op = tile::AtomicCasOp::create(
      in.builder, in.loc(), in.irType(value.type()), ordering->order,
      ordering->scope, in.ir(pointer), in.ir(expected), in.ir(value));
  return in.make(op, value.type());
}

} // namespace

void bindAtomics(HandlerTable &table) {
  table[BuiltinId::AtomicAdd] = emitRMW<BuiltinId::AtomicAdd>;
  table[BuiltinId::AtomicMax] = emitRMW<BuiltinId::AtomicMax>;
  table[BuiltinId::AtomicMin] = emitRMW<BuiltinId::AtomicMin>;
  table[BuiltinId::AtomicAnd] = emitRMW<BuiltinId::AtomicAnd>;
  table[BuiltinId::AtomicOr] = emitRMW<BuiltinId::AtomicOr>;
  table[BuiltinId::AtomicXor] = emitRMW<BuiltinId::AtomicXor>;
  table[BuiltinId::AtomicXchg] = emitRMW<BuiltinId::AtomicXchg>;
  table[BuiltinId::AtomicCas] = emitCas;
}

} // namespace tesela::emit
