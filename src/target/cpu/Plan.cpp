//===- Plan.cpp - which tiles are stored, and which loops compute what ----===//
//
// Stored are: what a loop or a branch carries; results of dots, reductions,
// scans and atomic ops; sources of reshapes that cut rows to pieces and of
// gathers; loads whose memory is written before their last use; and what costs
// much and is computed in several nests, or several times in one. To know the
// last of these, blocks are planned once without it.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Plan.h"

#include "analysis/MemoryDependence.h"
#include "dialect/tile/Tile.h"
#include "target/cpu/BlockPlanner.h"
#include "target/cpu/Detour.h"
#include "target/cpu/DotPlanner.h"
#include "target/cpu/Pointwise.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tesela::analysis;

namespace tesela::cpu {

/// What is cheaper than this is computed again rather than stored.
static constexpr int cheap = 6;

static int64_t bytesOf(Type element) {
  if (!element.isIntOrFloat())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

int64_t dotVectors(const LoweringOptions &options) {
  return options.vectorRegisters >= 32 && options.vectorBytes >= 64 ? 4 : 2;
}

int64_t dotPanel(const LoweringOptions &options, Type compute) {
  return std::max<int64_t>(options.vectorBytes / bytesOf(compute), 1) *
         dotVectors(options);
}

Type dotComputeType(Type accumulator) {
  auto floatType = dyn_cast<FloatType>(accumulator);
  if (floatType && floatType.getWidth() < 32)
    return Float32Type::get(accumulator.getContext());
  return accumulator;
}

static Type memoryType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (isa<tile::PtrType>(element))
    return LLVM::LLVMPointerType::get(element.getContext());
  return element;
}

bool isPairedDot(const LoweringOptions &options, tile::DotOp dot) {
  ArrayRef<int64_t> right = shapeOf(dot.getB());
  auto isByte = [](Value tile) {
    return cast<RankedTensorType>(tile.getType()).getElementType().isInteger(8);
  };
  Type sum = dot.getType().getElementType();
  return options.multipliesPairs && isByte(dot.getA()) && isByte(dot.getB()) &&
         sum.isInteger(32) && right.size() == 2 && right[0] % 2 == 0 &&
         right[1] % dotPanel(options, sum) == 0;
}

/// Rows are padded by a cache line, so that a column does not fall into one set
/// of the cache.
Home *Plan::newHome(ArrayRef<int64_t> shape, Type element, bool padRows) {
  Home home;
  home.shape.assign(shape.begin(), shape.end());
  home.element = memoryType(element);
  home.strides.assign(shape.size(), 1);
  int64_t bytes = bytesOf(home.element);
  for (int axis = int(shape.size()) - 2; axis >= 0; --axis) {
    int64_t row = shape[axis + 1];
    if (padRows && axis + 2 == int(shape.size()) && row * bytes >= 256 &&
        row * bytes % 64 == 0)
      row += 64 / bytes;
    home.strides[axis] = home.strides[axis + 1] * row;
  }
  home.bytes = home.strides[0] * shape[0] * bytes;
  return &allHomes.emplace_back(std::move(home));
}

SmallVector<const LoopOperand *> Plan::keptOperands() const {
  SmallVector<const LoopOperand *> result;
  auto add = [&](ArrayRef<LoopOperand> operands) {
    for (const LoopOperand &operand : operands)
      if (operand.keys)
        result.push_back(&operand);
  };
  for (const auto &[loop, dots] : deferred)
    add(dots.operands);
  for (const auto &[loop, operands] : kept)
    add(operands);
  return result;
}

class Planner {
public:
  Planner(func::FuncOp kernel, const LoweringOptions &options)
      : kernel(kernel), planning(options) {}

  Plan run() {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      unsigned number = planning.order.size();
      planning.order[op] = number;
      if (isa<tile::StoreOp, tile::ViewStoreOp, tile::BarrierOp>(op) ||
          tile::isAtomic(op))
        writes.push_back(op);
    });
    keepWhatMust();
    planBlocks();
    if (keepCostly())
      planBlocks();
    return std::move(planning.plan);
  }

