//===- SliceMemory.cpp - slices from and to memory ------------------------===//
//
//   %x = tile.view_load %p[%o, %q] strides [%s, %c1] bounds [%n] axes [1]
//     ==>                                       (of [%i, %j .. %j + 16])
//   %row = llvm.getelementptr %p[%o * %s + %q + %i * %s]    in the loop over %i
//   %at = llvm.getelementptr %row[%j]                       in the loop over %j
//   %x' = llvm.load %at : vector<16xf32>          where the bounds hold, and
//   %x' = llvm.intr.masked.load %at, %mask, %zero elsewhere
//
// An axis whose stride is not one gives its lanes one by one, addresses that
// follow no rule are gathered. Lanes that do not exist are never touched.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Pointwise.h"
#include "target/cpu/Slices.h"
#include "target/cpu/Streaming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tesela::cpu {

int64_t storedBytes(Type element) {
  if (!element.isIntOrFloat())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// [0, 1, ..] as a vector.
static Value laneNumbers(OpBuilder &b, Location loc, Type element,
                         int64_t lanes) {
  SmallVector<APInt> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(APInt(element.getIntOrFloatBitWidth(), lane));
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(cast<ShapedType>(sliceType(element, lanes)),
                             numbers));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// `pointer` moved by a sum of products, each added in the loop that it depends
/// on.
Value Slices::address(Value pointer, Type element, const Terms &terms,
                      Location loc) {
  OpBuilder::InsertionGuard guard(b);
  for (unsigned level = 0; level <= levels.size(); ++level) {
    Value sum;
    for (auto [factor, stride] : terms) {
      if (std::max(levelOf(factor), levelOf(stride)) != level ||
          constantInt(factor) == 0 || constantInt(stride) == 0)
        continue;
      insertAt(level);
      Value product = multiply(factor, stride, loc);
      sum = sum ? add(sum, product, loc) : product;
    }
    if (!sum)
      continue;
    insertAt(std::max(level, levelOf(pointer)));
    pointer = LLVM::GEPOp::create(b, loc, pointer.getType(), movedType(element),
                                  pointer, ArrayRef<LLVM::GEPArg>{sum});
  }
  return pointer;
}

Slices::Place Slices::placeInHome(Home *home, const Slice &slice,
                                  Location loc) {
  Terms terms;
  for (auto [position, stride] : llvm::zip(slice.index, home->strides))
    terms.emplace_back(position, state.index(stride));
  if (home->panel && slice.axis == 1 && slice.lanes == home->panel) {
    terms[1].second = state.index(home->panelStride / home->panel);
  } else if (home->panel) {
    OpBuilder::InsertionGuard guard(b);
    Value column = slice.index[1];
    insertAt(levelOf(column));
    Value size = state.index(home->panel);
    Value number = b.createOrFold<arith::DivUIOp>(loc, column, size);
    terms[1].first = b.createOrFold<arith::RemUIOp>(loc, column, size);
    terms.emplace_back(number, state.index(home->panelStride));
  }
  Place place;
  place.pointer =
      address(state.scratch.addressOf(home), home->element, terms, loc);
  place.element = home->element;
  place.lanes = slice.lanes;
  if (slice.lanes)
    place.stride = state.index(home->strides[slice.axis]);
  return place;
}

template <typename ViewOp>
Slices::Place Slices::placeOf(ViewOp view, const Slice &slice, bool ofRow) {
  Location loc = view.getLoc();
  Place place;
  place.element = view.getBase().getType().getPointee();
  place.lanes = slice.lanes;
  Terms terms;
  auto detour = state.detours.find(view);
  if (detour != state.detours.end()) {
    for (auto [position, stride] :
         llvm::zip(slice.index, detour->second.strides))
      terms.emplace_back(position, stride);
    if (slice.lanes)
      place.stride = detour->second.strides[slice.axis];
    place.pointer = address(detour->second.origin, place.element, terms, loc);
    return place;
  }
  Value laneOffsets;
  for (auto [axis, offset] : llvm::enumerate(view.getOffsets())) {
    Value stride = scalar(view.getStrides()[axis]);
    if (!isTile(offset)) {
      terms.emplace_back(scalar(offset), stride);
      if (!ofRow || slice.axis != int(axis))
        terms.emplace_back(slice.index[axis], stride);
      if (slice.axis == int(axis))
        place.stride = stride;
      continue;
    }
    Slice at{{slice.index[axis]}, -1, 0};
    if (slice.axis == int(axis))
      at = {{slice.index[axis]}, 0, slice.lanes};
    Value coordinate = evaluate(offset, at);
    if (!coordinate)
      return {};
    if (slice.axis == int(axis)) {
      coordinate = spread(b, loc, coordinate, slice.lanes);
      Value strides = spread(b, loc, stride, slice.lanes);
      laneOffsets = arith::MulIOp::create(b, loc, coordinate, strides);
    } else {
      terms.emplace_back(coordinate, stride);
    }
  }
  place.pointer = address(scalar(view.getBase()), place.element, terms, loc);
  if (laneOffsets)
    place.pointer = LLVM::GEPOp::create(
        b, loc, sliceType(view.getBase().getType(), slice.lanes),
        movedType(place.element), place.pointer,
        ArrayRef<LLVM::GEPArg>{laneOffsets});
  return place;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

template <typename ViewOp>
static Value boundOf(ViewOp view, int axis) {
  for (auto [bounded, bound] :
       llvm::zip(view.getBoundedAxes(), view.getBounds()))
    if (bounded == axis)
      return bound;
  return {};
}

template <typename ViewOp>
static RankedTensorType tileOf(ViewOp view) {
  if constexpr (std::is_same_v<ViewOp, tile::ViewLoadOp>)
    return cast<RankedTensorType>(view.getType());
  else
    return cast<RankedTensorType>(view.getValue().getType());
}

template <typename ViewOp>
Slices::Range Slices::validRange(ViewOp view, int axis) {
  Range &range = ranges[{view, axis}];
  if (range.first)
    return range;
  OpBuilder::InsertionGuard guard(b);
  insertAt(0);
  Location loc = view.getLoc();
  Value zero = state.index(0);
  Value extent = state.index(tileOf(view).getDimSize(axis));
  Value offset = scalar(view.getOffsets()[axis]);
  Value bound = scalar(boundOf(view, axis));
  auto clamp = [&](Value value, Value least) -> Value {
    value = b.createOrFold<arith::MaxSIOp>(loc, value, least);
    return b.createOrFold<arith::MinSIOp>(loc, value, extent);
  };
  Value first = clamp(b.createOrFold<arith::SubIOp>(loc, zero, offset), zero);
  Value end = clamp(b.createOrFold<arith::SubIOp>(loc, bound, offset), first);
  return ranges[{view, axis}] = {first, end};
}

template <typename ViewOp>
Value Slices::exists(ViewOp view, int axis, Value position) {
  Location loc = view.getLoc();
  Value coordinate = add(scalar(view.getOffsets()[axis]), position, loc);
  Value bound = b.createOrFold<arith::MaxSIOp>(loc, scalar(boundOf(view, axis)),
                                               state.index(0));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, coordinate,
                               bound);
}

/// Lanes within a range. In 32 bits, which fit every index into a tile.
Value Slices::rangeMask(Range range, const Slice &slice, Location loc) {
  Type i32 = b.getI32Type();
  auto narrow = [&](Value value) {
    return b.createOrFold<arith::TruncIOp>(loc, i32, value);
  };
  Value from =
      arith::SubIOp::create(b, loc, slice.index[slice.axis], range.first);
  Value count = arith::SubIOp::create(b, loc, range.end, range.first);
  Value lanes =
      arith::AddIOp::create(b, loc, laneNumbers(b, loc, i32, slice.lanes),
                            spread(b, loc, narrow(from), slice.lanes));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lanes,
                               spread(b, loc, narrow(count), slice.lanes));
}

