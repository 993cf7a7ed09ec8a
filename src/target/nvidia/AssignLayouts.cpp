//===- AssignLayouts.cpp - give every tile a layout -----------------------===//
//
//   %i = tile.iota 0 : tensor<128xi32>
//   %x = tile.view_load .. : tensor<128xf32>
//   %y = arith.addf %x, %z : tensor<128xf32>
//     ==>
//   %x = tile.view_load .. : tensor<128xf32, #a>
//   %y = arith.addf %x, %z : tensor<128xf32, #a>
//
// LayoutChoices says what each tile wants. Values that want nothing are
// computed where they are asked for, once for each layout; where a value is
// asked for in another layout than its own, `tgpu.convert` follows it.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Passes.h"

#include "analysis/AxisDependence.h"

#include "target/nvidia/LayoutChoices.h"
#include "target/nvidia/Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::nvidia {
#define GEN_PASS_DEF_NVIDIAASSIGNLAYOUTS
#include "target/nvidia/Passes.h.inc"

using layout::LinearLayout;
using layout::Shape;
using Rank = LayoutChoice::Rank;

namespace {

RankedTensorType tileType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

class Assigner {
public:
  Assigner(func::FuncOp kernel, unsigned numWarps, unsigned capability)
      : kernel(kernel), choices(kernel, numWarps, capability) {}

  void run() {
    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (tileType(argument))
              setLayout(argument, choices.layoutFor(argument));
    for (Operation *op : ops)
      for (OpResult result : op->getResults())
        if (tileType(result) && !isLazy(result))
          setLayout(result, choices.layoutFor(result));
    for (Operation *op : ops)
      if (op != kernel)
        assignOperands(op);
    // What is lazy was computed anew wherever it was wanted.
    for (Operation *op : llvm::reverse(ops))
      if (op->getNumResults() && isLazy(op->getResult(0)) && op->use_empty())
        op->erase();
  }

private:
  /// A result of an op that is computed anew for each layout.
  bool isLazy(Value value) {
    Operation *op = value.getDefiningOp();
    return op && tileType(value) && choices.get(value).rank == Rank::Lazy &&
           !isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op);
  }

  void setLayout(Value value, const LinearLayout &layout) {
    value.setType(withLayout(tileType(value), layout));
  }

  void require(OpOperand &operand, const LinearLayout &layout) {
    if (tileType(operand.get()))
      operand.set(getAs(operand.get(), layout));
  }

  /// The value in a layout, computed or converted right where the value is.
  Value getAs(Value value, const LinearLayout &layout) {
    RankedTensorType wanted = withLayout(tileType(value), layout);
    if (value.getType() == wanted)
      return value;
    Value &known = cache[{value, wanted}];
    if (!known) {
      OpBuilder b(kernel.getContext());
      b.setInsertionPointAfterValue(value);
      Value made = isLazy(value) ? recompute(b, value, layout, wanted)
                                 : convert(b, value, wanted);
      // Recomputing asks for other values, which may have moved the table.
      cache[{value, wanted}] = made;
      return made;
    }
    return known;
  }

  Value convert(OpBuilder &b, Value value, RankedTensorType wanted) {
    return gpu::ConvertOp::create(b, value.getLoc(), wanted, value);
  }

