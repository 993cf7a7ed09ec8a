//===- Instructions.cpp - ops as those of the LLVM dialect ----------------===//
//
//   arith.addf %a, %b fastmath<contract>
//                       ==>  llvm.fadd %a, %b {fastmathFlags = contract}
//   vector.extract %v[2]  ==>  llvm.extractelement %v[2]
//
// Most ops have one counterpart each, which takes the same operands: a table
// says which. Vectors have one dimension here, as everywhere in the targets.
//
//===----------------------------------------------------------------------===//

#include "target/Instructions.h"

#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela {

Type instructionType(Type type, bool bf16IsBits) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    Type element = vector.getElementType();
    Type instruction = instructionType(element, bf16IsBits);
    return instruction == element ? type : vector.clone(instruction);
  }
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  if (auto element = dyn_cast<FloatType>(type);
      element && (element.getWidth() == 8 || (bf16IsBits && element.isBF16())))
    return IntegerType::get(type.getContext(), element.getWidth());
  return type;
}

/// The replacement of an op's result; null where there is none.
using Rule = Value (*)(OpBuilder &b, Operation *op);

/// An instruction with the same operands, type and flags.
template <typename From, typename To>
static Value rename(OpBuilder &b, Operation *op) {
  auto from = cast<From>(op);
  auto to =
      To::create(b, op->getLoc(), op->getResultTypes(), op->getOperands());
  if constexpr (
      requires { to.setFastmathFlags(LLVM::FastmathFlags::none); } &&
      requires { from.getFastmath(); })
    if (from.getFastmath() != arith::FastMathFlags::none)
      to.setFastmathFlags(
          arith::convertArithFastMathFlagsToLLVM(from.getFastmath()));
  if constexpr (
      requires { to.setOverflowFlags(LLVM::IntegerOverflowFlags::none); } &&
      requires { from.getOverflowFlags(); })
    to.setOverflowFlags(
        arith::convertArithOverflowFlagsToLLVM(from.getOverflowFlags()));
  return to->getResult(0);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The same bits as an attribute of integers.
static Attribute bitsOf(Attribute value, IntegerType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return dense.bitcast(type);
  if (auto number = dyn_cast<FloatAttr>(value))
    return IntegerAttr::get(type, number.getValue().bitcastToAPInt());
  return value;
}

static Value constant(OpBuilder &b, Operation *op) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  Type type = op->getResult(0).getType();
  Type element = getElementTypeOrSelf(type);
  Type written = getElementTypeOrSelf(cast<TypedAttr>(value).getType());
  if (isa<IntegerType>(element) && isa<FloatType>(written))
    value = bitsOf(value, cast<IntegerType>(element));
  return LLVM::ConstantOp::create(b, op->getLoc(), type, value);
}

template <typename From, typename To>
static Value compare(OpBuilder &b, Operation *op) {
  auto from = cast<From>(op);
  // Both number their predicates alike.
  auto predicate = static_cast<decltype(std::declval<To>().getPredicate())>(
      from.getPredicate());
  auto to = To::create(b, op->getLoc(), op->getResult(0).getType(), predicate,
                       from.getLhs(), from.getRhs());
  if constexpr (std::is_same_v<From, arith::CmpFOp>)
    to.setFastmathFlags(
        arith::convertArithFastMathFlagsToLLVM(from.getFastmath()));
  return to;
}

static Value bitcast(OpBuilder &b, Operation *op) {
  Value from = op->getOperand(0);
  Type to = op->getResult(0).getType();
  if (from.getType() == to)
    return from;
  return LLVM::BitcastOp::create(b, op->getLoc(), to, from);
}

/// Between index, which has 64 bits here, and another integer.
template <typename Extension>
static Value castIndex(OpBuilder &b, Operation *op) {
  Value from = op->getOperand(0);
  Type to = op->getResult(0).getType();
  unsigned had = getElementTypeOrSelf(from).getIntOrFloatBitWidth();
  unsigned wanted = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  if (had == wanted)
    return from;
  if (wanted < had)
    return LLVM::TruncOp::create(b, op->getLoc(), to, from);
  return Extension::create(b, op->getLoc(), to, from);
}

/// Zero, or the least integer, is a value as any other.
template <typename To>
static Value count(OpBuilder &b, Operation *op) {
  return To::create(b, op->getLoc(), op->getResult(0).getType(),
                    op->getOperand(0), false);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

static Value position(OpBuilder &b, Location loc, int64_t index) {
  return LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                  b.getI64IntegerAttr(index));
}

