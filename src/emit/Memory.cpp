//===- Memory.cpp - loads and stores --------------------------------------===//

#include "emit/Interpreter.h"

#include "dialect/tile/Tile.h"

using namespace mlir;
using tesela::sema::BuiltinId;

namespace tesela::emit {

static std::optional<tile::CacheModifier>
cacheModifier(Interpreter &in, const Arguments &args, unsigned index) {
  const std::string &text = args.text(index);
  if (text.empty())
    return tile::CacheModifier::None;
  if (text[0] == '.')
    if (auto modifier =
            tile::symbolizeCacheModifier(llvm::StringRef(text).drop_front());
        modifier && *modifier != tile::CacheModifier::None)
      return modifier;
  in.fail(DiagId::CallValue, "the cache modifier `" + text +
                                 "` is not known; there are .ca, .cg, .cv, "
                                 ".wb, .cs and .wt");
  return std::nullopt;
}

static std::optional<tile::EvictionPolicy>
evictionPolicy(Interpreter &in, const Arguments &args, unsigned index) {
  const std::string &text = args.text(index);
  if (text.empty() || text == "evict_normal")
    return tile::EvictionPolicy::Normal;
  if (text != "normal")
    if (auto policy = tile::symbolizeEvictionPolicy(text))
      return policy;
  in.fail(DiagId::CallValue, "the eviction policy `" + text +
                                 "` is not known; there are evict_first and "
                                 "evict_last");
  return std::nullopt;
}

/// The mask as a run-time `int1`.
static Value maskOf(Interpreter &in, const Arguments &args, unsigned index) {
  Value mask = in.toRuntime(args[index]);
  if (mask && !mask.type().isBool()) {
    Emitter::At at(in, args.spans[index]);
    return in.fail(DiagId::OperandType, "the mask of " + args.name() + " is " +
                                            args[index].describe() +
                                            "; it must be `int1`");
  }
  return mask;
}

static bool rejectBlockPointer(Interpreter &in, const Arguments &args,
                               unsigned boundaryCheck) {
  if (args.shape(boundaryCheck).empty())
    return false;
  Emitter::At at(in, args.spans[boundaryCheck]);
  in.fail(DiagId::CallValue, "`boundary_check` of " + args.name() +
                                 " belongs to block pointers, and this is a "
                                 "plain pointer; use `mask`");
  return true;
}

static Value emitLoad(Interpreter &in, const Arguments &args) {
  enum { Pointer, Mask, Other, BoundaryCheck, Padding, Cache, Evict, Volatile };
  Value pointer = args[Pointer];
  if (rejectBlockPointer(in, args, BoundaryCheck))
    return Value();
  auto cache = cacheModifier(in, args, Cache);
  auto evict = cache ? evictionPolicy(in, args, Evict) : std::nullopt;
  if (!evict)
    return Value();
  if (args.has(Other) && !args.has(Mask))
    return in.fail(DiagId::CallArguments,
                   "`tl.load` is given `other` and no `mask`");

  // A scalar pointer takes a scalar mask; tiles are broadcast to each other.
  Value mask, other;
  Emitter::Shape shape = pointer.type().shape;
  auto join = [&](Value &operand, unsigned index, const char *what) {
    Emitter::At at(in, args.spans[index]);
    if (!pointer.type().isBlock() && operand.type().isBlock()) {
      in.fail(DiagId::ShapeMismatch, std::string(what) + " of `tl.load` is " +
                                         operand.describe() +
                                         ", and the pointer is a scalar");
      return false;
    }
    auto common =
        in.commonShape(pointer.type().withShape(shape), operand.type(), what);
    if (common)
      shape = *common;
    return common.has_value();
  };
  DType element = pointer.type().dtype;
  bool isBool = element == DType::Int1;
  if (args.has(Mask)) {
    mask = maskOf(in, args, Mask);
    if (!mask || !join(mask, Mask, "`mask`"))
      return Value();
  }
  if (args.has(Other)) {
    Value number = args[Other];
    if (number.isNumber() && Emitter::isRepresentable(number, element))
      other = in.constant(number, Type(element));
    else
      other = in.toRuntime(number);
    other = other ? in.cast(other, Type(element)) : Value();
    if (!other || !join(other, Other, "`other`"))
      return Value();
    other = in.broadcast(other, shape);
    if (isBool)
      other = in.cast(other, DType::Int8);
  }
  pointer = in.broadcast(pointer, shape);
  if (mask)
    mask = in.broadcast(mask, shape);
  Type type(isBool ? DType::Int8 : element, shape);
  auto op = tile::LoadOp::create(
      in.builder, in.loc(), in.irType(type), in.ir(pointer),
      mask ? in.ir(mask) : mlir::Value(), other ? in.ir(other) : mlir::Value(),
      *cache, *evict, args.flag(Volatile));
  Value loaded = in.make(op, type);
  return isBool ? in.toBool(loaded) : loaded;
}

static Value emitStore(Interpreter &in, const Arguments &args) {
  enum { Pointer, StoredValue, Mask, BoundaryCheck, Cache, Evict };
  Value pointer = args[Pointer];
  if (rejectBlockPointer(in, args, BoundaryCheck))
    return Value();
  auto cache = cacheModifier(in, args, Cache);
  auto evict = cache ? evictionPolicy(in, args, Evict) : std::nullopt;
  if (!evict)
    return Value();

  DType element = pointer.type().dtype;
  const Emitter::Shape shape = pointer.type().shape;
  auto fit = [&](const Value &operand, unsigned index, const char *what) {
    if (!operand)
      return Value();
    Emitter::At at(in, args.spans[index]);
    if (shape.empty() && operand.type().isBlock())
      return in.fail(DiagId::ShapeMismatch,
                     std::string(what) + " of `tl.store` is " +
                         operand.describe() + ", and the pointer is a scalar");
    return in.broadcast(operand, shape);
  };
  Value value = args[StoredValue];
  if (value.isNumber() && Emitter::isRepresentable(value, element))
    value = in.constant(value, Type(element));
  value = in.toRuntime(value);
  if (value)
    value = in.cast(value, Type(element));
  value = fit(value, StoredValue, "`value`");
  if (value && element == DType::Int1)
    value = in.cast(value, DType::Int8);
  if (!value)
    return Value();
  Value mask;
  if (args.has(Mask)) {
    mask = fit(maskOf(in, args, Mask), Mask, "`mask`");
    if (!mask)
      return Value();
  }
  tile::StoreOp::create(in.builder, in.loc(), in.ir(pointer), in.ir(value),
                        mask ? in.ir(mask) : mlir::Value(), *cache, *evict);
  return sema::None();
}

void bindMemory(HandlerTable &table) {
  table[BuiltinId::Load] = emitLoad;
  table[BuiltinId::Store] = emitStore;
}

} // namespace tesela::emit