Value Slices::both(Value lhs, Value rhs, Location loc) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  int64_t lanes = std::max(lanesOf(lhs), lanesOf(rhs));
  return arith::AndIOp::create(b, loc, spread(b, loc, lhs, lanes),
                               spread(b, loc, rhs, lanes));
}

/// Where the coordinates of a slice are inside their bounds; null where they
/// all are.
template <typename ViewOp>
Value Slices::boundsMask(ViewOp view, const Slice &slice) {
  Location loc = view.getLoc();
  auto isCovered = [&](int axis) {
    return wholeViews.contains(view) ||
           llvm::any_of(covered, [&](const Covered &cover) {
             return cover.view == view &&
                    cover.index[axis] == slice.index[axis];
           });
  };
  Value element, lanes;
  for (int axis : view.getBoundedAxes()) {
    Value offset = view.getOffsets()[axis];
    bool isLong = slice.axis == axis;
    if (isTile(offset)) {
      Slice at{{slice.index[axis]}, -1, 0};
      if (isLong)
        at = {{slice.index[axis]}, 0, slice.lanes};
      Value coordinate = evaluate(offset, at);
      if (!coordinate)
        return {};
      Value bound = b.createOrFold<arith::MaxSIOp>(
          loc, scalar(boundOf(view, axis)), state.index(0));
      Value inside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, coordinate,
                                spread(b, loc, bound, lanesOf(coordinate)));
      Value &side = lanesOf(coordinate) ? lanes : element;
      side = both(side, inside, loc);
    } else if (isCovered(axis)) {
      continue;
    } else if (isLong) {
      lanes = both(lanes, rangeMask(validRange(view, axis), slice, loc), loc);
    } else {
      element = both(element, exists(view, axis, slice.index[axis]), loc);
    }
  }
  return both(element, lanes, loc);
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

