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

#include "target/Outline.h"
#include "target/cpu/Passes.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace tesela::cpu {
#define GEN_PASS_DEF_CPUSHARENESTS
#include "target/cpu/Passes.h.inc"

namespace {

/// Equal loops. Each has a list of what it takes from outside, in the same
/// order.
struct Group {
  unsigned size;
  SmallVector<Nest> nests;
};

unsigned countOps(scf::ForOp loop) {
  unsigned count = 0;
  loop.walk([&](Operation *) { ++count; });
  return count;
}

/// Whether `other` does what `loop` does; then `captures` are the counterparts
/// of what `loop` takes from outside.
bool areEqual(const Nest &nest, scf::ForOp other,
              SmallVector<Value> &captures) {
  scf::ForOp loop = nest.loop;
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
  for (Value capture : nest.captures)
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
          groups, [](const Group &group) { return group.nests.size() > 1; });
      if (equal == groups.end())
        return;
      outline(function, equal->nests,
              function.getName() + ".nest" + Twine(number), symbols);
      numShared += equal->nests.size();
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
            areEqual(group.nests.front(), loop, captures)) {
          group.nests.push_back({loop, std::move(captures)});
          return WalkResult::skip();
        }
      }
      Group &group = groups.emplace_back();
      group.size = size;
      group.nests.push_back(nestOf(loop));
      return WalkResult::advance();
    });
    return groups;
  }
};

} // namespace
} // namespace tesela::cpu