/// The one position that an op names, as a constant or a value.
template <typename Op>
static Value positionOf(OpBuilder &b, Op op) {
  auto fixed = op.getStaticPosition();
  if (fixed.size() != 1)
    return {};
  if (!op.getDynamicPosition().empty())
    return op.getDynamicPosition().front();
  return position(b, op.getLoc(), fixed.front());
}

static Value extract(OpBuilder &b, Operation *op) {
  auto from = cast<vector::ExtractOp>(op);
  if (isa<VectorType>(from.getType()))
    return from.getStaticPosition().empty() ? from.getSource() : Value();
  Value where = positionOf(b, from);
  if (!where)
    return {};
  return LLVM::ExtractElementOp::create(b, op->getLoc(), from.getSource(),
                                        where);
}

static Value insert(OpBuilder &b, Operation *op) {
  auto from = cast<vector::InsertOp>(op);
  if (isa<VectorType>(from.getValueToStore().getType()))
    return from.getStaticPosition().empty() ? from.getValueToStore() : Value();
  Value where = positionOf(b, from);
  if (!where)
    return {};
  return LLVM::InsertElementOp::create(b, op->getLoc(), from.getDest(),
                                       from.getValueToStore(), where);
}

static bool isFlat(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1;
}

static Value fromElements(OpBuilder &b, Operation *op) {
  Type type = op->getResult(0).getType();
  if (!isFlat(type))
    return {};
  Value whole = LLVM::PoisonOp::create(b, op->getLoc(), type);
  for (auto [index, element] : llvm::enumerate(op->getOperands()))
    whole = LLVM::InsertElementOp::create(b, op->getLoc(), whole, element,
                                          position(b, op->getLoc(), index));
  return whole;
}

static Value broadcast(OpBuilder &b, Operation *op) {
  Value from = op->getOperand(0);
  auto type = cast<VectorType>(op->getResult(0).getType());
  if (from.getType() == type)
    return from;
  if (!isFlat(type) ||
      (isa<VectorType>(from.getType()) &&
       cast<VectorType>(from.getType()).getShape() != ArrayRef<int64_t>{1}))
    return {};
  Location loc = op->getLoc();
  if (!isa<VectorType>(from.getType()))
    from = LLVM::InsertElementOp::create(b, loc,
                                         LLVM::PoisonOp::create(b, loc, type),
                                         from, position(b, loc, 0));
  SmallVector<int32_t> lanes(type.getNumElements(), 0);
  return LLVM::ShuffleVectorOp::create(b, loc, from, from, lanes);
}

static Value shuffle(OpBuilder &b, Operation *op) {
  auto from = cast<vector::ShuffleOp>(op);
  Location loc = op->getLoc();
  if (!isFlat(from.getV1VectorType()) || !isFlat(from.getV2VectorType()))
    return {};
  SmallVector<int32_t> lanes(from.getMask().begin(), from.getMask().end());
  Value left = from.getV1(), right = from.getV2();
  int32_t first = from.getV1VectorType().getNumElements();
  int32_t second = from.getV2VectorType().getNumElements();
  // LLVM takes two vectors of one length: the shorter one is extended.
  auto extend = [&](Value value, int32_t had, int32_t wanted) -> Value {
    SmallVector<int32_t> kept(wanted, -1);
    for (int32_t lane = 0; lane < had; ++lane)
      kept[lane] = lane;
    return LLVM::ShuffleVectorOp::create(b, loc, value, value, kept);
  };
  if (first < second) {
    left = extend(left, first, second);
    for (int32_t &lane : lanes)
      lane += lane >= first ? second - first : 0;
  } else if (second < first) {
    right = extend(right, second, first);
  }
  return LLVM::ShuffleVectorOp::create(b, loc, left, right, lanes);
}

static Value extractSlice(OpBuilder &b, Operation *op) {
  auto from = cast<vector::ExtractStridedSliceOp>(op);
  if (!isFlat(from.getSourceVectorType()))
    return {};
  auto first = cast<IntegerAttr>(from.getOffsets()[0]).getInt();
  SmallVector<int32_t> lanes;
  for (int64_t lane = 0; lane < from.getType().getNumElements(); ++lane)
    lanes.push_back(int32_t(first + lane));
  return LLVM::ShuffleVectorOp::create(b, op->getLoc(), from.getSource(),
                                       from.getSource(), lanes);
}

static Value shapeCast(OpBuilder &, Operation *op) {
  Value from = op->getOperand(0);
  return from.getType() == op->getResult(0).getType() ? from : Value();
}

