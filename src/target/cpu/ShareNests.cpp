//===- ShareNests.cpp - equal loops become calls of one function ----------===//
//
//   scf.for … { dot of %a, %b }            call @kernel.nest0(%a, %b)
//   scf.for … { dot of %c, %d }    ==>     call @kernel.nest0(%c, %d)
//
//   func.func private @kernel.nest0(%x, %y) { scf.for … { dot of %x, %y } }
//
// What a loop takes from outside becomes a parameter, except for constants that
// are the same in all of them. Small loops are left alone, and so are those
// with results. Code is generated once for all; the calls cost nothing beside
// what they do.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tesela::cpu {
#define GEN_PASS_DEF_CPUSHARENESTS
#include "target/cpu/Passes.h.inc"

namespace {

/// Equal loops. Each has a list of what it takes from outside, in the same
/// order.
struct Group {
  unsigned size;
  SmallVector<scf::ForOp> loops;
  SmallVector<SmallVector<Value>> captures;
};

unsigned countOps(scf::ForOp loop) {
  unsigned count = 0;
  loop.walk([&](Operation *) { ++count; });
  return count;
}

bool isInside(Value value, scf::ForOp loop) {
  return loop->isAncestor(value.getParentBlock()->getParentOp());
}

SmallVector<Value> capturesOf(scf::ForOp loop) {
  llvm::SetVector<Value> captures;
  loop.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!isInside(operand, loop))
        captures.insert(operand);
  });
  return captures.takeVector();
}

/// Whether `other` does what `loop` does; then `captures` are the counterparts
/// of what `loop` takes from outside.
bool areEqual(scf::ForOp loop, ArrayRef<Value> ownCaptures, scf::ForOp other,
              SmallVector<Value> &captures) {
  DenseMap<Value, Value> inside;
  auto check = [&](Value one, Value two) -> LogicalResult {
    auto known = inside.find(one);
    return success(known == inside.end() ? !isInside(one, loop)
                                         : known->second == two);
  };
  auto mark = [&](Value one, Value two) { inside[one] = two; };
  if (!OperationEquivalence::isEquivalentTo(
          loop, other, check, mark, OperationEquivalence::IgnoreLocations))
    return false;

  // Each value from outside needs one counterpart, from outside too.
  SmallVector<Operation *> ops;
  loop.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  DenseMap<Value, Value> outside;
  bool isSound = true;
  const auto *op = ops.begin();
  other.walk<WalkOrder::PreOrder>([&](Operation *twin) {
    for (auto [one, two] : llvm::zip((*op)->getOperands(), twin->getOperands()))
      if (!isInside(one, loop))
        isSound &= !isInside(two, other) &&
                   outside.try_emplace(one, two).first->second == two;
    ++op;
  });
  for (Value capture : ownCaptures)
    captures.push_back(outside.lookup(capture));
  return isSound;
}

struct CpuShareNests : impl::CpuShareNestsBase<CpuShareNests> {
  using CpuShareNestsBase::CpuShareNestsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!function.isDeclaration())
        share(function, symbols);
  }

  /// Outermost loops first; what was inside of them is looked at again.
  void share(func::FuncOp function, SymbolTable &symbols) {
    for (unsigned number = 0;; ++number) {
      SmallVector<Group> groups = findGroups(function);
      auto equal = llvm::find_if(
          groups, [](const Group &group) { return group.loops.size() > 1; });
      if (equal == groups.end())
        return;
      outline(function, *equal, number, symbols);
    }
  }

  SmallVector<Group> findGroups(func::FuncOp function) {
    SmallVector<Group> groups;
    function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      unsigned size = countOps(loop);
      if (size < fewest)
        return WalkResult::skip();
      if (loop.getNumResults() != 0)
        return WalkResult::advance();
      for (Group &group : groups) {
        SmallVector<Value> captures;
        if (group.size == size &&
            areEqual(group.loops.front(), group.captures.front(), loop,
                     captures)) {
          group.loops.push_back(loop);
          group.captures.push_back(std::move(captures));
          return WalkResult::skip();
        }
      }
      Group &group = groups.emplace_back();
      group.size = size;
      group.loops.push_back(loop);
      group.captures.push_back(capturesOf(loop));
      return WalkResult::advance();
    });
    return groups;
  }

  void outline(func::FuncOp function, const Group &group, unsigned number,
               SymbolTable &symbols) {
    // The parameters: all but constants that every loop takes.
    SmallVector<unsigned> passed;
    SmallVector<Type> types;
    for (auto [index, value] : llvm::enumerate(group.captures.front())) {
      bool isSame = llvm::all_of(group.captures, [&](ArrayRef<Value> captures) {
        return captures[index] == value;
      });
      if (isSame && matchPattern(value, m_Constant()))
        continue;
      passed.push_back(index);
      types.push_back(value.getType());
    }

    scf::ForOp first = group.loops.front();
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfter(function);
    auto shared = func::FuncOp::create(
        builder, first.getLoc(),
        (function.getName() + ".nest" + Twine(number)).str(),
        builder.getFunctionType(types, {}));
    shared.setPrivate();
    shared->setAttr(
        "llvm.linkage",
        LLVM::LinkageAttr::get(function.getContext(), LLVM::Linkage::Internal));
    symbols.insert(shared);

    builder.setInsertionPointToStart(shared.addEntryBlock());
    IRMapping mapping;
    for (auto [argument, index] : llvm::zip(shared.getArguments(), passed))
      mapping.map(group.captures.front()[index], argument);
    for (Value value : group.captures.front())
      if (!mapping.contains(value))
        builder.clone(*value.getDefiningOp(), mapping);
    builder.clone(*first, mapping);
    func::ReturnOp::create(builder, first.getLoc());

    for (auto &&[equal, captures] : llvm::zip(group.loops, group.captures)) {
      scf::ForOp loop = equal;
      builder.setInsertionPoint(loop);
      SmallVector<Value> arguments;
      for (unsigned index : passed)
        arguments.push_back(captures[index]);
      func::CallOp::create(builder, loop.getLoc(), shared, arguments);
      loop.erase();
      ++numShared;
    }
  }
};

} // namespace
} // namespace tesela::cpu