Value Slices::lanePointer(const Place &place, int64_t lane, Location loc) {
  if (!place.stride)
    return vector::ExtractOp::create(b, loc, place.pointer, lane);
  if (lane == 0)
    return place.pointer;
  Value offset = multiply(state.index(lane), place.stride, loc);
  return LLVM::GEPOp::create(b, loc, place.pointer.getType(), place.element,
                             place.pointer, ArrayRef<LLVM::GEPArg>{offset});
}

Value Slices::lanePointers(const Place &place, Location loc) {
  if (!place.stride)
    return place.pointer;
  Type i64 = b.getI64Type();
  Value offsets =
      arith::MulIOp::create(b, loc, laneNumbers(b, loc, i64, place.lanes),
                            spread(b, loc, place.stride, place.lanes));
  return LLVM::GEPOp::create(
      b, loc, sliceType(place.pointer.getType(), place.lanes), place.element,
      place.pointer, ArrayRef<LLVM::GEPArg>{offsets});
}

Value Slices::load(Place place, Value mask, Value other, Location loc,
                   bool isVolatile) {
  if (Type moved = movedType(place.element); moved != place.element) {
    Type element = std::exchange(place.element, moved);
    if (other)
      other = toMoved(b, loc, other);
    return fromMoved(b, loc, load(place, mask, other, loc, isVolatile),
                     element);
  }
  Type type = sliceType(place.element, place.lanes);
  unsigned alignment = storedBytes(place.element);
  auto loadElement = [&](Value pointer) {
    return LLVM::LoadOp::create(b, loc, registerType(place.element), pointer,
                                alignment, isVolatile)
        .getResult();
  };
  if (place.lanes == 0) {
    if (!mask)
      return loadElement(place.pointer);
    // Where nothing may be read, something harmless is.
    Value pointer = arith::SelectOp::create(b, loc, mask, place.pointer,
                                            state.scratch.anyAddress());
    Value value = loadElement(pointer);
    return arith::SelectOp::create(b, loc, mask, value, other);
  }
  if (mask) {
    mask = spread(b, loc, mask, place.lanes);
    other = spread(b, loc, other, place.lanes);
  }
  if (place.stride && constantInt(place.stride) == 1) {
    if (!mask)
      return LLVM::LoadOp::create(b, loc, type, place.pointer, alignment,
                                  isVolatile);
    return LLVM::MaskedLoadOp::create(b, loc, type, place.pointer, mask, other,
                                      b.getI32IntegerAttr(alignment),
                                      /*nontemporal=*/UnitAttr());
  }
  if (!mask) {
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < place.lanes; ++lane)
      elements.push_back(loadElement(lanePointer(place, lane, loc)));
    return vector::FromElementsOp::create(b, loc, type, elements);
  }
  return LLVM::masked_gather::create(b, loc, type, lanePointers(place, loc),
                                     mask, ValueRange{other},
                                     b.getI32IntegerAttr(alignment));
}

