//===- ControlRules.cpp - loops and branches of `scf` ---------------------===//

#include "interp/Evaluation.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tesela::interp {

namespace {

bool runIf(Evaluation &evaluation, Operation &op) {
  auto branch = cast<scf::IfOp>(op);
  bool taken = evaluation.get(branch.getCondition())[0];
  Region &region = taken ? branch.getThenRegion() : branch.getElseRegion();
  if (region.empty())
    return true;
  if (!evaluation.runBlock(region.front()))
    return false;
  evaluation.move(region.front().getTerminator()->getOperands(),
                  op.getResults());
  return true;
}

bool runFor(Evaluation &evaluation, Operation &op) {
  auto loop = cast<scf::ForOp>(op);
  Type type = loop.getInductionVar().getType();
  unsigned width = elementWidth(type);
  // 128 bits hold every bound and one step more.
  __extension__ using Wide = __int128;
  auto read = [&](Value value) -> Wide {
    uint64_t bits = evaluation.get(value)[0];
    return loop.getUnsignedCmp() ? Wide(bits) : Wide(signExtend(bits, width));
  };
  Wide upper = read(loop.getUpperBound()), step = read(loop.getStep());
  Wide lower = read(loop.getLowerBound());
  // Without an iteration nothing is made of the step.
  if (step <= 0 && lower < upper)
    return evaluation.fail(op, "has a step that is not positive");
  evaluation.move(loop.getInitArgs(), loop.getRegionIterArgs());
  for (Wide i = lower; i < upper; i += step) {
    evaluation.setScalar(loop.getInductionVar(), lowBits(uint64_t(i), width));
    if (!evaluation.runBlock(*loop.getBody()))
      return false;
    evaluation.move(loop.getBody()->getTerminator()->getOperands(),
                    loop.getRegionIterArgs());
  }
  evaluation.move(loop.getRegionIterArgs(), op.getResults());
  return true;
}

bool runWhile(Evaluation &evaluation, Operation &op) {
  auto loop = cast<scf::WhileOp>(op);
  evaluation.move(loop.getInits(), loop.getBeforeArguments());
  while (true) {
    if (!evaluation.runBlock(*loop.getBeforeBody()))
      return false;
    scf::ConditionOp condition = loop.getConditionOp();
    if (!evaluation.get(condition.getCondition())[0]) {
      evaluation.move(condition.getArgs(), op.getResults());
      return true;
    }
    evaluation.move(condition.getArgs(), loop.getAfterArguments());
    if (!evaluation.runBlock(*loop.getAfterBody()))
      return false;
    evaluation.move(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
  }
}

bool runRegion(Evaluation &evaluation, Operation &op) {
  Block &body = op.getRegion(0).front();
  if (!evaluation.runBlock(body))
    return false;
  evaluation.move(body.getTerminator()->getOperands(), op.getResults());
  return true;
}

bool runSwitch(Evaluation &evaluation, Operation &op) {
  auto choice = cast<scf::IndexSwitchOp>(op);
  auto value = int64_t(evaluation.get(choice.getArg())[0]);
  Block *chosen = &choice.getDefaultBlock();
  for (auto [index, label] : llvm::enumerate(choice.getCases()))
    if (label == value)
      chosen = &choice.getCaseBlock(index);
  if (!evaluation.runBlock(*chosen))
    return false;
  evaluation.move(chosen->getTerminator()->getOperands(), op.getResults());
  return true;
}

} // namespace

void addControlRules(RuleTable &table) {
  addRule<scf::IfOp>(table, runIf);
  addRule<scf::ForOp>(table, runFor);
  addRule<scf::WhileOp>(table, runWhile);
  addRule<scf::ExecuteRegionOp>(table, runRegion);
  addRule<scf::IndexSwitchOp>(table, runSwitch);
}

} // namespace tesela::interp
