//===- GroupInstances.cpp - which instance a block computes ---------------===//
//
//   %x = tile.program_id axis 0          %n = number of the block
//   %y = tile.program_id axis 1    ==>   %x, %y = the n-th instance, when they
//                                        are counted in groups of 8 along x:
//                                        down a group's x, then to the next y
//
// Blocks run about in the order of their numbers. Those of a product of
// matrices that run at one time should need few rows of A and few columns of B,
// so that these stay in the L2 cache: a near-square patch of the result instead
// of a strip. Instances have no order of their own, so that any will do, except
// where they wait for each other: those that wait count on the others' turn.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Passes.h"

#include "dialect/gpu/Gpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::nvidia {
#define GEN_PASS_DEF_NVIDIAGROUPINSTANCES
#include "target/nvidia/Passes.h.inc"

namespace {

constexpr int64_t groupHeight = 8;

class Grouping {
public:
  Grouping(func::FuncOp kernel) : b(kernel.getContext()), loc(kernel.getLoc()) {
    b.setInsertionPointToStart(&kernel.getBody().front());
    Value x = tile::ProgramIdOp::create(b, loc, b.getI32Type(), 0);
    Value y = tile::ProgramIdOp::create(b, loc, b.getI32Type(), 1);
    Value width = tile::NumProgramsOp::create(b, loc, b.getI32Type(), 0);
    Value height = tile::NumProgramsOp::create(b, loc, b.getI32Type(), 1);
    Value number = add(mul(y, width), x);
    Value inGroup = mul(height, constant(groupHeight));
    Value group = div(number, inGroup);
    Value first = mul(group, constant(groupHeight));
    Value rows = arith::MinUIOp::create(b, loc, sub(width, first),
                                        constant(groupHeight));
    Value within = sub(number, mul(group, inGroup));
    Value column = div(within, rows);
    Value row = sub(within, mul(column, rows));
    // A grid of more instances than 32 bits count stays as it is.
    Value isCountable = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                              width, constant(1 << 15));
    grouped[0] = select(isCountable, add(first, row), x);
    grouped[1] = select(isCountable, column, y);
  }

  Value operator[](unsigned axis) const { return grouped[axis]; }

private:
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) {
    return arith::SubIOp::create(b, loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return arith::MulIOp::create(b, loc, lhs, rhs);
  }
  Value div(Value lhs, Value rhs) {
    return arith::DivUIOp::create(b, loc, lhs, rhs);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }

  OpBuilder b;
  Location loc;
  Value grouped[2];
};

struct NvidiaGroupInstances
    : impl::NvidiaGroupInstancesBase<NvidiaGroupInstances> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    bool multiplies = false, waits = false;
    SmallVector<tile::ProgramIdOp> ids;
    bool uses[3] = {};
    kernel.walk([&](Operation *op) {
      multiplies |= isa<gpu::WgmmaOp, tile::DotOp>(op);
      waits |= tile::isAtomic(op) || isa<scf::WhileOp>(op);
      if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
        uses[id.getAxis()] = true;
        ids.push_back(id);
      }
    });
    if (!kernel->hasAttr(tile::kernelAttr) || !multiplies || waits ||
        !uses[0] || !uses[1] || !sharesRowsAndColumns(kernel))
      return;
    Grouping grouping(kernel);
    for (tile::ProgramIdOp id : ids)
      if (id.getAxis() < 2) {
        id.replaceAllUsesWith(grouping[unsigned(id.getAxis())]);
        id.erase();
      }
  }

  /// Whether the loop's copies depend on x alone and on y alone, each some: the
  /// factors of a product. (Attention's blocks of one head share all keys.)
  static bool sharesRowsAndColumns(func::FuncOp kernel) {
    bool onX = false, onY = false;
    auto visit = [&](ValueRange coordinates, ArrayRef<int32_t> ranks) {
      for (int32_t rank : ranks) {
        bool x = false, y = false;
        for (Value coordinate : coordinates.take_front(size_t(rank))) {
          x |= dependsOn(coordinate, 0);
          y |= dependsOn(coordinate, 1);
        }
        onX |= x && !y;
        onY |= y && !x;
        coordinates = coordinates.drop_front(size_t(rank));
      }
    };
    kernel.walk([&](gpu::RingFillOp fill) {
      visit(fill.getCoordinates(), fill.getRanks());
    });
    kernel.walk([&](gpu::RingFeedOp feed) {
      visit(feed.getCoordinates(), feed.getRanks());
    });
    return onX && onY;
  }

  static bool dependsOn(Value value, uint32_t axis) {
    SmallVector<Value> open = {value};
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || !seen.insert(op).second)
        continue;
      if (auto id = dyn_cast<tile::ProgramIdOp>(op))
        if (id.getAxis() == axis)
          return true;
      llvm::append_range(open, op->getOperands());
    }
    return false;
  }
};

} // namespace
} // namespace tesela::nvidia
