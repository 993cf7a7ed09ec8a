//===- KernelBuilder.h - a random kernel while it grows -------------------===//
//
// Values that were made so far lie in a pool; each step takes some and adds
// some. What a step adds inside a region leaves the pool with the region.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TEST_GENERATE_KERNELBUILDER_H
#define TESELA_TEST_GENERATE_KERNELBUILDER_H

#include "generate/RandomKernel.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <algorithm>
#include <optional>
#include <random>

namespace tesela::test {

using Shape = llvm::ArrayRef<int64_t>;

/// A value, or null and only its bounds. A float's magnitude is at most
/// `bound`, and it is a multiple of 2^-scale.
struct Item {
  mlir::Value value;
  double bound = 0;
  int scale = 0;

  mlir::Type type() const { return value.getType(); }
  mlir::Type element() const { return tile::elementType(type()); }
  bool isTile() const { return mlir::isa<mlir::RankedTensorType>(type()); }
  Shape shape() const {
    auto tile = mlir::dyn_cast<mlir::RankedTensorType>(type());
    return tile ? tile.getShape() : Shape();
  }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element()); }
  bool isBool() const { return element().isInteger(1); }
  bool isInt() const { return element().isInteger() && !isBool(); }
};

/// One axis of an access.
struct Coordinate {
  /// Of each element along the axis: a tensor<N x i32>.
  mlir::Value values;
  /// Where the coordinates are consecutive, the first, an i32; else null.
  mlir::Value start;
  /// Over all instances, coordinates are below this.
  int64_t extent = 0;
  /// Elements exist below this, an i32; null where every coordinate has one.
  mlir::Value bound;
  int64_t boundValue = 0;
  /// Coordinates may be negative, where no element exists.
  bool mayBeNegative = false;
};

/// Where a tile was loaded from: it may be stored there too, since no other
/// instance touches it.
struct Place {
  size_t buffer;
  /// Elements of the buffer before and after those of the array.
  int64_t margin;
  /// From the argument to what the coordinates count from, or null.
  mlir::Value shift;
  llvm::SmallVector<Coordinate> coordinates;
  llvm::SmallVector<mlir::Value> strides;
  /// What it holds keeps to these bounds.
  double bound;
  int scale;

  mlir::RankedTensorType type = {};
  /// Null where it was loaded through a view.
  mlir::Value ptrs = {};
  mlir::Value mask = {};
};

class KernelBuilder {
public:
  KernelBuilder(mlir::MLIRContext &context, uint64_t seed,
                RandomKernelOptions options);
  RandomKernel finish();

private:
  //===-- Chance ----------------------------------------------------------===//
  uint64_t pick(uint64_t count) { return random() % count; }
  bool chance(unsigned percent) { return pick(100) < percent; }
  template <typename T, size_t N>
  T oneOf(const T (&choices)[N]) {
    return choices[pick(N)];
  }

  //===-- The kernel (KernelBuilder.cpp) ----------------------------------===//
  void openKernel(uint64_t seed);
  void chooseFrame();
  void runSteps();
  void storeResults();
  mlir::Value scalarArgument(mlir::Type type, int64_t value);
  mlir::Value addArgument(mlir::Type type, Argument argument, bool isDivisible);
  mlir::Value sizeArgument(int64_t value);
  mlir::Value pointerArgument(mlir::Type element, size_t buffer,
                              int64_t offset = 0);
  size_t addBuffer(Buffer buffer);

  //===-- Values (Values.cpp) ---------------------------------------------===//
  mlir::Type randomElement();
  mlir::Value intConstant(mlir::Type type, int64_t value);
  Item floatConstant(mlir::Type type, double value);
  Item splatTo(Item scalar, Shape shape);
  mlir::Value splatTo(mlir::Value scalar, Shape shape);
  mlir::Value alongAxis(mlir::Value vector, size_t axis, Shape shape);
  mlir::Value iota(int64_t extent);
  mlir::Value toI64(mlir::Value i32);
  mlir::RankedTensorType tileType(Shape shape, mlir::Type element) {
    return mlir::RankedTensorType::get(shape, element);
  }
  bool isExact(mlir::Type type, double bound, int scale) const;
  Item withoutNegativeZero(Item item);
  Item clamp(Item item, double bound, int scale);
  Item toSmallFloat(Item integers, mlir::Type type);

