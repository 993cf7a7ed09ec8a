//===- Emitter.cpp - positions, errors, types and shapes ------------------===//

#include "emit/Emitter.h"

#include "dialect/tile/Float8.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tesela::emit {

Emitter::Emitter(MLIRContext &context) : builder(&context) {}

//===----------------------------------------------------------------------===//
// Position
//===----------------------------------------------------------------------===//

static bool sameSpan(const syntax::Span &a, const syntax::Span &b) {
  return a.line == b.line && a.col == b.col && a.endLine == b.endLine &&
         a.endCol == b.endCol;
}

mlir::Location Emitter::loc() {
  if (cachedLoc && cachedSource == source.get() && cachedCaller == callerLoc &&
      sameSpan(cachedSpan, span))
    return cachedLoc;
  cachedLoc = locOf(span);
  cachedSpan = span;
  cachedSource = source.get();
  cachedCaller = callerLoc;
  return cachedLoc;
}

mlir::Location Emitter::locOf(const syntax::Span &place) {
  // MLIR counts columns from one, as it keeps zero for "unknown".
  auto file = builder.getStringAttr(source->name());
  LocationAttr own = FileLineColRange::get(file, place.line, place.col + 1,
                                           place.endLine, place.endCol + 1);
  return callerLoc ? LocationAttr(CallSiteLoc::get(own, callerLoc)) : own;
}

