//===- PolynomialEmitter.cpp - polynomials as ops -------------------------===//

#include "passes/PolynomialEmitter.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tesela::analysis;

namespace tesela {

/// A tile of one axis of i64; a scalar for size 0.
static Type sumType(OpBuilder &builder, int64_t size) {
  Type i64 = builder.getI64Type();
  return size ? Type(RankedTensorType::get({size}, i64)) : i64;
}

Value PolynomialEmitter::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

Value PolynomialEmitter::scalar(const Polynomial &polynomial) {
  return sum(polynomial, 0);
}

Value PolynomialEmitter::alongAxis(const Polynomial &polynomial, int64_t size) {
  // Scalars are added up before they are spread.
  Polynomial fixed, varying;
  for (auto &[monomial, coefficient] : polynomial.getTerms()) {
    Polynomial term = Polynomial::term(monomial, coefficient);
    bool isAxial = llvm::any_of(
        monomial, [&](AtomTable::Id id) { return atoms[id].isAxial(); });
    (isAxial ? varying : fixed) = (isAxial ? varying : fixed) + term;
  }
  Value result = sum(varying, size);
  if (fixed.isZero() && !varying.isZero())
    return result;
  Value spread = builder.createOrFold<tile::SplatOp>(
      loc, sumType(builder, size), sum(fixed, 0));
  return varying.isZero() ? spread : fold<arith::AddIOp>(result, spread);
}

Value PolynomialEmitter::sum(const Polynomial &polynomial, int64_t size) {
  Value total;
  for (auto &[monomial, coefficient] : polynomial.getTerms()) {
    // The scalar factors first: they are spread once.
    Value scalarFactors, axial;
    for (AtomTable::Id id : monomial) {
      Value next = factor(atoms[id], size);
      Value &product = atoms[id].isAxial() ? axial : scalarFactors;
      product = product ? fold<arith::MulIOp>(product, next) : next;
    }
    if (coefficient != 1 || (!scalarFactors && !axial))
      scalarFactors = scalarFactors ? fold<arith::MulIOp>(scalarFactors,
                                                          constant(coefficient))
                                    : constant(coefficient);
    Value term = scalarFactors;
    if (axial && scalarFactors)
      term =
          fold<arith::MulIOp>(axial, builder.createOrFold<tile::SplatOp>(
                                         loc, axial.getType(), scalarFactors));
    else if (axial)
      term = axial;
    total = total ? fold<arith::AddIOp>(total, term) : term;
  }
  return total ? total : constant(0);
}

Value PolynomialEmitter::extended(Value value) {
  Type type = value.getType();
  Type wide = tile::withElementType(type, builder.getI64Type());
  Type element = tile::elementType(type);
  if (element.isIndex())
    return builder.createOrFold<arith::IndexCastOp>(loc, wide, value);
  if (element.getIntOrFloatBitWidth() < 64)
    return builder.createOrFold<arith::ExtSIOp>(loc, wide, value);
  return value;
}

Value PolynomialEmitter::factor(const Atom &atom, int64_t size) {
  switch (atom.kind) {
  case Atom::Kind::Scalar:
    return extended(atom.value);
  case Atom::Kind::Iteration:
    return iterations(atom.loop);
  case Atom::Kind::Trips:
    return trips(atom.loop);
  case Atom::Kind::Iota: {
    auto type = RankedTensorType::get({size}, builder.getI32Type());
    return extended(
        tile::IotaOp::create(builder, loc, type, /*start=*/uint32_t(0)));
  }
  case Atom::Kind::Index:
    return extended(along(atom.value, atom.valueAxis, size));
  }
  llvm_unreachable("a kind of atom");
}

/// Where there is an iteration its step is positive, so that every quotient
/// here is of natural numbers.
Value PolynomialEmitter::iterations(scf::ForOp loop) {
  Value covered = fold<arith::SubIOp>(extended(loop.getInductionVar()),
                                      extended(loop.getLowerBound()));
  return fold<tile::DivSIOp>(covered, extended(loop.getStep()));
}

Value PolynomialEmitter::trips(scf::ForOp loop) {
  Value step = fold<arith::MaxSIOp>(extended(loop.getStep()), constant(1));
  Value span = fold<arith::SubIOp>(extended(loop.getUpperBound()),
                                   extended(loop.getLowerBound()));
  span = fold<arith::MaxSIOp>(span, constant(0));
  Value up = fold<arith::SubIOp>(step, constant(1));
  return fold<tile::DivSIOp>(fold<arith::AddIOp>(span, up), step);
}

/// The elements along `axis`, the only one on which `value` depends: the ops
/// that computed it, on fewer elements.
Value PolynomialEmitter::along(Value value, int axis, int64_t size) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return value;
  auto lineType = RankedTensorType::get({size}, type.getElementType());
  if (type == lineType)
    return value;
  bool isUniform = axes.get(value) == 0;
  if (auto expand = value.getDefiningOp<tile::ExpandDimsOp>();
      expand && !isUniform) {
    int inserted = expand.getAxis();
    return along(expand.getSource(), axis < inserted ? axis : axis - 1, size);
  }
  if (type.getNumElements() == size)
    return builder.createOrFold<tile::ReshapeOp>(loc, lineType, value,
                                                 /*canReorder=*/false);
  if (type.getNumElements() == 1) {
    // A single element, whatever made it, everywhere.
    auto oneType = RankedTensorType::get({1}, type.getElementType());
    Value one = builder.createOrFold<tile::ReshapeOp>(loc, oneType, value,
                                                      /*canReorder=*/false);
    return builder.createOrFold<tile::BroadcastOp>(loc, lineType, one);
  }
  Operation *op = value.getDefiningOp();
  DenseElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)) && splat.isSplat())
    return arith::ConstantOp::create(builder, loc, splat.resizeSplat(lineType));
  if (auto same = dyn_cast<tile::SplatOp>(op))
    return tile::SplatOp::create(builder, loc, lineType, same.getValue());
  if (isElementwise(op)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(along(operand, axis, size));
    OperationState state(loc, op->getName(), operands, lineType,
                         op->getAttrs());
    return builder.create(state)->getResult(0);
  }
  // Where all elements are equal, it does not matter which axis is followed.
  if (isUniform)
    return along(op->getOperand(0), axis, size);
  if (auto permute = dyn_cast<tile::PermuteOp>(op))
    return along(permute.getSource(), permute.getOrder()[axis], size);
  // The axis is not repeated, since elements along it differ.
  return along(cast<tile::BroadcastOp>(op).getSource(), axis, size);
}

} // namespace tesela
