//===- Plan.h - which tiles are stored, and which loops compute what ------===//

#ifndef TESELA_TARGET_CPU_PLAN_H
#define TESELA_TARGET_CPU_PLAN_H

#include "target/cpu/Fusion.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <deque>
#include <map>

namespace tesela::cpu {

struct LoweringOptions {
  unsigned vectorBytes = 32;
  unsigned vectorRegisters = 16;
  uint64_t cacheBytes = 128 << 20;
};

/// Scratch memory that holds one tile.
struct Home {
  llvm::SmallVector<int64_t> shape;
  /// As in memory: a boolean is a byte.
  mlir::Type element;
  /// Elements from one index to the next, per axis.
  llvm::SmallVector<int64_t> strides;
  int64_t bytes = 0;
  /// Its address, once the lowering has come across it.
  mlir::Value pointer;
};

/// What a nest is there for.
struct Root {
  enum Kind : uint8_t {
    /// Writes `op`'s value to memory.
    Store,
    /// Changes memory in one step.
    Atomic,
    /// Combines along an axis.
    Reduce,
    /// Combines along an axis up to each element.
    Scan,
    /// Puts `source` into `target`.
    Copy
  };
  Kind kind;
  mlir::Operation *op = nullptr;
  mlir::Value source = {};
  Home *target = nullptr;
  /// Where to copy from, where there is no `source`.
  Home *fromHome = nullptr;

  /// The tiles that it reads at the indices of the nest.
  llvm::SmallVector<mlir::Value> tiles() const;
};

struct Step {
  enum Kind : uint8_t { Single, Nest, Dot };
  Kind kind;
  /// `Single`: an op to lower by itself; `Dot`: the dot.
  mlir::Operation *op = nullptr;
  /// `Nest`: in program order.
  llvm::SmallVector<Root> roots = {};
  llvm::SmallVector<int64_t> shape = {};
  /// The one root of a `Nest` that shares its loops with no other: a scan, for
  /// which they run in its order.
  bool isAlone = false;
};

/// Dots of a loop that only add to what the loop carries. They are computed
/// once for several iterations, over a longer K.
struct DeferredDots {
  int64_t iterations = 1;
  llvm::SmallVector<mlir::Operation *> dots;
  /// Where one iteration puts an operand: a part of the home that the dot
  /// reads, `step` elements further from iteration to iteration.
  struct Window {
    Home *part;
    Home *whole;
    int64_t step;
  };
  llvm::SmallVector<Window> windows;
};

struct BlockPlan {
  std::vector<Step> steps;
  /// Scalar ops that come before step i; one entry more than there are steps.
  std::vector<llvm::SmallVector<mlir::Operation *>> scalars;
  /// Loads that make a detour around a store, before step i.
  llvm::DenseMap<int, llvm::SmallVector<mlir::Operation *>> detours;
};

/// Everything that is decided before the first op is written.
class Plan {
public:
  static Plan make(mlir::func::FuncOp kernel, const LoweringOptions &options);

  /// Null where the tile is computed by those who use it.
  Home *homeOf(mlir::Value tile) const { return homes.lookup(tile); }
  /// The widened copy that a dot reads as operand 0 or 1.
  Home *dotOperand(mlir::Operation *dot, unsigned operand) const {
    return operandHomes.at({dot, operand});
  }
  /// Null where a loop has none.
  const DeferredDots *deferredIn(mlir::Operation *loop) const {
    auto found = deferred.find(loop);
    return found == deferred.end() ? nullptr : &found->second;
  }
  /// The store that a load makes a detour around, or null.
  mlir::Operation *detourAround(mlir::Operation *load) const {
    return storesAround.lookup(load);
  }
  /// Where such a load is copied to.
  Home *detourHome(mlir::Operation *load) const {
    return detourHomes.lookup(load);
  }
  bool isDeferred(mlir::Operation *dot) const {
    const DeferredDots *dots = deferredIn(dot->getParentOp());
    return dots && llvm::is_contained(dots->dots, dot);
  }
  const BlockPlan &of(mlir::Block *block) const { return blocks.at(block); }

private:
  friend class Planner;
  friend class BlockPlanner;

  Home *newHome(mlir::ArrayRef<int64_t> shape, mlir::Type element,
                bool padRows);

  std::deque<Home> allHomes;
  llvm::DenseMap<mlir::Value, Home *> homes;
  std::map<std::pair<mlir::Operation *, unsigned>, Home *> operandHomes;
  std::map<mlir::Block *, BlockPlan> blocks;
  std::map<mlir::Operation *, DeferredDots> deferred;
  llvm::MapVector<mlir::Operation *, mlir::Operation *> storesAround;
  llvm::DenseMap<mlir::Operation *, Home *> detourHomes;
};

/// The type in which a dot multiplies and adds.
mlir::Type dotComputeType(mlir::Type accumulator);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_PLAN_H
