//===- Plan.h - which tiles are stored, and which loops compute what ------===//

#ifndef TESELA_TARGET_CPU_PLAN_H
#define TESELA_TARGET_CPU_PLAN_H

#include "target/cpu/Fusion.h"
#include "target/cpu/SteppedView.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <deque>
#include <map>

namespace tesela::cpu {

struct LoweringOptions {
  unsigned vectorBytes = 32;
  unsigned vectorRegisters = 16;
  /// There is an instruction that multiplies pairs of i16 and adds up each.
  bool multipliesPairs = false;
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
  /// Columns of a panel, which lie side by side, and the next row of them
  /// behind: the rows of a panel follow each other. 0 where those of all the
  /// columns do.
  int64_t panel = 0;
  /// Elements from one panel to the next.
  int64_t panelStride = 0;
  /// Two rows take turns, element by element; with panels only.
  bool isPaired = false;
  /// Some of what is to be copied here may be found elsewhere.
  bool isOptional = false;
  /// Later instances find what this one leaves.
  bool isKept = false;
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
  /// which they run in its order, or an optional copy.
  bool isAlone = false;
};

/// An operand of a dot that an instance may leave to the next, or read in
/// place.
struct LoopOperand {
  mlir::Operation *dot;
  unsigned number;
  /// Where one iteration puts it: a part of the home that the dot reads,
  /// `step` elements further from iteration to iteration. Null where the
  /// operand always lies in place.
  Home *part = nullptr;
  Home *whole = nullptr;
  int64_t step = 0;
  /// What all iterations read, where that is one view.
  std::optional<SteppedView> source = {};
  /// It is read where it lies, as far as it exists.
  bool isInPlace = false;
  /// What an instance has copied is kept for the next, under keys, in so many
  /// places; in one, the last, for all that has none of its own.
  Home *keys = nullptr;
  int64_t places = 1;
};

/// Dots of a loop that only add to what the loop carries. They are computed
/// once for several iterations, over a longer K.
struct DeferredDots {
  int64_t iterations = 1;
  llvm::SmallVector<mlir::Operation *> dots;
  llvm::SmallVector<LoopOperand> operands;
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
  /// Whether a dot computes its right operand as it goes: it has so few rows
  /// that each element is needed once.
  bool isStreamed(mlir::Operation *dot) const { return streamed.contains(dot); }
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
  /// Operands of a loop's other dots that are kept, iteration by iteration.
  llvm::ArrayRef<LoopOperand> keptIn(mlir::Operation *loop) const {
    auto found = kept.find(loop);
    if (found == kept.end())
      return {};
    return found->second;
  }
  /// All that have keys, in the order of the text.
  llvm::SmallVector<const LoopOperand *> keptOperands() const;

private:
  friend class Planner;
  friend class BlockPlanner;
  friend class DotPlanner;

  Home *newHome(mlir::ArrayRef<int64_t> shape, mlir::Type element,
                bool padRows);
  Home *newOperandHome(mlir::ArrayRef<int64_t> shape, unsigned number,
                       mlir::Type element, int64_t panel, bool isPaired);

  std::deque<Home> allHomes;
  llvm::DenseMap<mlir::Value, Home *> homes;
  std::map<std::pair<mlir::Operation *, unsigned>, Home *> operandHomes;
  std::map<mlir::Block *, BlockPlan> blocks;
  llvm::MapVector<mlir::Operation *, DeferredDots> deferred;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<LoopOperand>> kept;
  llvm::DenseSet<mlir::Operation *> streamed;
  llvm::MapVector<mlir::Operation *, mlir::Operation *> storesAround;
  llvm::DenseMap<mlir::Operation *, Home *> detourHomes;
};

/// How many vectors of columns a dot works on at a time, and how many columns
/// that are.
int64_t dotVectors(const LoweringOptions &options);
int64_t dotPanel(const LoweringOptions &options, mlir::Type compute);

/// The type in which a dot multiplies and adds.
mlir::Type dotComputeType(mlir::Type accumulator);

/// Whether a dot of i8 works on pairs of i16.
bool isPairedDot(const LoweringOptions &options, tile::DotOp dot);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_PLAN_H