void Slices::store(Place place, Value value, Value mask, Location loc,
                   Value streams) {
  place.element = movedType(place.element);
  value = toMoved(b, loc, value);
  unsigned alignment = storedBytes(place.element);
  value = spread(b, loc, value, place.lanes);
  if (place.lanes == 0) {
    if (!mask) {
      LLVM::StoreOp::create(b, loc, value, place.pointer, alignment);
      return;
    }
    auto branch = scf::IfOp::create(b, loc, mask, /*withElseRegion=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    LLVM::StoreOp::create(inner, loc, value, place.pointer, alignment);
    return;
  }
  if (mask)
    mask = spread(b, loc, mask, place.lanes);
  if (place.stride && constantInt(place.stride) == 1) {
    if (mask)
      LLVM::MaskedStoreOp::create(b, loc, value, place.pointer, mask,
                                  alignment);
    else if (streams)
      storeOrStream(b, loc, value, place.pointer, alignment, streams);
    else
      LLVM::StoreOp::create(b, loc, value, place.pointer, alignment);
    return;
  }
  if (mask) {
    LLVM::masked_scatter::create(b, loc, value, lanePointers(place, loc), mask,
                                 alignment);
    return;
  }
  for (int64_t lane = 0; lane < place.lanes; ++lane) {
    Value element = vector::ExtractOp::create(b, loc, value, lane);
    LLVM::StoreOp::create(b, loc, element, lanePointer(place, lane, loc),
                          alignment);
  }
}

/// A boolean is a byte in a home.
Value Slices::fromStored(Value value, Type element, Location loc) {
  if (!element.isInteger(1))
    return value;
  Type byte = getElementTypeOrSelf(value.getType());
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value,
                               intConstant(b, loc, byte, 0, lanesOf(value)));
}

Value Slices::readHome(Home *home, Type element, const Slice &slice,
                       Location loc, bool isFixed) {
  OpBuilder::InsertionGuard guard(b);
  Place place = placeInHome(home, slice, loc);
  insertAt(isFixed ? levelOf(slice) : currentLevel());
  return fromStored(load(place, {}, {}, loc), element, loc);
}

/// Elements of a home, each at the index that it is asked for along one axis.
Value Slices::fromGather(Operation *op, const Slice &slice) {
  auto gather = cast<tile::GatherOp>(op);
  Location loc = op->getLoc();
  Home *home = state.plan.homeOf(gather.getSource());
  int axis = gather.getAxis();
  Value indices = evaluate(gather.getIndices(), slice);
  if (!indices)
    return {};
  // Modulo the extent, which is a power of two.
  Type narrow = getElementTypeOrSelf(indices.getType());
  unsigned width = narrow.getIntOrFloatBitWidth();
  APInt mask(64, uint64_t(home->shape[axis] - 1));
  Value last =
      constant(b, loc, b.getIntegerAttr(narrow, mask.zextOrTrunc(width)),
               lanesOf(indices));
  indices = arith::AndIOp::create(b, loc, indices, last);
  if (width < 64)
    indices = arith::ExtUIOp::create(
        b, loc, sliceType(b.getI64Type(), lanesOf(indices)), indices);

  Terms terms;
  for (auto [other, stride] : llvm::enumerate(home->strides))
    if (int(other) != axis)
      terms.emplace_back(slice.index[other], state.index(stride));
  Place place;
  place.element = home->element;
  bool varies = lanesOf(indices) != 0;
  if (!varies)
    terms.emplace_back(indices, state.index(home->strides[axis]));
  place.pointer =
      address(state.scratch.addressOf(home), home->element, terms, loc);
  if (slice.lanes && (varies || slice.axis != axis)) {
    place.lanes = slice.lanes;
    place.stride = state.index(home->strides[slice.axis]);
  }
  if (varies) {
    Value step = spread(b, loc, state.index(home->strides[axis]), slice.lanes);
    Value offsets = arith::MulIOp::create(b, loc, indices, step);
    if (slice.axis != axis) {
      Value along = arith::MulIOp::create(
          b, loc, laneNumbers(b, loc, b.getI64Type(), slice.lanes),
          spread(b, loc, place.stride, slice.lanes));
      offsets = arith::AddIOp::create(b, loc, offsets, along);
    }
    place.pointer = LLVM::GEPOp::create(
        b, loc, sliceType(place.pointer.getType(), slice.lanes),
        movedType(place.element), place.pointer,
        ArrayRef<LLVM::GEPArg>{offsets});
    place.stride = {};
  }
  return fromStored(load(place, {}, {}, loc),
                    tile::elementType(gather.getType()), loc);
}

void Slices::writeHome(Home *home, const Slice &slice, Value value,
                       Location loc) {
  Place place = placeInHome(home, slice, loc);
  Type from = getElementTypeOrSelf(value.getType());
  Type to = home->element;
  int64_t lanes = lanesOf(value);
  if (isa<FloatType>(from)) {
    value = convertFloat(b, loc, value, to);
  } else if (from != to && from.isInteger(1)) {
    value = arith::ExtUIOp::create(b, loc, sliceType(to, lanes), value);
  } else if (from != to) {
    value = arith::ExtSIOp::create(b, loc, sliceType(to, lanes), value);
  }
  store(place, value, {}, loc);
}

Value Slices::fromView(Operation *op, const Slice &slice) {
  auto view = cast<tile::ViewLoadOp>(op);
  Location loc = op->getLoc();
  Place place = placeOf(view, slice);
  if (!place.pointer)
    return {};
  Value mask = boundsMask(view, slice);
  if (view.getMask()) {
    Value own = evaluate(view.getMask(), slice);
    if (!own)
      return {};
    mask = both(mask, own, loc);
  }
  Value other;
  if (mask) {
    if (!view.getOther())
      other = zeroConstant(b, loc, place.element, 0);
    else if (isTile(view.getOther()))
      other = evaluate(view.getOther(), slice);
    else
      other = scalar(view.getOther());
    if (!other)
      return {};
  }
  return load(place, mask, other, loc);
}

Value Slices::fromPointers(Operation *op, const Slice &slice) {
  auto loadOp = cast<tile::LoadOp>(op);
  Location loc = op->getLoc();
  Place place;
  place.element =
      cast<tile::PtrType>(tile::elementType(loadOp.getPtr().getType()))
          .getPointee();
  place.pointer = evaluate(loadOp.getPtr(), slice);
  Value mask = loadOp.getMask() ? evaluate(loadOp.getMask(), slice) : Value();
  if (!place.pointer || (loadOp.getMask() && !mask))
    return {};
  place.lanes = lanesOf(place.pointer);
  Value other;
  if (mask) {
    other = loadOp.getOther() ? evaluate(loadOp.getOther(), slice)
                              : zeroConstant(b, loc, place.element, 0);
    if (!other)
      return {};
    place.lanes = std::max({place.lanes, lanesOf(mask), lanesOf(other)});
    place.pointer = spread(b, loc, place.pointer, place.lanes);
  }
  return load(place, mask, other, loc, loadOp.getIsVolatile());
}

void Slices::writeMemory(Operation *op, Value value, const Slice &slice) {
  Location loc = op->getLoc();
  Value mask, past;
  Place place;
  if (auto view = dyn_cast<tile::ViewStoreOp>(op)) {
    place = placeOf(view, slice);
    if (!place.pointer)
      return;
    mask = boundsMask(view, slice);
    if (view.getMask())
      mask = both(mask, evaluate(view.getMask(), slice), loc);
    if (!mask)
      past = streams(view, slice);
  } else {
    auto storeOp = cast<tile::StoreOp>(op);
    place.element = tile::elementType(value.getType());
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      place.element = vector.getElementType();
    place.lanes = slice.lanes;
    place.pointer = evaluate(storeOp.getPtr(), slice);
    if (storeOp.getMask())
      mask = evaluate(storeOp.getMask(), slice);
    if (!place.pointer)
      return;
    place.pointer = spread(b, loc, place.pointer, place.lanes);
  }
  store(place, value, mask, loc, past);
}

/// Whether to write past the caches, once for each row of slices; null where it
/// is never so.
Value Slices::streams(tile::ViewStoreOp view, const Slice &slice) {
  Location loc = view.getLoc();
  Type element = movedType(view.getBase().getType().getPointee());
  if (slice.lanes == 0 ||
      constantInt(scalar(view.getStrides()[slice.axis])) != 1 ||
      slice.lanes * storedBytes(element) % state.options.vectorBytes != 0)
    return {};
  Value &isMuch = large[view];
  if (!isMuch) {
    OpBuilder::InsertionGuard guard(b);
    insertAt(0);
    isMuch = writesMuch(state, view);
    if (!isMuch)
      return {};
  }
  Value row = placeOf(view, slice, /*ofRow=*/true).pointer;
  OpBuilder::InsertionGuard guard(b);
  insertAt(levelOf(row));
  Type i64 = b.getI64Type();
  Value address = LLVM::PtrToIntOp::create(b, loc, i64, row);
  Value low = arith::AndIOp::create(b, loc, address,
                                    state.index(streamedAlignment - 1));
  Value isAligned = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, low,
                                          state.index(0));
  return arith::AndIOp::create(b, loc, isAligned, isMuch);
}

Value Slices::existsAt(Operation *view, int axis, Value position) {
  if (auto loadOp = dyn_cast<tile::ViewLoadOp>(view))
    return exists(loadOp, axis, position);
  return exists(cast<tile::ViewStoreOp>(view), axis, position);
}

Slices::Range Slices::rangeOf(Operation *view, int axis) {
  if (auto loadOp = dyn_cast<tile::ViewLoadOp>(view))
    return validRange(loadOp, axis);
  return validRange(cast<tile::ViewStoreOp>(view), axis);
}

} // namespace tesela::cpu