  Value recompute(OpBuilder &b, Value value, const LinearLayout &layout,
                  RankedTensorType wanted) {
    Operation *op = value.getDefiningOp();
    auto build = [&](ValueRange operands) {
      b.setInsertionPointAfter(op);
      IRMapping mapping;
      mapping.map(op->getOperands(), operands);
      Operation *copy = b.clone(*op, mapping);
      copy->getResult(0).setType(wanted);
      return copy->getResult(0);
    };
    auto buildFrom = [&](const LinearLayout &source) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(tileType(operand) ? getAs(operand, source)
                                             : operand);
      return build(operands);
    };
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      return arith::ConstantOp::create(
          b, op->getLoc(), wanted,
          elements.isSplat() ? DenseElementsAttr(SplatElementsAttr::get(
                                   wanted, elements.getSplatValue<Attribute>()))
                             : elements.reshape(wanted));
    }
    if (analysis::isElementwise(op) || isa<tile::IotaOp, tile::SplatOp>(op))
      return buildFrom(layout);
    if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
      return buildFrom(
          layout.reshape(Shape(tileType(expand.getSource()).getShape())));
    if (auto reshape = dyn_cast<tile::ReshapeOp>(op))
      return buildFrom(
          layout.reshape(Shape(tileType(reshape.getSource()).getShape())));
    if (auto spread = dyn_cast<tile::BroadcastOp>(op)) {
      LinearLayout source = layout;
      ArrayRef<int64_t> from = tileType(spread.getSource()).getShape();
      for (unsigned axis = 0; axis < from.size(); ++axis)
        if (from[axis] == 1)
          source = source.collapse(axis);
      return buildFrom(source.withoutRepeatedRegisters());
    }
    if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
      std::vector<unsigned> inverse(permute.getOrder().size());
      for (auto [axis, from] : llvm::enumerate(permute.getOrder()))
        inverse[from] = unsigned(axis);
      return buildFrom(layout.transpose(inverse));
    }
    if (isa<tile::JoinOp>(op))
      if (auto halves = layout.split())
        if (halves->layout.join() == layout)
          return buildFrom(halves->layout);
    return throughOwnLayout(b, value, wanted);
  }

  /// An op that can't give the layout asked for gives its own, converted.
  Value throughOwnLayout(OpBuilder &b, Value value, RankedTensorType wanted) {
    Operation *op = value.getDefiningOp();
    b.setInsertionPointAfter(op);
    Operation *copy = b.clone(*op);
    for (OpResult result : copy->getResults())
      setLayout(result, ownLayout(op));
    assignOperands(copy);
    b.setInsertionPointAfter(copy);
    Value result = copy->getResult(cast<OpResult>(value).getResultNumber());
    return result.getType() == wanted ? result : convert(b, result, wanted);
  }

  LinearLayout ownLayout(Operation *op) {
    auto type = tileType(op->getResult(0));
    if (isa<tile::JoinOp>(op))
      return choices.plainLayout(tileType(op->getOperand(0)).getShape()).join();
    return choices.plainLayout(type.getShape());
  }

  void assignOperands(Operation *op);
  void assignAccess(Operation *op, const LinearLayout &layout);

  func::FuncOp kernel;
  LayoutChoices choices;
  DenseMap<std::pair<Value, Type>, Value> cache;
};

/// Coordinates of one axis live where the tile's layout has that axis.
static LinearLayout alongAxis(LinearLayout layout, unsigned axis,
                              unsigned rank) {
  for (unsigned other = rank; other-- > 0;)
    if (other != axis)
      layout = layout.slice(other);
  return layout.withoutRepeatedRegisters();
}

void Assigner::assignAccess(Operation *op, const LinearLayout &layout) {
  MutableOperandRange offsets =
      llvm::TypeSwitch<Operation *, MutableOperandRange>(op)
          .Case<tile::ViewLoadOp, tile::ViewStoreOp, gpu::CopyViewOp>(
              [](auto access) { return access.getOffsetsMutable(); });
  unsigned first = offsets.size() ? offsets.begin()->getOperandNumber() : 0;
  unsigned rank = offsets.size();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tileType(operand.get()))
      continue;
    unsigned number = operand.getOperandNumber();
    bool isOffset = number >= first && number < first + rank;
    require(operand,
            isOffset ? alongAxis(layout, number - first, rank) : layout);
  }
}

