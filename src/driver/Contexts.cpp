//===- Contexts.cpp - contexts of MLIR that are kept ----------------------===//

#include "driver/Contexts.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/MLIRContext.h"

#include <mutex>
#include <vector>

namespace tesela::driver {

using namespace mlir;

/// Compilations that a context may serve, and contexts that may wait.
static constexpr unsigned mostUses = 32;
static constexpr size_t mostIdle = 4;

struct KeptContext {
  std::unique_ptr<MLIRContext> context;
  unsigned uses = 0;
};

namespace {

struct IdleContexts {
  std::mutex mutex;
  std::vector<std::unique_ptr<KeptContext>> idle;

  static IdleContexts &get() {
    // Never destroyed: a thread may compile while the process ends.
    static IdleContexts &contexts = *new IdleContexts;
    return contexts;
  }
};

} // namespace

std::unique_ptr<MLIRContext> makeContext() {
  auto context =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                       func::FuncDialect, math::MathDialect, scf::SCFDialect,
                       tile::TileDialect, ub::UBDialect>();
  return context;
}

LentContext lendContext() {
  IdleContexts &contexts = IdleContexts::get();
  std::unique_ptr<KeptContext> kept;
  {
    std::lock_guard lock(contexts.mutex);
    if (!contexts.idle.empty()) {
      kept = std::move(contexts.idle.back());
      contexts.idle.pop_back();
    }
  }
  if (!kept) {
    kept = std::make_unique<KeptContext>();
    kept->context = makeContext();
  }
  ++kept->uses;
  MLIRContext *context = kept->context.get();
  return {context, {kept.release()}};
}

void ReturnContext::operator()(MLIRContext *) const {
  std::unique_ptr<KeptContext> owned(kept);
  IdleContexts &contexts = IdleContexts::get();
  std::lock_guard lock(contexts.mutex);
  if (owned->uses < mostUses && contexts.idle.size() < mostIdle)
    contexts.idle.push_back(std::move(owned));
}

} // namespace tesela::driver
