//===- ElementSteps.cpp - arithmetic on scalars and tiles -----------------===//

#include "generate/KernelBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tesela::test {

void KernelBuilder::intStep() {
  std::optional<Item> a = find([](const Item &item) { return item.isInt(); });
  if (!a)
    return;
  Item b = *findOfType(a->type());
  if (chance(35))
    b.value = intConstant(a->type(), chance(70) ? int64_t(pick(9)) - 2
                                                : int64_t(random()));
  auto make = [&]<typename Op>(std::type_identity<Op>) {
    add(Op::create(builder, a->value, b.value));
  };
  switch (pick(17)) {
  case 0:
  case 1:
    return make(std::type_identity<arith::AddIOp>());
  case 2:
    return make(std::type_identity<arith::SubIOp>());
  case 3:
    return make(std::type_identity<arith::MulIOp>());
  case 4:
    return make(std::type_identity<arith::AndIOp>());
  case 5:
    return make(std::type_identity<arith::OrIOp>());
  case 6:
    return make(std::type_identity<arith::XOrIOp>());
  case 7:
    return make(std::type_identity<arith::MaxSIOp>());
  case 8:
    return make(std::type_identity<arith::MinSIOp>());
  case 9:
    return make(std::type_identity<arith::MaxUIOp>());
  case 10:
    return make(std::type_identity<arith::MinUIOp>());
  case 11:
    return make(std::type_identity<tile::DivSIOp>());
  case 12:
    return make(std::type_identity<tile::DivUIOp>());
  case 13:
    return make(std::type_identity<tile::RemSIOp>());
  case 14:
    return make(std::type_identity<tile::RemUIOp>());
  case 15:
    return make(std::type_identity<tile::ShLIOp>());
  default:
    if (chance(50))
      return make(std::type_identity<tile::ShRSIOp>());
    return make(std::type_identity<tile::ShRUIOp>());
  }
}

void KernelBuilder::boolStep() {
  std::optional<Item> a = find([](const Item &item) { return item.isBool(); });
  if (!a)
    return;
  Item b = *findOfType(a->type());
  switch (pick(4)) {
  case 0:
    return add(arith::AndIOp::create(builder, a->value, b.value));
  case 1:
    return add(arith::OrIOp::create(builder, a->value, b.value));
  case 2:
    return add(arith::XOrIOp::create(builder, a->value, b.value));
  default:
    // `not`, as emission writes it.
    return add(
        arith::XOrIOp::create(builder, a->value, intConstant(a->type(), 1)));
  }
}

void KernelBuilder::floatStep() {
  std::optional<Item> a = find([](const Item &item) { return item.isFloat(); });
  if (!a)
    return;
  Item b = *findOfType(a->type());
  if (chance(25))
    b = floatConstant(a->type(), oneOf({0.5, 1.0, 2.0, -3.0, 0.0}));
  int scale = std::max(a->scale, b.scale);
  auto make = [&]<typename Op>(std::type_identity<Op>, double bound,
                               int scale) {
    if (isExact(a->type(), bound, scale))
      add({Op::create(builder, a->value, b.value), bound, scale});
  };
  double largest = std::max(a->bound, b.bound);
  switch (pick(10)) {
  case 0:
  case 1:
    return make(std::type_identity<arith::AddFOp>(), a->bound + b.bound, scale);
  case 2:
    return make(std::type_identity<arith::SubFOp>(), a->bound + b.bound, scale);
  case 3:
  case 4:
    return make(std::type_identity<arith::MulFOp>(), a->bound * b.bound,
                a->scale + b.scale);
  case 5:
    return make(std::type_identity<arith::MaxNumFOp>(), largest, scale);
  case 6:
    return make(std::type_identity<arith::MinNumFOp>(), largest, scale);
  case 7:
    return make(std::type_identity<arith::MaximumFOp>(), largest, scale);
  case 8:
    return make(std::type_identity<arith::MinimumFOp>(), largest, scale);
  default: {
    Item c = *findOfType(a->type());
    double bound = a->bound * b.bound + c.bound;
    int scales = std::max(a->scale + b.scale, c.scale);
    if (isExact(a->type(), bound, scales))
      add({math::FmaOp::create(builder, a->value, b.value, c.value), bound,
           scales});
  }
  }
}

