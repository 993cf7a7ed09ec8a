//===- Slices.h - computes any slice of any tile in registers -------------===//
//
// A slice is one element of a tile, or some consecutive ones along one axis. A
// fused tile's slice is computed from slices of its operands, a stored one's is
// read from its home. What does not depend on a loop is computed outside of it.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TARGET_CPU_SLICES_H
#define TESELA_TARGET_CPU_SLICES_H

#include "dialect/tile/Tile.h"
#include "target/cpu/Plan.h"
#include "target/cpu/Scratch.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tesela::cpu {

struct Slice {
  /// One i64 for each axis: of the element, or the first one.
  llvm::SmallVector<mlir::Value, 4> index;
  /// The axis along which there are `lanes` elements; one element where -1.
  int axis = -1;
  int64_t lanes = 0;

  /// The same place, one element.
  Slice element() const { return {index, -1, 0}; }
  bool operator==(const Slice &) const = default;
};

/// What all parts of the lowering share.
struct LoweringState {
  LoweringState(const mlir::OpBuilder &b, const LoweringOptions &options,
                Plan plan, Scratch scratch)
      : b(b), options(options), plan(std::move(plan)), scratch(scratch) {}

  mlir::OpBuilder b;
  LoweringOptions options;
  Plan plan;
  Scratch scratch;
  /// Of the launch, as i64.
  mlir::Value instanceCount;
  /// Instances of the smallest launch that writes past the caches.
  std::optional<int64_t> streamedFrom;
  /// Scalars of the kernel -> scalars of the output.
  mlir::IRMapping scalars;
  /// Where a load reads instead of where its view says.
  struct Detour {
    mlir::Value origin;
    llvm::SmallVector<mlir::Value> strides;
  };
  llvm::DenseMap<mlir::Operation *, Detour> detours;
  /// Where a dot reads an operand, by dot and number, if not in its home.
  struct DotSource {
    mlir::Value pointer;
    /// From row to row, in elements.
    mlir::Value stride;
  };
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, DotSource> dotSources;
  /// Whether an optional copy is to be made.
  llvm::DenseMap<const Home *, mlir::Value> wanted;
  /// The loop over the instances, before which each call prepares something.
  mlir::Operation *instances = nullptr;
  /// Set with a diagnostic where something cannot be lowered.
  bool failed = false;

  /// An i64 constant, of which there is one each.
  mlir::Value index(int64_t value);
  llvm::DenseMap<int64_t, mlir::Value> indices;

  mlir::Value fail(mlir::Operation *op, const llvm::Twine &reason);
};

class Slices {
public:
  explicit Slices(LoweringState &state)
      : state(state), b(state.b), base(state.b.saveInsertionPoint()) {}

  /// The loops from the outermost to the current one. Code for the current one
  /// goes to the end of its body.
  void enter(mlir::Block *body) { levels.push_back(body); }
  void leave() { levels.pop_back(); }
  /// Writes at the end of loop `level`'s body; level 0 is outside of all.
  void insertAt(unsigned level);
  unsigned currentLevel() const { return levels.size(); }

  /// Where the bounds of a view are known to hold: the loop variables that the
  /// view's axes are indexed by.
  struct Covered {
    mlir::Operation *view;
    llvm::SmallVector<mlir::Value, 4> index;
  };
  llvm::SmallVector<Covered> covered;
  /// Views all of whose elements are known to exist, indexed axes aside.
  llvm::SmallPtrSet<mlir::Operation *, 4> wholeViews;

  /// A scalar where all elements of the slice are the same, or a vector. Null
  /// after a failure.
  mlir::Value evaluate(mlir::Value tile, const Slice &slice);
  /// The same, but always computed, even where the tile has a home.
  mlir::Value compute(mlir::Value tile, const Slice &slice);

  /// `isFixed`: the loops do not change what is read, so that it can be read
  /// outside of those that the slice does not depend on.
  mlir::Value readHome(Home *home, mlir::Type element, const Slice &slice,
                       mlir::Location loc, bool isFixed = true);
  void writeHome(Home *home, const Slice &slice, mlir::Value value,
                 mlir::Location loc);
  /// Writes a slice of a store's value to memory.
  void writeMemory(mlir::Operation *store, mlir::Value value,
                   const Slice &slice);

