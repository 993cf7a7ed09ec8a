//===- MeetingsTest.cpp - accesses against all of their pairs -------------===//

#include "passes/Meetings.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace mlir;
using namespace tesela;

namespace {

/// A kernel with a load and a store in each of three blocks; the last two are
/// in one loop, and the product there eats the loads.
constexpr const char *text = R"(
func.func @k(%p: !tile.ptr<f32>, %n: i32) {
  %o = arith.constant dense<0> : tensor<16x16xi32>
  %s = tile.splat %p : tensor<16x16x!tile.ptr<f32>>
  %q = tile.addptr %s, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %a = tile.load %q : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  tile.store %q, %a : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  scf.for %i = %n to %n step %n : i32 {
    %b = tile.load %q : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %c = tile.dot %b, %b, %a : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    tile.store %q, %c : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
    scf.for %j = %n to %n step %n : i32 {
      %d = tile.load %q : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
      tile.store %q, %d : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
    }
  }
  return
}
)";

struct Kernel {
  Kernel() {
    context.loadDialect<tile::TileDialect, arith::ArithDialect, scf::SCFDialect,
                        func::FuncDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    if (module)
      module->walk([&](Operation *op) {
        if (isa<tile::LoadOp, tile::StoreOp>(op))
          ops.push_back(op);
      });
  }

  /// The plan of a vector that begins at `offset`.
  const ViewPlan *plan(int64_t offset) {
    auto &plan = plans.emplace_back(std::make_unique<ViewPlan>());
    plan->shift = analysis::Polynomial::constant(offset);
    plan->axes.push_back({16, {}, false, {}, {}});
    return plan.get();
  }
  Access access(Operation *op, int64_t offset) {
    return {plan(offset), isa<tile::StoreOp>(op), op};
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<Operation *> ops;
  std::vector<std::unique_ptr<ViewPlan>> plans;
};

int64_t offsetOf(const Access &access) {
  return *access.plan->shift.asConstant();
}

/// By the definition.
bool mayMeet(const Access &a, const Access &b) {
  auto feeds = [](const Access &access) {
    return !access.isStore &&
           llvm::any_of(access.op->getUsers(),
                        [](Operation *user) { return isa<tile::DotOp>(user); });
  };
  auto loopsOf = [](const Access &access) {
    std::set<Operation *> loops;
    for (auto loop = access.op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      loops.insert(loop);
    return loops;
  };
  if (!a.isStore && !b.isStore)
    return false;
  if (a.op->getBlock() == b.op->getBlock())
    return true;
  if (!feeds(a) && !feeds(b))
    return false;
  for (Operation *loop : loopsOf(a))
    if (loopsOf(b).contains(loop))
      return true;
  return false;
}

TEST(Meetings, AreThoseOfAllPairs) {
  Kernel kernel;
  ASSERT_EQ(kernel.ops.size(), 6u);
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    auto some = [&] {
      std::vector<Access> accesses(random() % 5);
      for (Access &access : accesses)
        access = kernel.access(kernel.ops[random() % 6], random() % 3);
      return accesses;
    };
    std::vector<Access> left = some(), right = some();
    Meetings ours(left), theirs(right);
    bool expected = false;
    std::set<std::pair<int64_t, int64_t>> pairs, found;
    for (const Access &a : left)
      for (const Access &b : right)
        if (mayMeet(a, b)) {
          expected = true;
          pairs.insert({offsetOf(a), offsetOf(b)});
        }
    EXPECT_EQ(ours.meet(theirs), expected);
    EXPECT_TRUE(ours.allPairs(theirs, [&](const Access &a, const Access &b) {
      EXPECT_TRUE(mayMeet(a, b));
      found.insert({offsetOf(a), offsetOf(b)});
      return true;
    }));
    EXPECT_EQ(found, pairs);

    std::vector<unsigned> alike;
    for (unsigned i = 0; i != left.size(); ++i)
      for (unsigned j = 0; j != left.size(); ++j)
        if (i != j && mayMeet(left[i], left[j]) &&
            offsetOf(left[i]) == offsetOf(left[j])) {
          alike.push_back(i);
          break;
        }
    EXPECT_EQ(ours.alikeOnes(), alike);
  }
}

TEST(Meetings, OfManyAreAskedForFew) {
  Kernel kernel;
  ASSERT_EQ(kernel.ops.size(), 6u);
  std::vector<Access> loads, stores;
  for (int i = 0; i < 500; ++i) {
    loads.push_back(kernel.access(kernel.ops[0], i));
    stores.push_back(kernel.access(kernel.ops[1], i));
  }
  Meetings ours(loads), theirs(stores);
  int asked = 0;
  EXPECT_FALSE(ours.allPairs(theirs, [&](const Access &a, const Access &b) {
    ++asked;
    return offsetOf(a) == offsetOf(b);
  }));
  EXPECT_LE(asked, 2);
  // The same coordinates over and over.
  for (int i = 0; i < 500; ++i) {
    loads[i].plan = loads[0].plan;
    stores[i].plan = stores[0].plan;
  }
  Meetings same(loads), others(stores);
  asked = 0;
  EXPECT_TRUE(same.allPairs(
      others, [&](const Access &, const Access &) { return ++asked != 0; }));
  EXPECT_EQ(asked, 1);
}

} // namespace