/// Of integers, without a start value.
static Value reduction(OpBuilder &b, Operation *op) {
  auto from = cast<vector::ReductionOp>(op);
  Type type = from.getType();
  if (from.getAcc() || !isa<IntegerType>(type))
    return {};
  Location loc = op->getLoc();
  Value lanes = from.getVector();
  switch (from.getKind()) {
  case vector::CombiningKind::ADD:
    return LLVM::vector_reduce_add::create(b, loc, type, lanes);
  case vector::CombiningKind::MUL:
    return LLVM::vector_reduce_mul::create(b, loc, type, lanes);
  case vector::CombiningKind::AND:
    return LLVM::vector_reduce_and::create(b, loc, type, lanes);
  case vector::CombiningKind::OR:
    return LLVM::vector_reduce_or::create(b, loc, type, lanes);
  case vector::CombiningKind::XOR:
    return LLVM::vector_reduce_xor::create(b, loc, type, lanes);
  case vector::CombiningKind::MAXSI:
    return LLVM::vector_reduce_smax::create(b, loc, type, lanes);
  case vector::CombiningKind::MAXUI:
    return LLVM::vector_reduce_umax::create(b, loc, type, lanes);
  case vector::CombiningKind::MINSI:
    return LLVM::vector_reduce_smin::create(b, loc, type, lanes);
  case vector::CombiningKind::MINUI:
    return LLVM::vector_reduce_umin::create(b, loc, type, lanes);
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static const DenseMap<TypeID, Rule> &rules() {
#define RENAMED(FROM, TO)                                                      \
  {                                                                            \
    TypeID::get<FROM>(), rename<FROM, LLVM::TO>                                \
  }
  static const DenseMap<TypeID, Rule> &table = *new DenseMap<TypeID, Rule>{
      RENAMED(arith::AddFOp, FAddOp),
      RENAMED(arith::AddIOp, AddOp),
      RENAMED(arith::AndIOp, AndOp),
      RENAMED(arith::DivFOp, FDivOp),
      RENAMED(arith::DivSIOp, SDivOp),
      RENAMED(arith::DivUIOp, UDivOp),
      RENAMED(arith::ExtFOp, FPExtOp),
      RENAMED(arith::ExtSIOp, SExtOp),
      RENAMED(arith::ExtUIOp, ZExtOp),
      RENAMED(arith::FPToSIOp, FPToSIOp),
      RENAMED(arith::FPToUIOp, FPToUIOp),
      RENAMED(arith::MaximumFOp, MaximumOp),
      RENAMED(arith::MaxNumFOp, MaxNumOp),
      RENAMED(arith::MaxSIOp, SMaxOp),
      RENAMED(arith::MaxUIOp, UMaxOp),
      RENAMED(arith::MinimumFOp, MinimumOp),
      RENAMED(arith::MinNumFOp, MinNumOp),
      RENAMED(arith::MinSIOp, SMinOp),
      RENAMED(arith::MinUIOp, UMinOp),
      RENAMED(arith::MulFOp, FMulOp),
      RENAMED(arith::MulIOp, MulOp),
      RENAMED(arith::NegFOp, FNegOp),
      RENAMED(arith::OrIOp, OrOp),
      RENAMED(arith::RemFOp, FRemOp),
      RENAMED(arith::RemSIOp, SRemOp),
      RENAMED(arith::RemUIOp, URemOp),
      RENAMED(arith::SelectOp, SelectOp),
      RENAMED(arith::ShLIOp, ShlOp),
      RENAMED(arith::ShRSIOp, AShrOp),
      RENAMED(arith::ShRUIOp, LShrOp),
      RENAMED(arith::SIToFPOp, SIToFPOp),
      RENAMED(arith::SubFOp, FSubOp),
      RENAMED(arith::SubIOp, SubOp),
      RENAMED(arith::TruncFOp, FPTruncOp),
      RENAMED(arith::TruncIOp, TruncOp),
      RENAMED(arith::UIToFPOp, UIToFPOp),
      RENAMED(arith::XOrIOp, XOrOp),
      RENAMED(math::AbsFOp, FAbsOp),
      RENAMED(math::CeilOp, FCeilOp),
      RENAMED(math::CopySignOp, CopySignOp),
      RENAMED(math::CtPopOp, CtPopOp),
      RENAMED(math::Exp2Op, Exp2Op),
      RENAMED(math::FloorOp, FFloorOp),
      RENAMED(math::FmaOp, FMAOp),
      RENAMED(math::RoundEvenOp, RoundEvenOp),
      RENAMED(math::RoundOp, RoundOp),
      RENAMED(math::SqrtOp, SqrtOp),
      RENAMED(math::TruncOp, FTruncOp),
      RENAMED(ub::PoisonOp, PoisonOp),
      {TypeID::get<arith::BitcastOp>(), bitcast},
      {TypeID::get<arith::CmpFOp>(), compare<arith::CmpFOp, LLVM::FCmpOp>},
      {TypeID::get<arith::CmpIOp>(), compare<arith::CmpIOp, LLVM::ICmpOp>},
      {TypeID::get<arith::ConstantOp>(), constant},
      {TypeID::get<arith::IndexCastOp>(), castIndex<LLVM::SExtOp>},
      {TypeID::get<arith::IndexCastUIOp>(), castIndex<LLVM::ZExtOp>},
      {TypeID::get<math::AbsIOp>(), count<LLVM::AbsOp>},
      {TypeID::get<math::CountLeadingZerosOp>(),
       count<LLVM::CountLeadingZerosOp>},
      {TypeID::get<math::CountTrailingZerosOp>(),
       count<LLVM::CountTrailingZerosOp>},
      {TypeID::get<vector::BitCastOp>(), bitcast},
      {TypeID::get<vector::BroadcastOp>(), broadcast},
      {TypeID::get<vector::ExtractOp>(), extract},
      {TypeID::get<vector::ExtractStridedSliceOp>(), extractSlice},
      {TypeID::get<vector::FromElementsOp>(), fromElements},
      {TypeID::get<vector::InsertOp>(), insert},
      {TypeID::get<vector::ReductionOp>(), reduction},
      {TypeID::get<vector::ShapeCastOp>(), shapeCast},
      {TypeID::get<vector::ShuffleOp>(), shuffle},
  };
#undef RENAMED
  return table;
}

//===----------------------------------------------------------------------===//
// Ops with several results
//===----------------------------------------------------------------------===//

/// Both halves of a product, from one of twice as many bits.
template <typename Extension>
static void multiplyWide(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Type wide = b.getIntegerType(2 * bits);
  TypedAttr distance = b.getIntegerAttr(wide, bits);
  if (auto vector = dyn_cast<VectorType>(type)) {
    auto shape = vector.clone(wide);
    distance = DenseElementsAttr::get(shape, Attribute(distance));
    wide = shape;
  }
  Value product = LLVM::MulOp::create(
      b, loc, Extension::create(b, loc, wide, op->getOperand(0)),
      Extension::create(b, loc, wide, op->getOperand(1)));
  Value upper = LLVM::LShrOp::create(
      b, loc, product, LLVM::ConstantOp::create(b, loc, wide, distance));
  op->getResult(0).replaceAllUsesWith(
      LLVM::TruncOp::create(b, loc, type, product));
  op->getResult(1).replaceAllUsesWith(
      LLVM::TruncOp::create(b, loc, type, upper));
}

/// A sum, and whether it wrapped.
static void addWithCarry(OpBuilder &b, arith::AddUIExtendedOp op) {
  Location loc = op.getLoc();
  Value sum = LLVM::AddOp::create(b, loc, op.getLhs(), op.getRhs());
  op.getSum().replaceAllUsesWith(sum);
  op.getOverflow().replaceAllUsesWith(
      LLVM::ICmpOp::create(b, loc, op.getOverflow().getType(),
                           LLVM::ICmpPredicate::ult, sum, op.getLhs()));
}

static void takeApart(OpBuilder &b, vector::ToElementsOp op) {
  for (auto [index, element] : llvm::enumerate(op.getElements()))
    if (!element.use_empty())
      element.replaceAllUsesWith(LLVM::ExtractElementOp::create(
          b, op.getLoc(), op.getSource(),
          position(b, op.getLoc(), int64_t(index))));
}

bool replaceByInstruction(OpBuilder &b, Operation *op) {
  b.setInsertionPoint(op);
  auto rule = rules().find(op->getName().getTypeID());
  if (rule != rules().end()) {
    Value value = rule->second(b, op);
    if (!value)
      return false;
    op->getResult(0).replaceAllUsesWith(value);
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    auto made = LLVM::CallOp::create(b, op->getLoc(), op->getResultTypes(),
                                     call.getCallee(), op->getOperands());
    op->replaceAllUsesWith(made->getResults());
  } else if (isa<func::ReturnOp>(op)) {
    LLVM::ReturnOp::create(b, op->getLoc(), op->getOperands());
  } else if (auto vector = dyn_cast<vector::ToElementsOp>(op);
             vector && isFlat(vector.getSource().getType())) {
    takeApart(b, vector);
  } else if (isa<arith::MulUIExtendedOp>(op)) {
    multiplyWide<LLVM::ZExtOp>(b, op);
  } else if (isa<arith::MulSIExtendedOp>(op)) {
    multiplyWide<LLVM::SExtOp>(b, op);
  } else if (auto sum = dyn_cast<arith::AddUIExtendedOp>(op)) {
    addWithCarry(b, sum);
  } else {
    return false;
  }
  op->erase();
  return true;
}

} // namespace tesela
