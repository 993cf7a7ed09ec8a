//===- SplitCode.cpp - two halves of a kernel's code ----------------------===//
//
//   func @k { scf.for %instance {         func @k { scf.for %instance {
//     scf.for … { A }                       scf.for … { A }
//     scf.for … { B }              ==>      call @k.half0
//   } }                                   } }
//                                         func @k.half0 { scf.for … { B } }
//                                           attributes {tile.second_half}
//
// Functions, and loops that an instance runs once, go one by one to the half
// that has less, the largest first. A loop whose function is in the other half
// becomes a function. That costs nanoseconds an instance, so that only long
// loops may be taken; those inside of others stay where they are.
//
// The halves are the same on every machine, whether or not it has a processor
// for each.
//
//===----------------------------------------------------------------------===//

#include "target/SplitCode.h"

#include "target/Outline.h"
#include "target/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tesela {
#define GEN_PASS_DEF_SPLITCODE
#include "target/Passes.h.inc"

namespace {

/// A loop with fewer operations than this stays in its function, and one that
/// runs fewer of them: beside these a call is nothing.
constexpr unsigned fewestInLoop = 40;
constexpr int64_t fewestRun = 8192;

/// A function without its candidates, or one of these.
struct Piece {
  unsigned size;
  func::FuncOp function;
  scf::ForOp loop;
  bool isSecond = false;
};

/// An operation on several registers is that many instructions.
unsigned sizeOf(Operation *op) {
  constexpr int64_t registerBits = 256;
  int64_t bits = 0;
  auto look = [&](Type type) {
    if (auto vector = dyn_cast<VectorType>(type);
        vector && vector.getElementType().isIntOrFloat())
      bits = std::max(bits, vector.getNumElements() *
                                vector.getElementTypeBitWidth());
  };
  llvm::for_each(op->getOperandTypes(), look);
  llvm::for_each(op->getResultTypes(), look);
  unsigned size = unsigned(std::max<int64_t>(1, bits / registerBits));
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      size += sizeOf(&inner);
  return size;
}

/// The most that an integer may be, where it says so itself; 0 where it does
/// not in so many steps.
int64_t mostOf(Value value, unsigned steps = 8) {
  if (steps-- == 0)
    return 0;
  auto either = [&](Value one, Value two) -> int64_t {
    int64_t most = mostOf(one, steps), other = mostOf(two, steps);
    return most && other ? std::max(most, other) : 0;
  };
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::clamp<int64_t>(constant.getSExtValue(), 1, INT32_MAX);
  if (auto least = value.getDefiningOp<arith::MinSIOp>()) {
    int64_t most = mostOf(least.getLhs(), steps);
    int64_t other = mostOf(least.getRhs(), steps);
    return most && other ? std::min(most, other) : most + other;
  }
  if (auto most = value.getDefiningOp<arith::MaxSIOp>())
    return either(most.getLhs(), most.getRhs());
  if (auto choice = value.getDefiningOp<arith::SelectOp>())
    return either(choice.getTrueValue(), choice.getFalseValue());
  // Rounded to a multiple: down by a mask, up by an addition before.
  if (auto masked = value.getDefiningOp<arith::AndIOp>())
    return mostOf(masked.getLhs(), steps);
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return mostOf(sum.getLhs(), steps);
  return 0;
}

/// Whether a block is so long that the loop may run many operations.
bool isLong(scf::ForOp loop, unsigned size) {
  APInt step;
  return matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
         step.isStrictlyPositive() &&
         mostOf(loop.getUpperBound()) / step.getSExtValue() * size >= fewestRun;
}

/// Private functions are loops that were taken out before.
bool isCandidate(scf::ForOp loop) {
  auto instances = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (!instances || loop.getNumResults() > 1)
    return false;
  auto function = dyn_cast<func::FuncOp>(instances->getParentOp());
  return function && !function.isPrivate();
}

/// All of the code. A function comes before the loops that were taken from it.
SmallVector<Piece> findPieces(ModuleOp module) {
  SmallVector<Piece> pieces;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration())
      continue;
    size_t own = pieces.size();
    pieces.push_back({sizeOf(function), function, nullptr});
    function.walk([&](scf::ForOp loop) {
      unsigned size = isCandidate(loop) ? sizeOf(loop) : 0;
      if (size < fewestInLoop || !isLong(loop, size))
        return;
      pieces[own].size -= size;
      pieces.push_back({size, function, loop});
    });
  }
  return pieces;
}

