//===- MemoryDependenceTest.cpp - which accesses may be done in step ------===//
//
// Kernels that read %x and write %out, with buffers that are apart, the same,
// or overlap: what the launch's check says of them, and how the accesses relate
// under it.
//
//===----------------------------------------------------------------------===//

#include "TilePipeline.h"

#include "analysis/MemoryDependence.h"
#include "dialect/tile/Tile.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tesela;
using namespace tesela::analysis;
using namespace tesela::test;

namespace {

struct Compiled {
  OwningOpRef<ModuleOp> module;
  func::FuncOp kernel;

  explicit Compiled(const std::string &text, bool general = false) {
    std::string error;
    module = parseTile(text, error);
    EXPECT_TRUE(module) << error;
    if (!module)
      return;
    runPipeline(*module, general);
    kernel = findKernel(*module);
  }
  /// Of the only load and the only store.
  AccessRelation relation() {
    Operation *load = nullptr, *store = nullptr;
    kernel.walk([&](Operation *op) {
      if (isa<tile::LoadOp, tile::ViewLoadOp>(op))
        load = op;
      if (isa<tile::StoreOp, tile::ViewStoreOp>(op))
        store = op;
    });
    EXPECT_EQ(accessRelation(load, store), accessRelation(store, load));
    return accessRelation(load, store);
  }
  bool holds(Bits arguments, int32_t instances) {
    return preconditionHolds(*module, kernel, arguments, instances);
  }
};

/// Copies n elements of `%x` at a distance to `%out`, after what else it does.
std::string copy(const std::string &out, int shift,
                 const std::string &before = "") {
  return R"(
func.func @copy(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
)" + before +
         R"(
  %pid = tile.program_id axis 0
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %i = tile.iota 0 : tensor<8xi32>
  %s = tile.splat %start : tensor<8xi32>
  %offs = arith.addi %s, %i : tensor<8xi32>
  %ns = tile.splat %n : tensor<8xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %offs : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %by = arith.constant dense<)" +
         std::to_string(shift) + R"(> : tensor<8xi32>
  %os = tile.splat )" +
         out +
         R"( : tensor<8x!tile.ptr<f32>>
  %q = tile.addptr %os, %offs : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %r = tile.addptr %q, %by : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %r, %v mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}
)";
}

TEST(MemoryDependence, TwoBuffersInStep) {
  Compiled compiled(copy("%out", 0));
  EXPECT_EQ(compiled.relation(), AccessRelation::SameCoordinates);
  // 30 elements in 4 instances
  EXPECT_TRUE(compiled.holds({4096, 8192, 30}, 4));
  EXPECT_TRUE(compiled.holds({4096, 4096, 30}, 4));
  EXPECT_TRUE(compiled.holds({4096, 4096 + 30 * 4, 30}, 4));
  EXPECT_TRUE(compiled.holds({4096, 4096 - 30 * 4, 30}, 4));
  EXPECT_FALSE(compiled.holds({4096, 4096 + 29 * 4, 30}, 4));
  EXPECT_FALSE(compiled.holds({4096, 4096 - 29 * 4, 30}, 4));
  EXPECT_FALSE(compiled.holds({4096, 4100, 30}, 4));
  // Offsets up to 2^31 - 1, and one instance more.
  EXPECT_TRUE(compiled.holds({4096, 4096, 30}, 1 << 28));
  EXPECT_FALSE(compiled.holds({4096, 4096, 30}, (1 << 28) + 1));
}

TEST(MemoryDependence, TwoBuffersOutOfStep) {
  Compiled compiled(copy("%out", 1));
  EXPECT_EQ(compiled.relation(), AccessRelation::NoAlias);
  EXPECT_TRUE(compiled.holds({4096, 8192, 30}, 4));
  EXPECT_FALSE(compiled.holds({4096, 4096, 30}, 4));
  EXPECT_TRUE(compiled.holds({4096, 4096 + 29 * 4, 30}, 4));
  EXPECT_FALSE(compiled.holds({4096, 4096 + 28 * 4, 30}, 4));
}

TEST(MemoryDependence, NothingIsAssumedInGeneral) {
  EXPECT_EQ(Compiled(copy("%out", 0), true).relation(),
            AccessRelation::MayAlias);
}

TEST(MemoryDependence, OneBuffer) {
  EXPECT_EQ(Compiled(copy("%x", 0)).relation(),
            AccessRelation::SameCoordinates);
  EXPECT_EQ(Compiled(copy("%x", 1)).relation(), AccessRelation::MayAlias);
}