Location Emitter::locationOf(const syntax::Span &place) const {
  return {source, place.line, place.col, place.endLine, place.endCol};
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Value Emitter::fail(DiagId id, const std::string &message) {
  if (pendingError)
    return Value();
  pendingError = Diagnostic{id, Severity::Error, locationOf(span), message, {}};
  for (const CallSite &call : llvm::reverse(calls))
    pendingError->notes.push_back(
        {call.location, "in the call of `" + call.callee + "` here"});
  return Value();
}

void Emitter::note(const syntax::Span &place, const std::string &message) {
  // The notes of calls come last: they are the way out.
  auto &notes = pendingError->notes;
  notes.insert(notes.end() - std::min(calls.size(), notes.size()),
               {locationOf(place), message});
}

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

mlir::Type Emitter::elementType(DType type, bool isPointer) {
  if (isPointer) {
    // Booleans lie in memory as bytes.
    DType pointee = type == DType::Int1 ? DType::Int8 : type;
    return tile::PtrType::get(builder.getContext(),
                              elementType(pointee, /*isPointer=*/false));
  }
  switch (type) {
  case DType::Float8E4M3:
    return builder.getType<Float8E4M3FNType>();
  case DType::Float8E5M2:
    return builder.getType<Float8E5M2Type>();
  case DType::Float16:
    return builder.getF16Type();
  case DType::BFloat16:
    return builder.getBF16Type();
  case DType::Float32:
    return builder.getF32Type();
  case DType::Float64:
    return builder.getF64Type();
  default:
    return builder.getIntegerType(bitWidth(type));
  }
}

mlir::Type Emitter::irType(const Type &type) {
  mlir::Type element = elementType(type.dtype, type.isPointer);
  return type.isBlock() ? RankedTensorType::get(type.shape, element) : element;
}

mlir::Value Emitter::ir(const Value &value) {
  return mlir::Value::getFromOpaquePointer(value.get<sema::Runtime>().handle);
}

Value Emitter::make(mlir::Value value, const Type &type) {
  return sema::Runtime{type, value.getAsOpaquePointer()};
}

Value Emitter::constant(const Value &number, const Type &type) {
  mlir::Type element = elementType(type.dtype, type.isPointer);
  TypedAttr attribute;
  if (auto floatType = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &format = floatType.getFloatSemantics();
    bool isFloat8 = tile::isFloat8(floatType), loses = false;
    APFloat value(isFloat8 ? APFloat::IEEEdouble() : format);
    if (std::optional<sema::Int> whole = number.asInt()) {
      unsigned width = whole->bitLength() + 1;
      value.convertFromAPInt(whole->truncated(width), /*IsSigned=*/true,
                             APFloat::rmNearestTiesToEven);
    } else {
      value = APFloat(number.get<double>());
      if (!isFloat8)
        value.convert(format, APFloat::rmNearestTiesToEven, &loses);
    }
    if (isFloat8)
      value = tile::roundToFloat8(value, format);
    attribute = FloatAttr::get(floatType, value);
  } else {
    sema::Int whole = number.asInt().value_or(sema::Int(0));
    attribute = IntegerAttr::get(
        element, whole.truncated(element.getIntOrFloatBitWidth()));
  }
  if (type.isBlock())
    attribute = DenseElementsAttr::get(
        RankedTensorType::get(type.shape, element), Attribute(attribute));
  return make(arith::ConstantOp::create(builder, loc(), attribute), type);
}

Value Emitter::zero(const Type &type) {
  if (!type.isPointer)
    return constant(Value::integer(0), type);
  Value address = constant(Value::integer(0), Type(DType::Int64, type.shape));
  return make(
      tile::IntToPtrOp::create(builder, loc(), irType(type), ir(address)),
      type);
}

std::optional<Type> Emitter::typeOf(const Value &value) {
  if (value.isRuntime())
    return value.type();
  if (value.isNumber())
    if (std::optional<DType> type = sema::numberType(value))
      return Type(*type);
  return std::nullopt;
}

bool Emitter::isRepresentable(const Value &number, DType type) {
  if (number.is<bool>())
    return true;
  if (sema::isFloat(type))
    return true;
  if (auto *whole = number.getIf<sema::Int>())
    return type == DType::Int1
               ? whole->fits(1, /*isSigned=*/false)
               : whole->fits(bitWidth(type), sema::isSigned(type));
  return false;
}

Value Emitter::toRuntime(const Value &value) {
  if (value.isRuntime())
    return value;
  if (!value.isNumber())
    return fail(DiagId::OperandType,
                value.describe() + " is used where a number is needed");
  std::optional<DType> type = sema::numberType(value);
  if (!type)
    return fail(DiagId::TooLarge,
                "the int `" + value.str() + "` does not fit in 64 bits");
  return constant(value, Type(*type));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

std::optional<Emitter::Shape> Emitter::commonShape(const Type &a, const Type &b,
                                                   const char *what) {
  if (a.shape == b.shape)
    return a.shape;
  size_t rank = std::max(a.shape.size(), b.shape.size());
  Shape shape(rank);
  for (size_t i = 0; i < rank; ++i) {
    auto extent = [&](const Type &type) -> int64_t {
      size_t missing = rank - type.shape.size();
      return i < missing ? 1 : type.shape[i - missing];
    };
    int64_t x = extent(a), y = extent(b);
    if (x != y && x != 1 && y != 1) {
      fail(DiagId::ShapeMismatch,
           std::string(what) + ": `" + a.str() + "` and `" + b.str() +
               "` do not broadcast: axis " + std::to_string(i) + " is " +
               std::to_string(x) + " and " + std::to_string(y));
      return std::nullopt;
    }
    shape[i] = std::max(x, y);
  }
  if (Type(DType::Int32, shape).numElements() > maxTileElements) {
    fail(DiagId::TooLarge, std::string(what) + ": `" + a.str() + "` and `" +
                               b.str() + "` broadcast to more than " +
                               std::to_string(maxTileElements) + " elements");
    return std::nullopt;
  }
  return shape;
}

Value Emitter::broadcast(const Value &value, ArrayRef<int64_t> shape) {
  const Type &type = value.type();
  if (ArrayRef<int64_t>(type.shape) == shape)
    return value;
  Type wanted = type.withShape(shape);
  auto mismatch = [&] {
    return fail(DiagId::ShapeMismatch, "a value of type `" + type.str() +
                                           "` does not broadcast to " +
                                           sema::shapeStr(shape));
  };
  if (!type.isBlock()) {
    Attribute known;
    if (matchPattern(ir(value), m_Constant(&known)))
      return make(arith::ConstantOp::create(
                      builder, loc(),
                      DenseElementsAttr::get(
                          llvm::cast<RankedTensorType>(irType(wanted)), known)),
                  wanted);
    return make(
        tile::SplatOp::create(builder, loc(), irType(wanted), ir(value)),
        wanted);
  }
  if (type.shape.size() > shape.size())
    return mismatch();
  Value result = value;
  while (result.type().shape.size() < shape.size())
    result = expandDims(result, 0);
  for (size_t i = 0; i < shape.size(); ++i)
    if (result.type().shape[i] != shape[i] && result.type().shape[i] != 1)
      return mismatch();
  if (ArrayRef<int64_t>(result.type().shape) == shape)
    return result;
  return make(
      tile::BroadcastOp::create(builder, loc(), irType(wanted), ir(result)),
      wanted);
}

Value Emitter::expandDims(const Value &value, int64_t axis) {
  Type type = value.type();
  if (!type.isBlock())
    return broadcast(value, {1});
  type.shape.insert(type.shape.begin() + axis, 1);
  return make(tile::ExpandDimsOp::create(builder, loc(), irType(type),
                                         ir(value), uint32_t(axis)),
              type);
}

Value Emitter::reshape(const Value &value, ArrayRef<int64_t> shape,
                       bool canReorder) {
  Type type = value.type().withShape(shape);
  if (type == value.type())
    return value;
  if (!value.type().isBlock())
    return broadcast(value, shape);
  return make(tile::ReshapeOp::create(builder, loc(), irType(type), ir(value),
                                      canReorder),
              type);
}

Value Emitter::permute(const Value &value, ArrayRef<int32_t> order) {
  Type type = value.type();
  for (auto [extent, axis] : llvm::zip(type.shape, order))
    extent = value.type().shape[axis];
  return make(
      tile::PermuteOp::create(builder, loc(), irType(type), ir(value), order),
      type);
}

} // namespace tesela::emit