/// Gives each piece its half; false where one half has next to nothing.
bool divide(MutableArrayRef<Piece> pieces) {
  SmallVector<Piece *> bySize;
  for (Piece &piece : pieces)
    bySize.push_back(&piece);
  llvm::stable_sort(bySize, [](const Piece *one, const Piece *two) {
    return one->size > two->size;
  });
  unsigned sizes[2] = {};
  for (Piece *piece : bySize) {
    piece->isSecond = sizes[1] < sizes[0];
    sizes[piece->isSecond] += piece->size;
  }
  // The kernel, which comes first, is in the first half.
  if (pieces.front().isSecond)
    for (Piece &piece : pieces)
      piece.isSecond = !piece.isSecond;
  return std::min(sizes[0], sizes[1]) * 5 >= std::max(sizes[0], sizes[1]);
}

struct SplitCode : impl::SplitCodeBase<SplitCode> {
  using SplitCodeBase::SplitCodeBase;

  void runOnOperation() override {
    SmallVector<Piece> pieces = findPieces(getOperation());
    unsigned size = 0;
    for (const Piece &piece : pieces)
      size += piece.size;
    if (size < fewest || !divide(pieces))
      return;

    SymbolTable symbols(getOperation());
    unsigned number = 0;
    bool isFunctionSecond = false;
    for (Piece &piece : pieces) {
      if (!piece.loop) {
        isFunctionSecond = piece.isSecond;
        mark(piece.function, piece.isSecond);
      } else if (piece.isSecond != isFunctionSecond) {
        func::FuncOp made = outline(
            piece.function, nestOf(piece.loop),
            piece.function.getName() + ".half" + Twine(number++), symbols);
        mark(made, piece.isSecond);
        ++numOutlined;
      }
    }
  }

  void mark(func::FuncOp function, bool isSecond) {
    if (isSecond)
      function->setAttr(secondHalfAttr, UnitAttr::get(&getContext()));
  }
};

} // namespace

/// Declares in one half what it uses of the other; constants it gets, too.
static void declareUsed(ModuleOp user, ModuleOp other) {
  llvm::SetVector<StringAttr> names;
  if (auto uses = SymbolTable::getSymbolUses(&user.getRegion()))
    for (SymbolTable::SymbolUse use : *uses)
      names.insert(use.getSymbolRef().getRootReference());
  OpBuilder builder(user.getBodyRegion());
  for (StringAttr name : names) {
    Operation *known = other.lookupSymbol(name);
    if (!known || user.lookupSymbol(name))
      continue;
    auto function = dyn_cast<LLVM::LLVMFuncOp>(known);
    if (!function) {
      builder.clone(*known);
      continue;
    }
    if (!function.isExternal()) {
      function.setLinkage(LLVM::Linkage::External);
      function.setVisibility_(LLVM::Visibility::Hidden);
      function.setDsoLocal(true);
    }
    builder.insert(function->cloneWithoutRegions());
  }
}

OwningOpRef<ModuleOp> takeSecondHalf(ModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> taken;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(secondHalfAttr))
      taken.push_back(function);
  if (taken.empty())
    return {};
  OwningOpRef<ModuleOp> second = ModuleOp::create(module.getLoc());
  (*second)->setDiscardableAttrs(module->getDiscardableAttrDictionary());
  for (LLVM::LLVMFuncOp function : taken)
    function->moveBefore(second->getBody(), second->getBody()->end());
  declareUsed(module, *second);
  declareUsed(*second, module);
  return second;
}

} // namespace tesela