  void add(Item item) { pool.push_back(item); }
  void add(mlir::Value value) { pool.push_back({value}); }
  /// A random item for which `fits` holds, rather a new one.
  template <typename Fits>
  std::optional<Item> find(Fits fits) {
    llvm::SmallVector<Item> found;
    for (const Item &item : pool)
      if (fits(item))
        found.push_back(item);
    if (found.empty())
      return std::nullopt;
    size_t back = std::min(pick(found.size()), pick(found.size()));
    return found[found.size() - 1 - back];
  }
  std::optional<Item> findOfType(mlir::Type type) {
    return find([&](const Item &item) { return item.type() == type; });
  }

  //===-- Steps, each of which may find nothing to do ---------------------===//
  void step();
  void nestedSteps();

  // ElementSteps.cpp
  void intStep();
  void boolStep();
  void floatStep();
  void floatUnaryStep();
  void compareStep();
  void selectStep();
  void intCastStep();
  void floatCastStep();

  // AccessSteps.cpp
  void loadStep();
  void gatherStep();
  void scalarLoadStep();
  void storeStep();
  void aliasStep();
  void barrierStep() { tile::BarrierOp::create(builder); }
  void store(Item item);
  Item load(mlir::Type element, Shape shape, double bound, int scale);
  Item loadFrom(mlir::Value base, Item like, Shape shape,
                llvm::ArrayRef<Coordinate> coordinates,
                llvm::ArrayRef<mlir::Value> strides, const Place *place);
  void storeTo(mlir::Value base, Item item,
               llvm::ArrayRef<Coordinate> coordinates,
               llvm::ArrayRef<mlir::Value> strides);
  Coordinate frameCoordinate(size_t axis, bool forStore);
  Coordinate localCoordinate(int64_t extent);
  /// Strides of an array that has all elements of an access, and its size.
  llvm::SmallVector<int64_t> layOut(llvm::ArrayRef<Coordinate> coordinates,
                                    int64_t &count);
  llvm::SmallVector<mlir::Value>
  strideArguments(llvm::ArrayRef<int64_t> strides);
  Buffer filledBuffer(mlir::Type element, int64_t count, double bound,
                      int scale);
  Buffer poisonedBuffer(mlir::Type element, int64_t count);

  // Addresses.cpp
  mlir::Value addresses(mlir::Value base, Shape shape,
                        llvm::ArrayRef<Coordinate> coordinates,
                        llvm::ArrayRef<mlir::Value> strides);
  mlir::Value boundMask(Shape shape, llvm::ArrayRef<Coordinate> coordinates);
  struct ViewParts {
    llvm::SmallVector<mlir::Value> offsets, strides, bounds;
    llvm::SmallVector<int32_t> axes;
  };
  ViewParts viewParts(llvm::ArrayRef<Coordinate> coordinates,
                      llvm::ArrayRef<mlir::Value> strides);

  // ShapeSteps.cpp
  void reduceStep();
  void argReduceStep();
  void broadcastStep();
  void permuteStep();
  void reshapeStep();
  void joinStep();
  void catStep();
  void iotaStep();
  void dotStep();
  mlir::Value
  reduce(mlir::Value tile, size_t axis,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  void spread(Item reduced, size_t axis, Shape shape);

  // ScanSteps.cpp
  void scanStep();
  void pickStep();

  // ControlSteps.cpp
  void ifStep();
  void forStep();
  void whileStep();
  void sumLoopStep();
  void productLoopStep();
  llvm::SmallVector<Item> carriedItems(unsigned count);
  llvm::SmallVector<mlir::Value> nextItems(llvm::ArrayRef<Item> carried);

  mlir::ImplicitLocOpBuilder builder;
  mlir::func::FuncOp function;
  std::mt19937_64 random;
  RandomKernelOptions options;
  RandomKernel kernel;
  llvm::SmallVector<mlir::DictionaryAttr> argumentAttrs;
  std::vector<Item> pool;
  std::vector<Place> places;
  mlir::Type i1, i8, i32, i64, e4m3, e5m2, f16, bf16, f32, f64;

  /// The shape that most tiles have. The grid cuts an array into such blocks:
  /// its axis 0 the last axis of the array, and so on.
  llvm::SmallVector<int64_t> frame;
  llvm::SmallVector<mlir::Value> frameStarts;
  /// Of the array: its sizes, and how far the blocks reach.
  llvm::SmallVector<int64_t> frameSizes, frameExtents;
  llvm::SmallVector<mlir::Value> frameBounds;
  /// The number of this instance, an i32, and how many there are.
  mlir::Value instance;
  int64_t instances = 1;
  unsigned depth = 0;
};

} // namespace tesela::test

#endif // TESELA_TEST_GENERATE_KERNELBUILDER_H