  mlir::Value add(mlir::Value lhs, mlir::Value rhs, mlir::Location loc);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs, mlir::Location loc);

  /// The valid range of a bounded axis, `first <= i < end`, as i64 counted from
  /// the start of the tile.
  struct Range {
    mlir::Value first;
    mlir::Value end;
  };
  Range rangeOf(mlir::Operation *view, int axis);
  /// Whether one element of a bounded axis exists.
  mlir::Value existsAt(mlir::Operation *view, int axis, mlir::Value index);

private:
  unsigned levelOf(mlir::Value value) const;
  unsigned levelOf(const Slice &slice) const;
  mlir::Value scalar(mlir::Value value);
  mlir::Value computeHere(mlir::Value tile, const Slice &slice);
  mlir::Value laneByLane(mlir::Value tile, const Slice &slice);
  mlir::Value fromConstant(mlir::Operation *op, const Slice &slice);
  mlir::Value fromIota(mlir::Operation *op, const Slice &slice);
  mlir::Value fromReshape(mlir::Operation *op, const Slice &slice);
  mlir::Value fromJoin(mlir::Operation *op, const Slice &slice);
  mlir::Value fromCat(mlir::Operation *op, const Slice &slice);
  mlir::Value fromGather(mlir::Operation *op, const Slice &slice);
  mlir::Value fromPointwise(mlir::Operation *op, const Slice &slice);
  mlir::Value fromView(mlir::Operation *op, const Slice &slice);
  mlir::Value fromPointers(mlir::Operation *op, const Slice &slice);

  /// Where the elements of a slice are in memory.
  struct Place {
    /// Of the first element, or one address for each lane.
    mlir::Value pointer;
    /// From lane to lane, in elements; null where each has its address.
    mlir::Value stride;
    mlir::Type element;
    int64_t lanes = 0;
  };
  using Terms = llvm::SmallVector<std::pair<mlir::Value, mlir::Value>, 8>;
  mlir::Value address(mlir::Value pointer, mlir::Type element,
                      const Terms &terms, mlir::Location loc);
  Place placeInHome(Home *home, const Slice &slice, mlir::Location loc);
  template <typename ViewOp>
  Place placeOf(ViewOp view, const Slice &slice, bool ofRow = false);
  mlir::Value streams(tile::ViewStoreOp store, const Slice &slice);
  template <typename ViewOp>
  Range validRange(ViewOp view, int axis);
  template <typename ViewOp>
  mlir::Value exists(ViewOp view, int axis, mlir::Value index);
  template <typename ViewOp>
  mlir::Value boundsMask(ViewOp view, const Slice &slice);
  mlir::Value rangeMask(Range range, const Slice &slice, mlir::Location loc);
  mlir::Value both(mlir::Value lhs, mlir::Value rhs, mlir::Location loc);
  mlir::Value lanePointer(const Place &place, int64_t lane, mlir::Location loc);
  mlir::Value lanePointers(const Place &place, mlir::Location loc);
  mlir::Value load(Place place, mlir::Value mask, mlir::Value other,
                   mlir::Location loc, bool isVolatile = false);
  mlir::Value fromStored(mlir::Value value, mlir::Type element,
                         mlir::Location loc);
  void store(Place place, mlir::Value value, mlir::Value mask,
             mlir::Location loc, mlir::Value streams = {});

  LoweringState &state;
  mlir::OpBuilder &b;
  mlir::OpBuilder::InsertPoint base;
  llvm::SmallVector<mlir::Block *> levels;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Slice, mlir::Value>>>
      known;
  llvm::DenseMap<std::pair<mlir::Operation *, int>, Range> ranges;
  /// Whether a store writes more than caches keep.
  llvm::DenseMap<mlir::Operation *, mlir::Value> large;
};

/// How many lanes at most a slice along `axis` may have, so that no reshape or
/// concatenation on the way cuts it.
int64_t laneLimit(const Plan &plan, mlir::Value tile, int axis);

/// Bytes in memory of a scalar, a pointer or an element of a home.
int64_t storedBytes(mlir::Type element);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_SLICES_H
