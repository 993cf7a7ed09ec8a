//===- Congruences.cpp - what a value is modulo a power of two ------------===//
//
// Arithmetic modulo 2^n fixes the low bits of a result where it fixes those of
// the operands: sums and bitwise ops as many as both know, products more, as
// each factor's zeros shift what is known of the other.
//
//===----------------------------------------------------------------------===//

#include "analysis/Congruences.h"

#include "analysis/IntegerWidth.h"
#include "analysis/LoopRecurrence.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>

using namespace mlir;

namespace tesela::analysis {
namespace {

Congruence make(unsigned bits, uint64_t value) {
  if (bits >= 64)
    return {64, value};
  return {bits, value & ((uint64_t(1) << bits) - 1)};
}

/// Zeros at the end, as far as known.
unsigned zeros(Congruence a) {
  return std::min<unsigned>(a.bits, std::countr_zero(a.residue));
}

Congruence sum(Congruence a, Congruence b) {
  return make(std::min(a.bits, b.bits), a.residue + b.residue);
}

Congruence difference(Congruence a, Congruence b) {
  return make(std::min(a.bits, b.bits), a.residue - b.residue);
}

/// (r + 2^m i) (s + 2^n j) == r s  modulo 2^m s, 2^n r and 2^(m+n).
Congruence product(Congruence a, Congruence b) {
  unsigned bits =
      std::min({a.bits + zeros(b), b.bits + zeros(a), a.bits + b.bits, 64u});
  return make(bits, a.residue * b.residue);
}

/// What holds of both.
Congruence join(Congruence a, Congruence b) {
  unsigned bits = std::min(a.bits, b.bits);
  return make(std::min<unsigned>(bits, std::countr_zero(a.residue ^ b.residue)),
              a.residue);
}

/// A value of `width` bits: all that is known of more is known of those.
Congruence narrowed(Congruence a, unsigned width) {
  return make(std::min(a.bits, width), a.residue);
}

/// The value is one number, of which the extension is known as well.
Congruence extended(Congruence a, unsigned width, bool isSigned) {
  if (a.bits < width)
    return a;
  bool isNegative = isSigned && width < 64 && a.residue >> (width - 1) & 1;
  uint64_t high = isNegative ? ~uint64_t(0) << width : 0;
  return make(64, make(width, a.residue).residue | high);
}

std::optional<unsigned> constantAmount(Value value, unsigned width) {
  APInt amount;
  if (!matchPattern(value, m_ConstantInt(&amount)) || amount.uge(width))
    return std::nullopt;
  return amount.getZExtValue();
}

/// Bytes of what a pointer points at.
uint64_t elementBytes(Type type) {
  auto pointer = cast<tile::PtrType>(tile::elementType(type));
  return std::max(1u, pointer.getPointee().getIntOrFloatBitWidth() / 8);
}

unsigned valueWidth(Value value) {
  bool isPointer = isa<tile::PtrType>(tile::elementType(value.getType()));
  return isPointer ? 64 : integerWidth(value.getType());
}

} // namespace

int64_t Congruence::divisor() const {
  return int64_t(1) << std::min(zeros(*this), 62u);
}

Congruence Congruences::get(Value value) {
  unsigned width = valueWidth(value);
  if (!width || depth > 1000)
    return {};
  auto known = memo.find(value);
  if (known != memo.end())
    return known->second;
  ++depth;
  Congruence result = narrowed(compute(value), width);
  --depth;
  memo[value] = result;
  return result;
}

/// Every iteration adds a multiple of what the steps have in common.
Congruence Congruences::carried(Value value) {
  std::optional<Recurrence> recurrence;
  if (auto argument = dyn_cast<BlockArgument>(value))
    recurrence = matchRecurrence(argument);
  else
    recurrence = matchRecurrence(cast<OpResult>(value));
  if (!recurrence)
    return {};
  Congruence result = get(recurrence->init);
  for (Recurrence::Step &step : recurrence->steps) {
    Congruence amount = get(step.amount);
    if (isa<tile::AddPtrOp>(step.op))
      amount = product(amount, make(64, elementBytes(value.getType())));
    result = sum(result, make(zeros(amount), 0));
  }
  return result;
}

Congruence Congruences::compute(Value value) {
  unsigned width = valueWidth(value);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return make(width, constant.getZExtValue());

  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto function = dyn_cast<func::FuncOp>(parent)) {
      if (!argument.getOwner()->isEntryBlock())
        return {};
      auto divisor = function.getArgAttrOfType<IntegerAttr>(
          argument.getArgNumber(), tile::divisibilityAttr);
      if (!divisor || divisor.getInt() <= 0)
        return {};
      return make(std::countr_zero(uint64_t(divisor.getInt())), 0);
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || loop.getUnsignedCmp())
      return {};
    if (argument.getArgNumber() == 0)
      return sum(get(loop.getLowerBound()),
                 make(zeros(get(loop.getStep())), 0));
    return carried(value);
  }

  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  return llvm::TypeSwitch<Operation *, Congruence>(op)
      .Case([&](arith::AddIOp) { return sum(operand(0), operand(1)); })
      .Case([&](arith::SubIOp) { return difference(operand(0), operand(1)); })
      .Case([&](arith::MulIOp) { return product(operand(0), operand(1)); })
      .Case([&](tile::ShLIOp) {
        auto amount = constantAmount(op->getOperand(1), width);
        if (!amount)
          return make(zeros(operand(0)), 0);
        return product(operand(0), make(64, uint64_t(1) << *amount));
      })
      .Case<tile::DivSIOp, tile::DivUIOp>([&](Operation *) {
        // Exact where the divisor is a power of two that divides.
        Congruence by = operand(1), of = operand(0);
        unsigned amount = std::countr_zero(by.residue);
        bool isPower = by.bits >= width && by.residue &&
                       by.residue == uint64_t(1) << amount &&
                       amount < width - 1;
        if (!isPower || zeros(of) < amount)
          return Congruence();
        return make(of.bits - amount, of.residue >> amount);
      })
      .Case<tile::RemSIOp, tile::RemUIOp>([&](Operation *) {
        // a - q b, and 0 where b is 0: as divisible as both.
        return make(std::min(zeros(operand(0)), zeros(operand(1))), 0);
      })
      .Case<tile::ShRSIOp, tile::ShRUIOp>([&](Operation *) {
        auto amount = constantAmount(op->getOperand(1), width);
        Congruence of = operand(0);
        if (!amount || of.bits <= *amount || of.bits >= width)
          return Congruence();
        return make(of.bits - *amount, of.residue >> *amount);
      })
      .Case([&](arith::AndIOp) {
        Congruence a = operand(0), b = operand(1);
        // Known zeros stay zeros whatever they meet.
        Congruence both = make(std::min(a.bits, b.bits), a.residue & b.residue);
        unsigned low = std::max(zeros(a), zeros(b));
        return low > both.bits ? make(low, 0) : both;
      })
      .Case([&](arith::OrIOp) {
        Congruence a = operand(0), b = operand(1);
        return make(std::min(a.bits, b.bits), a.residue | b.residue);
      })
      .Case([&](arith::XOrIOp) {
        Congruence a = operand(0), b = operand(1);
        return make(std::min(a.bits, b.bits), a.residue ^ b.residue);
      })
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
            tile::JoinOp, tile::CatOp>(
          [&](Operation *) { return join(operand(0), operand(1)); })
      .Case([&](arith::SelectOp) { return join(operand(1), operand(2)); })
      .Case([&](arith::ExtSIOp) {
        return extended(operand(0), valueWidth(op->getOperand(0)), true);
      })
      .Case([&](arith::ExtUIOp) {
        return extended(operand(0), valueWidth(op->getOperand(0)), false);
      })
      .Case<arith::TruncIOp, tile::SplatOp, tile::ExpandDimsOp,
            tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp, tile::SplitOp,
            tile::PtrToIntOp, tile::IntToPtrOp, tile::PtrCastOp>(
          [&](Operation *) { return operand(0); })
      .Case([&](arith::IndexCastOp) {
        return extended(operand(0), valueWidth(op->getOperand(0)), true);
      })
      .Case([&](tile::IotaOp iota) {
        bool isOne = iota.getType().getDimSize(0) == 1;
        return isOne ? make(width, iota.getStart()) : Congruence();
      })
      .Case([&](tile::AddPtrOp move) {
        unsigned offsetWidth = valueWidth(move.getOffset());
        Congruence offset = extended(operand(1), offsetWidth, true);
        uint64_t bytes = elementBytes(move.getType());
        return sum(operand(0), product(offset, make(64, bytes)));
      })
      .Case([&](scf::IfOp branch) {
        unsigned index = cast<OpResult>(value).getResultNumber();
        return join(get(branch.thenYield().getOperand(index)),
                    get(branch.elseYield().getOperand(index)));
      })
      .Case([&](scf::ForOp) { return carried(value); })
      .Default([](Operation *) { return Congruence(); });
}

} // namespace tesela::analysis