/// What a store through either of two arguments touches bounds neither.
TEST(MemoryDependence, AStoreThroughAChoice) {
  Compiled compiled(copy("%out", 0, R"(
  %other = arith.constant 1000 : i32
  %big = arith.cmpi sgt, %n, %other : i32
  %either = arith.select %big, %x, %out : !tile.ptr<f32>
  %one = arith.constant 1.0 : f32
  tile.store %either, %one : !tile.ptr<f32>, f32
)"));
  EXPECT_EQ(compiled.relation(), AccessRelation::MayAlias);
}

/// A view that was there before has no bounds that a launch could check.
TEST(MemoryDependence, AViewOfBefore) {
  Compiled compiled(copy("%out", 0, R"(
  %far = arith.constant 100 : i64
  %step = arith.constant 1 : i64
  %values = arith.constant dense<1.0> : tensor<8xf32>
  tile.view_store %values, %x[%far] strides [%step] bounds [] axes []
      : tensor<8xf32>, !tile.ptr<f32>[i64]
)"));
  EXPECT_EQ(compiled.relation(), AccessRelation::MayAlias);
}

/// Rows of `%x`, 8 elements each, to rows of `%out`, with a stride each; four
/// rows an instance.
const char *rows = R"(
func.func @rows(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %sx: i32, %so: i32)
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<4xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<4xi32> -> tensor<4x1xi32>
  %j = tile.iota 0 : tensor<8xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<8xi32> -> tensor<1x8xi32>
  %j2 = tile.broadcast %j1 : tensor<1x8xi32> -> tensor<4x8xi32>
  %sxs = tile.splat %sx : tensor<4x1xi32>
  %rx = arith.muli %i1, %sxs : tensor<4x1xi32>
  %rx2 = tile.broadcast %rx : tensor<4x1xi32> -> tensor<4x8xi32>
  %ox = arith.addi %rx2, %j2 : tensor<4x8xi32>
  %xs = tile.splat %x : tensor<4x8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %ox : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  %v = tile.load %p : tensor<4x8x!tile.ptr<f32>> -> tensor<4x8xf32>
  %sos = tile.splat %so : tensor<4x1xi32>
  %ro = arith.muli %sos, %i1 : tensor<4x1xi32>
  %ro2 = tile.broadcast %ro : tensor<4x1xi32> -> tensor<4x8xi32>
  %oo = arith.addi %j2, %ro2 : tensor<4x8xi32>
  %os = tile.splat %out : tensor<4x8x!tile.ptr<f32>>
  %q = tile.addptr %os, %oo : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  tile.store %q, %v : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xf32>
  return
}
)";

TEST(MemoryDependence, StridesOfTwoBuffers) {
  Compiled compiled(rows);
  EXPECT_EQ(compiled.relation(), AccessRelation::SameCoordinates);
  EXPECT_TRUE(compiled.holds({4096, 65536, 8, 16}, 1));
  // In place: with equal strides, and rows that do not overlap.
  EXPECT_TRUE(compiled.holds({4096, 4096, 8, 8}, 1));
  EXPECT_FALSE(compiled.holds({4096, 4096, 8, 16}, 1));
  EXPECT_FALSE(compiled.holds({4096, 4096, 7, 7}, 1));
  EXPECT_FALSE(compiled.holds({4096, 4096, 0, 0}, 1));
  // Rows upwards in memory.
  EXPECT_TRUE(compiled.holds({4096, 4096, uint64_t(-8), uint64_t(-8)}, 1));
  EXPECT_FALSE(compiled.holds({4096, 4096 - 24 * 4, uint64_t(-8), 8}, 1));
}

/// Through indices from memory nothing bounds what is touched.
const char *gather = R"(
func.func @gather(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %ids: !tile.ptr<i64>)
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<8xi32>
  %ps = tile.splat %ids : tensor<8x!tile.ptr<i64>>
  %pi = tile.addptr %ps, %i : tensor<8x!tile.ptr<i64>>, tensor<8xi32>
  %id = tile.load %pi : tensor<8x!tile.ptr<i64>> -> tensor<8xi64>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %id : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  %v = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %os = tile.splat %out : tensor<8x!tile.ptr<f32>>
  %q = tile.addptr %os, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %q, %v : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}
)";

TEST(MemoryDependence, GatherMayAlias) {
  EXPECT_EQ(Compiled(gather).relation(), AccessRelation::MayAlias);
}

} // namespace
