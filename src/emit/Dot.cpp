//===- Dot.cpp - the matrix product ---------------------------------------===//

#include "emit/Interpreter.h"
#include "emit/TileShape.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using tesela::sema::BuiltinId;

namespace tesela::emit {

static std::optional<tile::InputPrecision> precision(Interpreter &in,
                                                     const Arguments &args) {
  enum { InputPrecision = 3, AllowTf32 };
  if (args.has(InputPrecision) && args.has(AllowTf32)) {
    in.fail(DiagId::CallArguments,
            "`tl.dot` is given both `input_precision` and `allow_tf32`");
    return std::nullopt;
  }
  if (args.has(AllowTf32))
    return args.flag(AllowTf32) ? tile::InputPrecision::TF32
                                : tile::InputPrecision::IEEE;
  if (!args.has(InputPrecision))
    return tile::InputPrecision::Default;
  std::string text = llvm::StringRef(args.text(InputPrecision)).lower();
  if (text != "default")
    if (auto known = tile::symbolizeInputPrecision(text))
      return known;
  Emitter::At at(in, args.spans[InputPrecision]);
  in.fail(DiagId::CallValue, "the precision `" + args.text(InputPrecision) +
                                 "` is not known; there are ieee, tf32 and "
                                 "tf32x3");
  return std::nullopt;
}

/// a[.., M, K] · b[.., K, N] -> [.., M, N]
static std::optional<Emitter::Shape>
productShape(Interpreter &in, const Type &a, const Type &b) {
  auto fail = [&](const std::string &message) {
    in.fail(DiagId::DotShape, message);
    return std::nullopt;
  };
  int64_t rank = a.rank();
  std::string both = "`" + a.str() + "` and `" + b.str() + "`";
  if (rank != b.rank() || (rank != 2 && rank != 3))
    return fail("`tl.dot` multiplies matrices, or stacks of them, and not " +
                both);
  if (rank == 3 && a.shape[0] != b.shape[0])
    return fail("`tl.dot` operands disagree: " + both + " are stacks of " +
                std::to_string(a.shape[0]) + " and " +
                std::to_string(b.shape[0]) + " matrices");
  if (a.shape[rank - 1] != b.shape[rank - 2])
    return fail("`tl.dot` operands disagree: K is " +
                std::to_string(a.shape[rank - 1]) + " in `" + a.str() +
                "` and " + std::to_string(b.shape[rank - 2]) + " in `" +
                b.str() + "`");
  Emitter::Shape shape = a.shape;
  shape[rank - 1] = b.shape[rank - 1];
  if (!checkTileShape(in, shape, "`tl.dot`"))
    return std::nullopt;
  return shape;
}

static Value emitDot(Interpreter &in, const Arguments &args) {
  enum { A, B, Acc, Precision, AllowTf32, MaxImprecise, OutDtype };
  Value a = in.toRuntime(args[A]), b = a ? in.toRuntime(args[B]) : Value();
  auto how = b ? precision(in, args) : std::nullopt;
  auto shape = how ? productShape(in, a.type(), b.type()) : std::nullopt;
  if (!shape)
    return Value();
  bool areFloat8 = !a.type().isPointer && !b.type().isPointer &&
                   sema::isFloat8(a.type().dtype) &&
                   sema::isFloat8(b.type().dtype);
  if (a.type().isPointer ||
      (a.type().scalar() != b.type().scalar() && !areFloat8))
    return in.fail(DiagId::DotType,
                   "`tl.dot` operands disagree: they are of type `" +
                       a.type().scalar().str() + "` and `" +
                       b.type().scalar().str() + "`; cast one of them");
  std::optional<DType> element =
      sema::dotType(a.type().dtype, args.dtype(OutDtype).dtype);
  if (!element)
    return in.fail(
        DiagId::DotType,
        sema::isInt(a.type().dtype)
            ? "`tl.dot` multiplies signed ints of up to 32 bits, and these are "
              "`" +
                  a.type().scalar().str() + "`"
            : "`tl.dot` has no results of type `" + args.dtype(OutDtype).str() +
                  "`; cast its result");
  Type type(*element, *shape);
  Value acc;
  if (!args.has(Acc)) {
    acc = in.zero(type);
  } else {
    Emitter::At at(in, args.spans[Acc]);
    acc = args[Acc].isNumber() ? in.constant(args[Acc], type) : args[Acc];
    bool isHalf = type.dtype == DType::Float32 &&
                  a.type().dtype == DType::Float16 &&
                  acc.type() == type.withDType(DType::Float16);
    if (isHalf)
      type = acc.type();
    if (acc.type() != type)
      return in.fail(
          acc.type().shape == type.shape ? DiagId::DotType : DiagId::DotShape,
          "the accumulator of `tl.dot` is `" + acc.type().str() +
              "`; for these operands it must be `" + type.str() + "`");
  }
  // Hardware may add products of 8-bit floats to less than float32. A kernel
  // that limits how many of them gets the accumulator added to as float32.
  bool isLimited = areFloat8 && args.has(Acc) && args.has(MaxImprecise) &&
                   args.integer(MaxImprecise) <= a.type().shape.back();
  Value start = isLimited ? in.zero(type) : acc;
  Value product =
      in.make(tile::DotOp::create(in.builder, in.loc(), in.irType(type),
                                  in.ir(a), in.ir(b), in.ir(start), *how),
              type);
  return isLimited ? in.sameType<arith::AddFOp>(product, acc) : product;
}

void bindDot(HandlerTable &table) { table[BuiltinId::Dot] = emitDot; }

} // namespace tesela::emit
