//===- IntervalTransfer.h - what each op does to intervals of integers ----===//
//
// One table for two readers: ranges that are known while compiling compute with
// numbers, launch preconditions compute with SSA values. A domain says what a
// number is; it has
//
//   Number, Bool                      the types computed with
//   constant(int64_t), known(Number)  a number from and, if it is one, to i64
//   add, sub, min, max                exact
//   mul(a, b, width)                  exact; `width` of the op it stands for
//   div(a, b)                         truncated, b >= 1
//   le(a, b), both(p, q), select(p, a, b)
//   wrap(interval, width)             the interval of the value modulo 2^width,
//                                     read as signed; notes whether it fits
//   mayWrap()                         notes that it might not fit
//
// Intervals are closed and signed; an i1 is -1 or 0.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_ANALYSIS_INTERVALTRANSFER_H
#define TESELA_ANALYSIS_INTERVALTRANSFER_H

#include "analysis/IntegerWidth.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

namespace tesela::analysis {

/// lo <= value <= hi.
template <typename Domain>
struct Interval {
  typename Domain::Number lo, hi;
};

template <typename Domain>
class IntervalTransfer {
public:
  using Number = typename Domain::Number;
  using Range = Interval<Domain>;

  explicit IntervalTransfer(Domain &domain) : d(domain) {}

  /// The interval of the one result of `op`, given those of its operands;
  /// nothing where the table has no row for it. Operands that are no integers
  /// have any interval.
  std::optional<Range> operator()(mlir::Operation *op,
                                  llvm::ArrayRef<Range> in);

  Range constant(int64_t value) {
    return {d.constant(value), d.constant(value)};
  }
  Range full(unsigned width) {
    return {d.constant(llvm::minIntN(width)), d.constant(llvm::maxIntN(width))};
  }
  Range join(Range a, Range b) {
    return {d.min(a.lo, b.lo), d.max(a.hi, b.hi)};
  }
  Range add(Range a, Range b) { return {d.add(a.lo, b.lo), d.add(a.hi, b.hi)}; }
  Range sub(Range a, Range b) { return {d.sub(a.lo, b.hi), d.sub(a.hi, b.lo)}; }
  Range mul(Range a, Range b, unsigned width) {
    Number p = d.mul(a.lo, b.lo, width), q = d.mul(a.lo, b.hi, width);
    Number r = d.mul(a.hi, b.lo, width), s = d.mul(a.hi, b.hi, width);
    return {d.min(d.min(p, q), d.min(r, s)), d.max(d.max(p, q), d.max(r, s))};
  }

private:
  Number zero() { return d.constant(0); }
  Number one() { return d.constant(1); }
  Number negate(Number a) { return d.sub(zero(), a); }
  Number magnitude(Range a) { return d.max(negate(a.lo), a.hi); }
  Range select(typename Domain::Bool p, Range a, Range b) {
    return {d.select(p, a.lo, b.lo), d.select(p, a.hi, b.hi)};
  }
  typename Domain::Bool natural(Range a) { return d.le(zero(), a.lo); }
  typename Domain::Bool natural(Range a, Range b) {
    return d.both(natural(a), natural(b));
  }

  Range divide(Range a, Range b);
  Range remainder(Range a, Range b);
  Range bitAnd(Range a, Range b, unsigned width);
  Range shiftRight(Range a, Range amount, unsigned width);
  Range shiftLeft(Range a, Range amount, unsigned width);