void Assigner::assignOperands(Operation *op) {
  if (op->getNumResults() && isLazy(op->getResult(0)) &&
      !cast<RankedTensorType>(op->getResult(0).getType()).getEncoding())
    return;
  auto requireAll = [&](const LinearLayout &layout) {
    for (OpOperand &operand : op->getOpOperands())
      require(operand, layout);
  };
  auto requireSame = [&](MutableArrayRef<OpOperand> operands, auto &&values) {
    for (auto [operand, value] : llvm::zip_equal(operands, values))
      if (tileType(value))
        require(operand, layoutOf(tileType(value)));
  };
  auto resultLayout = [&] { return layoutOf(tileType(op->getResult(0))); };
  auto sourceShape = [&] {
    return Shape(tileType(op->getOperand(0)).getShape());
  };

  if (analysis::isElementwise(op) && tileType(op->getResult(0)))
    return requireAll(resultLayout());
  llvm::TypeSwitch<Operation *>(op)
      .Case<tile::ViewLoadOp, tile::ViewStoreOp>(
          [&](auto access) { assignAccess(op, choices.accessLayout(op)); })
      .Case([&](gpu::CopyViewOp copy) {
        LinearLayout layout = choices.accessLayout(op);
        copy.setTileAttr(TypeAttr::get(withLayout(copy.getTileType(), layout)));
        assignAccess(op, layout);
      })
      .Case<tile::LoadOp>([&](auto load) {
        if (tileType(load.getResult()))
          requireAll(resultLayout());
      })
      .Case<tile::StoreOp>([&](auto store) {
        if (tileType(store.getValue()))
          requireAll(choices.accessLayout(op));
      })
      .Case<tile::ExpandDimsOp, tile::ReshapeOp>([&](auto) {
        require(op->getOpOperand(0), resultLayout().reshape(sourceShape()));
      })
      .Case([&](tile::BroadcastOp spread) {
        LinearLayout source = resultLayout();
        ArrayRef<int64_t> from = tileType(spread.getSource()).getShape();
        for (unsigned axis = 0; axis < from.size(); ++axis)
          if (from[axis] == 1)
            source = source.collapse(axis);
        require(op->getOpOperand(0), source.withoutRepeatedRegisters());
      })
      .Case([&](tile::PermuteOp permute) {
        std::vector<unsigned> inverse(permute.getOrder().size());
        for (auto [axis, from] : llvm::enumerate(permute.getOrder()))
          inverse[from] = unsigned(axis);
        require(op->getOpOperand(0), resultLayout().transpose(inverse));
      })
      .Case([&](tile::JoinOp) {
        auto halves = resultLayout().split();
        requireAll(halves ? halves->layout : resultLayout());
      })
      .Case([&](tile::SplitOp split) {
        LinearLayout joined = resultLayout().join();
        require(op->getOpOperand(0), joined);
      })
      .Case([&](tile::CatOp cat) {
        for (OpOperand &operand : op->getOpOperands())
          require(operand,
                  choices.plainLayout(tileType(operand.get()).getShape()));
      })
      .Case([&](tile::ReduceOp reduce) {
        Value strongest = reduce.getSources()[0];
        for (Value source : reduce.getSources())
          if (choices.get(source).rank > choices.get(strongest).rank)
            strongest = source;
        requireAll(choices.layoutFor(strongest));
      })
      .Case<tile::ScanOp>([&](auto) { requireAll(resultLayout()); })
      .Case<tile::AtomicRMWOp, tile::AtomicCasOp>([&](auto atomic) {
        if (tileType(atomic.getResult()))
          requireAll(resultLayout());
      })
      .Case([&](tile::GatherOp gather) {
        require(gather.getIndicesMutable(), resultLayout());
        require(gather.getSourceMutable(),
                choices.layoutFor(gather.getSource()));
      })
      .Case([&](tile::DotOp dot) {
        DotLayouts layouts = choices.dotLayouts(dot);
        if (layouts.unit == DotUnit::Mma)
          dot->setAttr(mmaAttr, UnitAttr::get(dot.getContext()));
        require(dot->getOpOperand(2), layouts.acc);
        require(dot->getOpOperand(0),
                layouts.a ? *layouts.a : choices.layoutFor(dot.getA()));
        require(dot->getOpOperand(1),
                layouts.b ? *layouts.b : choices.layoutFor(dot.getB()));
      })
      .Case([&](gpu::MmaOp product) {
        DotLayouts layouts = choices.mmaLayouts(product);
        require(product.getAccMutable(), layouts.acc);
        if (layouts.a)
          require(product.getAMutable(), *layouts.a);
        if (layouts.b)
          require(product.getBMutable(), *layouts.b);
      })
      .Case([&](gpu::WgmmaOp dot) {
        require(dot.getAccMutable(), resultLayout());
        if (auto a = tileType(dot.getA()))
          require(dot.getAMutable(),
                  choices.wgmmaFactor(a, tileType(dot.getAcc())));
      })
      .Case([&](gpu::WgmmaWaitOp wait) {
        requireSame(op->getOpOperands(), wait.getResults());
      })
      .Case([&](gpu::StageOp stage) {
        require(stage.getSourceMutable(), choices.layoutFor(stage.getSource()));
      })
      .Case([&](gpu::BulkStoreOp store) {
        require(store.getValueMutable(), choices.layoutFor(store.getValue()));
      })
      .Case([&](scf::ForOp loop) {
        requireSame(loop.getInitArgsMutable(), loop.getRegionIterArgs());
      })
      .Case([&](scf::WhileOp loop) {
        requireSame(loop.getInitsMutable(), loop.getBeforeArguments());
      })
      .Case([&](scf::ConditionOp condition) {
        requireSame(
            condition.getArgsMutable(),
            condition->getParentOfType<scf::WhileOp>().getAfterArguments());
      })
      .Case([&](scf::YieldOp yield) {
        Operation *parent = yield->getParentOp();
        if (auto loop = dyn_cast<scf::ForOp>(parent))
          requireSame(op->getOpOperands(), loop.getRegionIterArgs());
        else if (auto loop = dyn_cast<scf::WhileOp>(parent))
          requireSame(op->getOpOperands(), loop.getBeforeArguments());
        else
          requireSame(op->getOpOperands(), parent->getResults());
      });
}

struct NvidiaAssignLayouts
    : impl::NvidiaAssignLayoutsBase<NvidiaAssignLayouts> {
  using NvidiaAssignLayoutsBase::NvidiaAssignLayoutsBase;

  void runOnOperation() override {
    if (getOperation()->hasAttr(tile::kernelAttr))
      Assigner(getOperation(), numWarps, capabilityOf(processor)).run();
  }
};

} // namespace
} // namespace tesela::nvidia