private:
  void keep(Value tile) {
    if (isTile(tile))
      stored.insert(tile);
  }

  void keepWhatMust();
  bool isOverwritten(Operation *load);
  bool readsInStep(Operation *store, Operation *load);
  bool keepCostly();
  int costOf(Value tile);
  void planBlocks();
  void makeHomes();

  func::FuncOp kernel;
  Planning planning;
  SmallVector<Operation *> writes;
  /// Loads, each with the one store that may overwrite what it reads.
  SmallVector<std::pair<Operation *, Operation *>> detours;
  llvm::DenseSet<Value> stored;
  llvm::DenseSet<Value> inOneStretch;
  llvm::DenseMap<Value, int> costs;
};

void Planner::keepWhatMust() {
  kernel.walk([&](Operation *op) {
    if (isa<tile::DotOp, tile::ReduceOp, tile::ScanOp>(op)) {
      for (Value result : op->getResults())
        keep(result);
    } else if (tile::isAtomic(op)) {
      if (!op->use_empty())
        keep(op->getResult(0));
    } else if (auto gather = dyn_cast<tile::GatherOp>(op)) {
      keep(gather.getSource());
    } else if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
      Value source = reshape.getSource();
      if (!isRowReshape(shapeOf(source), shapeOf(reshape.getResult()))) {
        keep(source);
        inOneStretch.insert(source);
      }
    } else if (op->hasTrait<OpTrait::IsTerminator>()) {
      for (auto [value, target] : carriedYields(op))
        if (value.getParentBlock() == op->getBlock())
          keep(value);
    }
  });
  kernel.walk([&](Operation *op) {
    if (isa<tile::LoadOp, tile::ViewLoadOp>(op) && isTile(op->getResult(0)) &&
        isOverwritten(op))
      keep(op->getResult(0));
  });
}

/// Whether `store` reads the load at the indices that it writes.
bool Planner::readsInStep(Operation *store, Operation *load) {
  SmallVector<std::pair<Value, AxisMap>> work;
  Root root{Root::Store, store};
  for (Value tile : root.tiles())
    work.emplace_back(tile, identityMap(shapeOf(tile).size()));
  ArrayRef<int64_t> shape = shapeOf(root.tiles().front());
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    auto [tile, axes] = work.pop_back_val();
    bool identity = isIdentity(axes, shapeOf(tile), shape);
    if (tile == load->getResult(0) && !identity)
      return false;
    if (stored.contains(tile) || (identity && !seen.insert(tile).second))
      continue;
    forEachTileOperand(tile, axes, [&](Value operand, ArrayRef<int> map) {
      work.emplace_back(operand, AxisMap(map));
    });
  }
  return true;
}

/// Whether a write may come between a load and a later computation that would
/// read its memory, and no detour around it is possible.
bool Planner::isOverwritten(Operation *load) {
  if (auto pointers = dyn_cast<tile::LoadOp>(load))
    if (pointers.getIsVolatile())
      return true;
  // What computes with it, through tiles that are computed by their users.
  SmallVector<Operation *> readers;
  SmallVector<Value> work{load->getResult(0)};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value tile = work.pop_back_val();
    if (!seen.insert(tile).second)
      continue;
    for (Operation *user : tile.getUsers()) {
      bool isFused = user->getNumRegions() == 0 && user->getNumResults() != 0 &&
                     !tile::isAtomic(user) &&
                     llvm::all_of(user->getResults(), [&](Value result) {
                       return isTile(result) && !stored.contains(result);
                     });
      if (isFused)
        llvm::append_range(work, user->getResults());
      else
        readers.push_back(user);
    }
  }
  unsigned from = planning.order.lookup(load);
  Operation *around = nullptr;
  for (Operation *reader : readers) {
    // Inside of an op of the load's block, all of that op counts.
    Operation *inBlock = load->getBlock()->findAncestorOpInBlock(*reader);
    unsigned to = planning.order.lookup(reader);
    if (inBlock && inBlock != reader)
      inBlock->walk([&](Operation *op) {
        to = std::max(to, planning.order.lookup(op) + 1);
      });
    for (Operation *write : writes) {
      unsigned at = planning.order.lookup(write);
      if (at <= from || at > to)
        continue;
      AccessRelation relation = accessRelation(load, write);
      if (relation == AccessRelation::NoAlias)
        continue;
      if (write == reader && inBlock == reader &&
          relation == AccessRelation::SameCoordinates &&
          readsInStep(write, load))
        continue;
      bool isOther = around && around != write;
      if (isOther || inBlock != reader || !canDetour(load, write))
        return true;
      around = write;
    }
  }
  if (around)
    detours.emplace_back(load, around);
  return false;
}