  Domain &d;
};

//===----------------------------------------------------------------------===//
// Quotients and bits
//===----------------------------------------------------------------------===//

template <typename Domain>
auto IntervalTransfer<Domain>::divide(Range a, Range b) -> Range {
  // b >= 1: monotone in a, and shrinking towards zero in b.
  Number small = d.max(b.lo, one()), large = d.max(b.hi, one());
  Range positive = {d.select(d.le(zero(), a.lo), d.div(a.lo, large),
                             negate(d.div(negate(a.lo), small))),
                    d.select(d.le(zero(), a.hi), d.div(a.hi, small),
                             negate(d.div(negate(a.hi), large)))};
  // |a / b| <= |a|, and a / 0 == 0.
  Number most = magnitude(a);
  return select(d.le(one(), b.lo), positive, {negate(most), most});
}

template <typename Domain>
auto IntervalTransfer<Domain>::remainder(Range a, Range b) -> Range {
  // |a % b| <= min(|a|, |b| - 1), with the sign of a; a % 0 == 0.
  Number most = d.sub(d.max(magnitude(b), one()), one());
  return {d.max(d.min(a.lo, zero()), negate(most)),
          d.min(d.max(a.hi, zero()), most)};
}

template <typename Domain>
auto IntervalTransfer<Domain>::bitAnd(Range a, Range b, unsigned width)
    -> Range {
  // 0 <= x & y <= y where 0 <= y.
  Range upToA = {zero(), a.hi}, upToB = {zero(), b.hi};
  Range upToBoth = {zero(), d.min(a.hi, b.hi)};
  return select(
      natural(a, b), upToBoth,
      select(natural(a), upToA, select(natural(b), upToB, full(width))));
}

template <typename Domain>
auto IntervalTransfer<Domain>::shiftRight(Range a, Range amount, unsigned width)
    -> Range {
  // Any shift moves towards 0 or, from below, towards -1.
  Range any = {d.min(a.lo, zero()), d.max(a.hi, zero())};
  auto low = d.known(amount.lo), high = d.known(amount.hi);
  if (!low || !high || *low != *high || *low < 0)
    return any;
  if (*low >= 62 || *low >= int64_t(width))
    return any;
  // floor(x / 2^k) == -((-x + 2^k - 1) / 2^k) below zero.
  Number divisor = d.constant(int64_t(1) << *low);
  auto floor = [&](Number x) {
    Number up = d.add(negate(d.min(x, zero())), d.sub(divisor, one()));
    return d.select(d.le(zero(), x), d.div(d.max(x, zero()), divisor),
                    negate(d.div(up, divisor)));
  };
  return {floor(a.lo), floor(a.hi)};
}

template <typename Domain>
auto IntervalTransfer<Domain>::shiftLeft(Range a, Range amount, unsigned width)
    -> Range {
  auto low = d.known(amount.lo), high = d.known(amount.hi);
  if (!low || !high || *low != *high || *low < 0 || *low >= 62 ||
      *low >= int64_t(width)) {
    d.mayWrap();
    return full(width);
  }
  return d.wrap(mul(a, constant(int64_t(1) << *low), width), width);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

template <typename Domain>
auto IntervalTransfer<Domain>::operator()(mlir::Operation *op,
                                          llvm::ArrayRef<Range> in)
    -> std::optional<Range> {
  using namespace mlir;
  using Result = std::optional<Range>;
  if (op->getNumResults() != 1)
    return std::nullopt;
  unsigned width = integerWidth(op->getResult(0).getType());
  if (!width)
    return std::nullopt;

  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return d.wrap(add(in[0], in[1]), width); })
      .Case([&](arith::SubIOp) { return d.wrap(sub(in[0], in[1]), width); })
      .Case([&](arith::MulIOp) {
        return d.wrap(mul(in[0], in[1], width), width);
      })
      .Case([&](tile::DivSIOp) { return d.wrap(divide(in[0], in[1]), width); })
      .Case([&](tile::RemSIOp) { return remainder(in[0], in[1]); })
      .Case([&](tile::DivUIOp) {
        return select(natural(in[0], in[1]), divide(in[0], in[1]), full(width));
      })
      .Case([&](tile::RemUIOp) {
        return select(natural(in[0], in[1]), remainder(in[0], in[1]),
                      full(width));
      })
      .Case([&](tile::ShLIOp) { return shiftLeft(in[0], in[1], width); })
      .Case([&](tile::ShRSIOp) { return shiftRight(in[0], in[1], width); })
      .Case([&](tile::ShRUIOp) {
        return select(natural(in[0]), shiftRight(in[0], in[1], width),
                      full(width));
      })
      .Case([&](arith::AndIOp) { return bitAnd(in[0], in[1], width); })
      .Case([&](arith::OrIOp) {
        // max(x, y) <= x | y <= x + y of natural numbers.
        Range sum = {
            d.max(in[0].lo, in[1].lo),
            d.min(d.add(in[0].hi, in[1].hi), d.constant(llvm::maxIntN(width)))};
        return select(natural(in[0], in[1]), sum, full(width));
      })
      .Case([&](arith::XOrIOp) {
        // 0 <= x ^ y <= x + y of natural numbers.
        Range sum = {zero(), d.min(d.add(in[0].hi, in[1].hi),
                                   d.constant(llvm::maxIntN(width)))};
        return select(natural(in[0], in[1]), sum, full(width));
      })
      .Case([&](arith::MinSIOp) {
        return Range{d.min(in[0].lo, in[1].lo), d.min(in[0].hi, in[1].hi)};
      })
      .Case([&](arith::MaxSIOp) {
        return Range{d.max(in[0].lo, in[1].lo), d.max(in[0].hi, in[1].hi)};
      })
      .Case([&](arith::MinUIOp) {
        Range least = {d.min(in[0].lo, in[1].lo), d.min(in[0].hi, in[1].hi)};
        return select(natural(in[0], in[1]), least, full(width));
      })
      .Case([&](arith::MaxUIOp) {
        Range most = {d.max(in[0].lo, in[1].lo), d.max(in[0].hi, in[1].hi)};
        return select(natural(in[0], in[1]), most, full(width));
      })
      .Case([&](math::AbsIOp) {
        Range negated = {negate(in[0].hi), negate(in[0].lo)};
        Range both = {zero(), magnitude(in[0])};
        Range below = select(d.le(in[0].hi, zero()), negated, both);
        return d.wrap(select(natural(in[0]), in[0], below), width);
      })
      .Case([&](arith::SelectOp) { return join(in[1], in[2]); })
      .Case([&](arith::ExtSIOp) { return in[0]; })
      .Case([&](arith::ExtUIOp) {
        unsigned source = integerWidth(op->getOperand(0).getType());
        // A negative number comes out as itself plus 2^source.
        Range unsignedRange = {zero(), d.constant(llvm::maxUIntN(source))};
        return select(natural(in[0]), in[0], unsignedRange);
      })
      .Case([&](arith::TruncIOp) { return d.wrap(in[0], width); })
      .template Case<arith::IndexCastOp, arith::BitcastOp>(
          [&](Operation *cast) {
            unsigned source = integerWidth(cast->getOperand(0).getType());
            return source ? Result(d.wrap(in[0], width)) : std::nullopt;
          })
      .Default([&](Operation *) { return Result(); });
}

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_INTERVALTRANSFER_H
