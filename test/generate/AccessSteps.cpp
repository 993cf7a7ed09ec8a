//===- AccessSteps.cpp - loads and stores of random kernels ---------------===//
//
// Every buffer is made for its access: exactly as large as what the access may
// touch, so that one element too many is seen.
//
//===----------------------------------------------------------------------===//

#include "generate/KernelBuilder.h"

#include "interp/Numbers.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;

namespace tesela::test {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

Buffer KernelBuilder::filledBuffer(Type element, int64_t count, double bound,
                                   int scale) {
  unsigned bytes = interp::elementBytes(element);
  Buffer buffer{typeName(element), std::string(count * bytes, '\0')};
  bool isWild = chance(25);
  int64_t most = std::llround(std::ldexp(bound, scale));
  for (int64_t i = 0; i != count; ++i) {
    uint64_t bits = isWild ? random() : uint64_t(int64_t(pick(41)) - 20);
    if (isa<FloatType>(element))
      bits = interp::FloatFormat(element).encode(
          std::ldexp(double(int64_t(pick(2 * most + 1)) - most), -scale));
    std::memcpy(buffer.bytes.data() + i * bytes, &bits, bytes);
  }
  return buffer;
}

Buffer KernelBuilder::poisonedBuffer(Type element, int64_t count) {
  return {typeName(element),
          std::string(count * interp::elementBytes(element), '\xa5')};
}

/// Dense but for a margin, in any order of the axes.
SmallVector<int64_t> KernelBuilder::layOut(ArrayRef<Coordinate> coordinates,
                                           int64_t &count) {
  SmallVector<size_t> order(coordinates.size());
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  if (order.size() > 1 && chance(20))
    std::swap(order[0], order[pick(order.size())]);

  SmallVector<int64_t> strides(coordinates.size());
  int64_t stride = chance(8) ? 2 : 1;
  count = 1;
  for (size_t axis : order) {
    const Coordinate &coordinate = coordinates[axis];
    int64_t extent =
        coordinate.bound ? coordinate.boundValue : coordinate.extent;
    strides[axis] = stride;
    count += (extent - 1) * stride;
    stride *= extent + (chance(25) ? 3 : 0);
  }
  return strides;
}

SmallVector<Value> KernelBuilder::strideArguments(ArrayRef<int64_t> strides) {
  SmallVector<Value> values;
  for (int64_t stride : strides)
    values.push_back(sizeArgument(stride));
  return values;
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// Along an axis of the array that the grid covers. Loads may also look at
/// neighbours, or wrap around.
Coordinate KernelBuilder::frameCoordinate(size_t axis, bool forStore) {
  Coordinate result;
  result.start = frameStarts[axis];
  result.extent = frameExtents[axis];
  if (!forStore && chance(12)) {
    int64_t shift = oneOf({-2, -1, 1, 2});
    result.start =
        arith::AddIOp::create(builder, result.start, intConstant(i32, shift));
    result.extent += shift;
    result.mayBeNegative = shift < 0;
  }
  result.values = arith::AddIOp::create(
      builder, splatTo(result.start, frame[axis]), iota(frame[axis]));
  if (!forStore && chance(8) && !result.mayBeNegative) {
    result.values = tile::RemSIOp::create(
        builder, result.values, splatTo(frameBounds[axis], frame[axis]));
    result.start = {};
    result.extent = frameSizes[axis];
    return result;
  }
  if (result.extent > frameSizes[axis] ? chance(90) : chance(40)) {
    result.bound = frameBounds[axis];
    result.boundValue = frameSizes[axis];
  }
  result.extent = std::max<int64_t>(result.extent, 1);
  return result;
}

Coordinate KernelBuilder::localCoordinate(int64_t extent) {
  Coordinate result;
  result.values = iota(extent);
  result.extent = extent;
  return result;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// `like` bounds what stands in memory; its value is null, `base` says the
/// type. `place`, or null: what is known of a place that no other instance
/// touches, to be remembered.
Item KernelBuilder::loadFrom(Value base, Item like, Shape shape,
                             ArrayRef<Coordinate> coordinates,
                             ArrayRef<Value> strides, const Place *place) {
  Type element = cast<tile::PtrType>(base.getType()).getPointee();
  RankedTensorType type = tileType(shape, element);
  std::optional<Item> extra;
  if (chance(12))
    extra = find([&](const Item &item) {
      return item.isBool() && item.shape() == shape && item.isTile();
    });
  Item other;
  if (chance(50)) {
    std::optional<Item> tile = chance(40) ? findOfType(type) : std::nullopt;
    if (tile)
      other = *tile;
    else if (isa<FloatType>(element))
      other = floatConstant(type, oneOf({0.0, 1.0, -2.0}));
    else
      other = {intConstant(type, int64_t(pick(5)) - 1)};
  }
  Item result{Value(), std::max(like.bound, other.bound),
              std::max(like.scale, other.scale)};

  bool remembers = place && depth == 0;
  if (remembers) {
    places.push_back(*place);
    places.back().type = type;
  }
  if (options.views && chance(50)) {
    ViewParts parts = viewParts(coordinates, strides);
    result.value = tile::ViewLoadOp::create(
        builder, type, base, parts.offsets, parts.strides, parts.bounds,
        extra ? extra->value : Value(), other.value, parts.axes);
    return result;
  }
  Value ptrs = addresses(base, shape, coordinates, strides);
  Value mask = boundMask(shape, coordinates);
  if (extra)
    mask = mask ? Value(arith::AndIOp::create(builder, mask, extra->value))
                : extra->value;
  if (!mask) {
    other = {};
    result = {Value(), like.bound, like.scale};
  }
  result.value = tile::LoadOp::create(
      builder, type, ptrs, mask, other.value, tile::CacheModifier::None,
      tile::EvictionPolicy::Normal, /*isVolatile=*/chance(5));
  if (remembers) {
    places.back().ptrs = ptrs;
    places.back().mask = mask;
  }
  return result;
}

/// A new array and what a tile of this shape sees of it.
Item KernelBuilder::load(Type element, Shape shape, double bound, int scale) {
  SmallVector<Coordinate> coordinates;
  bool isFrame = shape == Shape(frame), isPrivate = true;
  for (size_t axis = 0; axis != shape.size(); ++axis) {
    coordinates.push_back(isFrame ? frameCoordinate(axis, false)
                                  : localCoordinate(shape[axis]));
    // Neither moved nor wrapped.
    isPrivate &= !isFrame || coordinates[axis].start == frameStarts[axis];
  }
  int64_t count;
  SmallVector<int64_t> strides = layOut(coordinates, count);
  bool isShared = !isFrame && chance(40);
  isPrivate &= !isShared;
  if (!strides.empty() && chance(5)) {
    strides[pick(strides.size())] = 0;
    isPrivate = false;
  }
  int64_t margin = isPrivate && instances == 1 ? oneOf({0, 1, 3, 8, 40}) : 0;
  int64_t size = isFrame || isShared ? count : count * instances;
  size_t buffer =
      addBuffer(filledBuffer(element, size + 2 * margin, bound, scale));
  Value base = pointerArgument(element, buffer, margin);
  Value shift;
  if (!isFrame && !isShared) {
    shift = arith::MulIOp::create(builder, instance, intConstant(i32, count));
    base = tile::AddPtrOp::create(builder, base, shift);
  }
  Place place{buffer, margin, shift, coordinates, strideArguments(strides),
              bound,  scale};
  return loadFrom(base, {Value(), bound, scale}, shape, coordinates,
                  place.strides, isPrivate ? &place : nullptr);
}

void KernelBuilder::storeTo(Value base, Item item,
                            ArrayRef<Coordinate> coordinates,
                            ArrayRef<Value> strides) {
  std::optional<Item> extra;
  if (chance(10))
    extra = find([&](const Item &other) {
      return other.isBool() && other.isTile() && other.shape() == item.shape();
    });
  if (options.views && chance(50)) {
    ViewParts parts = viewParts(coordinates, strides);
    tile::ViewStoreOp::create(builder, item.value, base, parts.offsets,
                              parts.strides, parts.bounds,
                              extra ? extra->value : Value(), parts.axes);
    return;
  }
  Value ptrs = addresses(base, item.shape(), coordinates, strides);
  Value mask = boundMask(item.shape(), coordinates);
  if (extra)
    mask = mask ? Value(arith::AndIOp::create(builder, mask, extra->value))
                : extra->value;
  tile::StoreOp::create(builder, ptrs, item.value, mask);
}

/// Into a new array of poison.
void KernelBuilder::store(Item item) {
  // In memory a boolean is a byte.
  if (item.isBool())
    item.value = arith::ExtUIOp::create(
        builder, tile::withElementType(item.type(), i8), item.value);
  if (item.isFloat())
    item = withoutNegativeZero(item);
  if (!item.isTile()) {
    Value base = pointerArgument(
        item.type(), addBuffer(poisonedBuffer(item.type(), instances)));
    Value ptr = tile::AddPtrOp::create(builder, base, instance);
    tile::StoreOp::create(builder, ptr, item.value, Value());
    return;
  }
  bool isFrame = item.shape() == Shape(frame);
  SmallVector<Coordinate> coordinates;
  for (size_t axis = 0; axis != item.shape().size(); ++axis)
    coordinates.push_back(isFrame ? frameCoordinate(axis, true)
                                  : localCoordinate(item.shape()[axis]));
  int64_t count;
  SmallVector<int64_t> strides = layOut(coordinates, count);
  size_t buffer = addBuffer(
      poisonedBuffer(item.element(), isFrame ? count : count * instances));
  Value base = pointerArgument(item.element(), buffer);
  if (!isFrame)
    base = tile::AddPtrOp::create(
        builder, base,
        arith::MulIOp::create(builder, instance, intConstant(i32, count)));
  storeTo(base, item, coordinates, strideArguments(strides));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void KernelBuilder::loadStep() {
  Type element = randomElement();
  bool isSmall = isa<FloatType>(element) && element != f32 && element != f64;
  SmallVector<int64_t> shape(frame);
  // Now and then another tile, or a row of the frame.
  if (chance(15))
    shape = {int64_t(1) << pick(7)};
  else if (chance(10))
    shape = {frame.back()};
  add(load(element, shape, isSmall ? 4 : 8, chance(20) ? 1 : 0));
}

/// Along one axis the coordinates come from memory.
void KernelBuilder::gatherStep() {
  size_t axis = pick(frame.size());
  int64_t extent = 1 + pick(50);
  Item loaded = load(i32, frame[axis], 0, 0);
  Coordinate gathered;
  gathered.values = tile::RemUIOp::create(
      builder, loaded.value, splatTo(sizeArgument(extent), frame[axis]));
  gathered.extent = extent;
  SmallVector<Coordinate> coordinates;
  for (size_t other = 0; other != frame.size(); ++other)
    coordinates.push_back(other == axis ? gathered
                                        : frameCoordinate(other, false));
  int64_t count;
  SmallVector<int64_t> strides = layOut(coordinates, count);
  Type element = randomElement();
  Value base =
      pointerArgument(element, addBuffer(filledBuffer(element, count, 4, 0)));
  add(loadFrom(base, {Value(), 4, 0}, frame, coordinates,
               strideArguments(strides), /*place=*/nullptr));
}

/// A number, the same for all instances or one for each, and a tile of it.
void KernelBuilder::scalarLoadStep() {
  Type element = randomElement();
  Value base = pointerArgument(
      element, addBuffer(filledBuffer(element, instances, 4, 0)));
  Value ptr = chance(30)
                  ? base
                  : Value(tile::AddPtrOp::create(builder, base, instance));
  Item scalar{tile::LoadOp::create(builder, element, ptr, Value(), Value()), 4,
              0};
  add(scalar);
  if (chance(80))
    add(splatTo(scalar, frame));
}

/// To where something was loaded from, or into a new array.
void KernelBuilder::storeStep() {
  SmallVector<std::pair<const Place *, Item>> found;
  for (const Place &place : places)
    if (std::optional<Item> item = findOfType(place.type); item && place.ptrs)
      found.push_back({&place, *item});
  if (found.empty() || chance(30)) {
    if (std::optional<Item> item = find([](const Item &) { return true; }))
      store(*item);
    return;
  }
  auto [place, item] = found[pick(found.size())];
  if (item.isFloat())
    item = withoutNegativeZero(clamp(item, place->bound, place->scale));
  tile::StoreOp::create(builder, place->ptrs, item.value, place->mask);
  if (chance(40))
    add({tile::LoadOp::create(builder, item.type(), place->ptrs, place->mask,
                              Value()),
         place->bound, place->scale});
}

/// Loads from where something was loaded from, or stores there, through another
/// argument. Where there is a single instance, also beside it or backwards.
void KernelBuilder::aliasStep() {
  if (places.empty())
    return;
  Place place = places[pick(places.size())];
  SmallVector<int64_t> shape(place.type.getShape());
  Type element = place.type.getElementType();
  if (instances == 1 && chance(15)) {
    size_t axis = pick(shape.size());
    Coordinate &along = place.coordinates[axis];
    int64_t last = (along.bound ? along.boundValue : along.extent) - 1;
    along.values = arith::SubIOp::create(
        builder, intConstant(along.values.getType(), last), along.values);
    along.mayBeNegative = along.bound != nullptr;
    along.start = along.bound = {};
    along.extent = last + 1;
  }
  int64_t offset =
      chance(50) ? place.margin : int64_t(pick(2 * place.margin + 1));
  Value base = pointerArgument(element, place.buffer, offset);
  if (place.shift)
    base = tile::AddPtrOp::create(builder, base, place.shift);
  std::optional<Item> item = findOfType(place.type);
  if (!item || chance(40))
    return add(loadFrom(base, {Value(), place.bound, place.scale}, shape,
                        place.coordinates, place.strides, /*place=*/nullptr));
  if (item->isFloat())
    item = withoutNegativeZero(clamp(*item, place.bound, place.scale));
  storeTo(base, *item, place.coordinates, place.strides);
}

} // namespace tesela::test
