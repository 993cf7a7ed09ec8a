//===- CheckStage.cpp - nothing survives its stage ------------------------===//
//
// An op that a later stage has no lowering for would end in an error about
// conversions. Here it is named, at the user's line, right after the stage that
// should have replaced it.
//
//===----------------------------------------------------------------------===//

#include "dialect/tile/Tile.h"
#include "target/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tesela {
#define GEN_PASS_DEF_CHECKSTAGE
#include "target/Passes.h.inc"

namespace {

/// What upstream's conversion makes an instruction of.
static bool isInstruction(Operation *op) {
  if (auto power = dyn_cast<math::Exp2Op>(op))
    return arith::bitEnumContainsAll(power.getFastmath(),
                                     arith::FastMathFlags::afn);
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundEvenOp,
             math::RoundOp, math::SqrtOp, math::TruncOp>(op);
}

static bool hasTile(TypeRange types) {
  return llvm::any_of(types, [](Type type) { return isa<TensorType>(type); });
}

struct CheckStage : impl::CheckStageBase<CheckStage> {
  using CheckStageBase::CheckStageBase;

  bool mayStay(Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (stage == "llvm")
      return isa<ModuleOp>(op) || dialect == "llvm" || dialect == "nvvm";
    if (isa_and_nonnull<tile::TileDialect>(op->getDialect()) ||
        hasTile(op->getOperandTypes()) || hasTile(op->getResultTypes()))
      return false;
    if (stage == "math")
      return !isa<arith::RemFOp>(op) &&
             (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
              isInstruction(op));
    return true;
  }

  void runOnOperation() override {
    if (stage != "loops" && stage != "math" && stage != "llvm") {
      getOperation().emitError("no stage is called `") << stage << "`";
      return signalPassFailure();
    }
    getOperation().walk([&](Operation *op) {
      if (mayStay(op))
        return WalkResult::advance();
      op->emitError("`") << op->getName() << "` is left after the stage `"
                         << stage << "`";
      signalPassFailure();
      return WalkResult::interrupt();
    });
  }
};

} // namespace

void addStageCheck(OpPassManager &manager, const char *stage) {
  CheckStageOptions options;
  options.stage = stage;
  manager.addPass(createCheckStage(options));
}

} // namespace tesela