int Planner::costOf(Value tile) {
  if (stored.contains(tile) || isa<BlockArgument>(tile))
    return 1;
  auto known = costs.find(tile);
  if (known != costs.end())
    return known->second;
  int cost = pointwiseCost(tile.getDefiningOp());
  forEachTileOperand(tile, identityMap(shapeOf(tile).size()),
                     [&](Value operand, ArrayRef<int>) {
                       cost = std::min(cost + costOf(operand), 1000);
                     });
  costs[tile] = cost;
  return cost;
}

/// Stores what was found to be computed more than once and is not cheap.
bool Planner::keepCostly() {
  struct Count {
    std::pair<Block *, int> first{nullptr, -1};
    bool several = false;
  };
  llvm::MapVector<Value, Count> counts;
  for (const Evaluation &evaluation : planning.evaluations) {
    Count &count = counts[evaluation.tile];
    std::pair<Block *, int> at(evaluation.block, evaluation.step);
    if (!count.first.first)
      count.first = at;
    Operation *op = evaluation.tile.getDefiningOp();
    if (count.first != at || evaluation.repeated ||
        op->getBlock() != evaluation.block)
      count.several = true;
  }
  SmallVector<Value> candidates;
  for (auto &[tile, count] : counts)
    if (count.several)
      candidates.push_back(tile);
  llvm::sort(candidates, [&](Value lhs, Value rhs) {
    return planning.order.lookup(lhs.getDefiningOp()) <
           planning.order.lookup(rhs.getDefiningOp());
  });
  bool any = false;
  for (Value tile : candidates) {
    if (stored.contains(tile) || costOf(tile) <= cheap)
      continue;
    stored.insert(tile);
    any = true;
    costs.clear();
  }
  return any;
}

/// One home for each stored tile, one for all that a loop calls the same.
void Planner::makeHomes() {
  Plan &plan = planning.plan;
  auto home = [&](Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    bool pad = !inOneStretch.contains(tile);
    plan.homes[tile] =
        plan.newHome(type.getShape(), type.getElementType(), pad);
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [argument, result] :
           llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
        if (isTile(argument)) {
          Value decisive =
              inOneStretch.contains(result) ? Value(result) : Value(argument);
          home(decisive);
          plan.homes[argument] = plan.homes[result] =
              plan.homes.lookup(decisive);
        }
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (Value argument : loop.getBeforeArguments())
        if (isTile(argument))
          home(argument);
      for (auto [argument, result] :
           llvm::zip(loop.getAfterArguments(), loop.getResults()))
        if (isTile(argument)) {
          Value decisive =
              inOneStretch.contains(result) ? Value(result) : Value(argument);
          home(decisive);
          plan.homes[argument] = plan.homes[result] =
              plan.homes.lookup(decisive);
        }
    } else {
      for (Value result : op->getResults())
        if (isTile(result) && (isa<scf::IfOp>(op) || stored.contains(result)))
          home(result);
    }
  });
  for (auto [load, store] : detours) {
    Value tile = load->getResult(0);
    if (stored.contains(tile))
      continue;
    plan.storesAround[load] = store;
    plan.detourHomes[load] = plan.newHome(
        shapeOf(tile), cast<RankedTensorType>(tile.getType()).getElementType(),
        /*padRows=*/false);
  }
  DotPlanner(planning, kernel, writes, stored).run();
}

void Planner::planBlocks() {
  planning.plan = Plan();
  planning.copiesOf.clear();
  planning.evaluations.clear();
  makeHomes();
  BlockPlanner(planning, kernel.getBody().front()).run();
}

Plan Plan::make(func::FuncOp kernel, const LoweringOptions &options) {
  return Planner(kernel, options).run();
}

} // namespace tesela::cpu
