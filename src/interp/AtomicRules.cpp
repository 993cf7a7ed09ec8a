//===- AtomicRules.cpp - read, change and write in one step ---------------===//
//
// Instances run one after the other, so that every op here is one step.
// Elements of a tile go in row-major order.
//
//===----------------------------------------------------------------------===//

#include "dialect/tile/Tile.h"
#include "interp/Evaluation.h"

using namespace mlir;
using tesela::tile::AtomicKind;

namespace tesela::interp {

namespace {

/// A number that orders floats as IEEE 754's total order does, read signed.
int64_t totalOrder(uint64_t bits, unsigned width) {
  int64_t number = signExtend(bits, width);
  return number < 0 ? number ^ INT64_MAX : number;
}

uint64_t changed(AtomicKind kind, uint64_t old, uint64_t value, Type type) {
  unsigned width = elementWidth(type);
  auto choose = [&](bool takeOld) { return takeOld ? old : value; };
  switch (kind) {
  case AtomicKind::Add:
    return lowBits(old + value, width);
  case AtomicKind::FAdd: {
    FloatFormat format(type);
    if (format.isF32())
      return format.encode(float(format.decode(old)) +
                           float(format.decode(value)));
    return format.encode(format.decode(old) + format.decode(value));
  }
  case AtomicKind::And:
    return old & value;
  case AtomicKind::Or:
    return old | value;
  case AtomicKind::Xor:
    return old ^ value;
  case AtomicKind::MaxS:
    return choose(signExtend(old, width) >= signExtend(value, width));
  case AtomicKind::MinS:
    return choose(signExtend(old, width) <= signExtend(value, width));
  case AtomicKind::MaxU:
    return choose(old >= value);
  case AtomicKind::MinU:
    return choose(old <= value);
  case AtomicKind::FMax:
    return choose(totalOrder(old, width) >= totalOrder(value, width));
  case AtomicKind::FMin:
    return choose(totalOrder(old, width) <= totalOrder(value, width));
  case AtomicKind::Xchg:
    return value;
  }
  llvm_unreachable("no such kind");
}

/// `change(i, old)` is what element i becomes. Where `touches` does not hold
/// the result is zero.
template <typename Touches, typename Change>
bool update(Evaluation &evaluation, Operation &op, Value ptr, Touches touches,
            Change change) {
  const Tile &ptrs = evaluation.get(ptr);
  unsigned bytes = elementBytes(op.getResult(0).getType());
  Tile result(ptrs.size(), 0);
  for (size_t i = 0; i != ptrs.size(); ++i)
    if (touches(i) &&
        (!evaluation.load(op, ptrs[i], bytes, result[i]) ||
         !evaluation.store(op, ptrs[i], bytes, change(i, result[i]))))
      return false;
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

bool atomicRMW(Evaluation &evaluation, Operation &op) {
  auto atomic = cast<tile::AtomicRMWOp>(op);
  const Tile &values = evaluation.get(atomic.getValue());
  const Tile *mask =
      atomic.getMask() ? &evaluation.get(atomic.getMask()) : nullptr;
  return update(
      evaluation, op, atomic.getPtr(),
      [&](size_t i) { return !mask || (*mask)[i]; },
      [&](size_t i, uint64_t old) {
        return changed(atomic.getKind(), old, values[i], atomic.getType());
      });
}

bool atomicCas(Evaluation &evaluation, Operation &op) {
  auto atomic = cast<tile::AtomicCasOp>(op);
  const Tile &expected = evaluation.get(atomic.getExpected());
  const Tile &values = evaluation.get(atomic.getValue());
  return update(
      evaluation, op, atomic.getPtr(), [](size_t) { return true; },
      [&](size_t i, uint64_t old) {
        return old == expected[i] ? values[i] : old;
      });
}

} // namespace

void addAtomicRules(RuleTable &table) {
  addRule<tile::AtomicRMWOp>(table, atomicRMW);
  addRule<tile::AtomicCasOp>(table, atomicCas);
}

} // namespace tesela::interp