void KernelBuilder::floatUnaryStep() {
  std::optional<Item> a = find([](const Item &item) { return item.isFloat(); });
  if (!a)
    return;
  double whole = std::ceil(a->bound);
  switch (pick(9)) {
  case 0:
    return add({arith::NegFOp::create(builder, a->value), a->bound, a->scale});
  case 1:
    return add({math::AbsFOp::create(builder, a->value), a->bound, a->scale});
  case 2:
    return add({math::FloorOp::create(builder, a->value), whole, 0});
  case 3:
    return add({math::CeilOp::create(builder, a->value), whole, 0});
  case 4:
    return add({math::TruncOp::create(builder, a->value), whole, 0});
  case 5:
    return add({math::RoundEvenOp::create(builder, a->value), whole, 0});
  case 6: {
    // A power of two divides exactly.
    Item half = floatConstant(a->type(), oneOf({2.0, 4.0, 0.5, -2.0}));
    double bound = a->bound / std::min(half.bound, 1.0);
    int scale = a->scale + 2;
    if (isExact(a->type(), bound, scale))
      add({arith::DivFOp::create(builder, a->value, half.value), bound, scale});
    return;
  }
  case 7: {
    // The root of a square.
    if (!isExact(a->type(), a->bound * a->bound, 2 * a->scale))
      return;
    Value square = arith::MulFOp::create(builder, a->value, a->value);
    return add({math::SqrtOp::create(builder, square), a->bound, a->scale});
  }
  default: {
    auto bits = builder.getIntegerType(a->element().getIntOrFloatBitWidth());
    return add(arith::BitcastOp::create(builder,
                                        tile::withElementType(a->type(), bits),
                                        withoutNegativeZero(*a).value));
  }
  }
}

void KernelBuilder::compareStep() {
  std::optional<Item> a = find([](const Item &item) { return !item.isBool(); });
  if (!a)
    return;
  Item b = *findOfType(a->type());
  if (a->isFloat()) {
    if (chance(30))
      b = floatConstant(a->type(), 0);
    using P = arith::CmpFPredicate;
    return add(arith::CmpFOp::create(
        builder,
        oneOf({P::OEQ, P::OGT, P::OGE, P::OLT, P::OLE, P::UNE, P::ONE, P::ULT}),
        a->value, b.value));
  }
  if (chance(30))
    b.value = intConstant(a->type(), int64_t(pick(20)) - 5);
  add(arith::CmpIOp::create(builder, arith::CmpIPredicate(pick(10)), a->value,
                            b.value));
}

void KernelBuilder::selectStep() {
  std::optional<Item> a = find([](const Item &) { return true; });
  std::optional<Item> condition = find([&](const Item &item) {
    return item.isBool() && (item.shape() == a->shape() || !item.isTile());
  });
  if (!condition)
    return;
  Item b = *findOfType(a->type());
  add({arith::SelectOp::create(builder, condition->value, a->value, b.value),
       std::max(a->bound, b.bound), std::max(a->scale, b.scale)});
}

void KernelBuilder::intCastStep() {
  std::optional<Item> a =
      find([](const Item &item) { return !item.isFloat(); });
  if (!a)
    return;
  const Type types[] = {i8, builder.getIntegerType(16), i32, i64};
  Type to = oneOf(types);
  unsigned from = a->element().getIntOrFloatBitWidth();
  Type type = tile::withElementType(a->type(), to);
  if (from < to.getIntOrFloatBitWidth()) {
    if (chance(50) || a->isBool())
      return add(arith::ExtUIOp::create(builder, type, a->value));
    return add(arith::ExtSIOp::create(builder, type, a->value));
  }
  if (from > to.getIntOrFloatBitWidth())
    add(arith::TruncIOp::create(builder, type, a->value));
}

/// Between integers and floats, and between floats.
void KernelBuilder::floatCastStep() {
  std::optional<Item> a = find([](const Item &) { return true; });
  const Type floats[] = {e4m3, e5m2, f16, bf16, f32, f64};
  Type to = oneOf(floats);
  if (a->isBool())
    return add({arith::UIToFPOp::create(
                    builder, tile::withElementType(a->type(), to), a->value),
                1, 0});
  if (a->isInt())
    return add(toSmallFloat(*a, to));
  if (chance(30)) {
    const Type ints[] = {i8, builder.getIntegerType(16), i32, i64};
    Type type = tile::withElementType(a->type(), oneOf(ints));
    if (chance(30))
      return add(tile::FpToUIOp::create(builder, type, a->value));
    return add(tile::FpToSIOp::create(builder, type, a->value));
  }
  unsigned from = a->element().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  Type type = tile::withElementType(a->type(), to);
  if (from < width)
    return add(
        {arith::ExtFOp::create(builder, type, a->value), a->bound, a->scale});
  if (from <= width || !isExact(to, a->bound, a->scale))
    return;
  if (width == 8)
    add({tile::FpToFp8Op::create(builder, type, a->value), a->bound, a->scale});
  else
    add({arith::TruncFOp::create(builder, type, a->value), a->bound, a->scale});
}

} // namespace tesela::test
