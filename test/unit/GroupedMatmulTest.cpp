//===- GroupedMatmulTest.cpp - the tutorial's matmul through the pipeline -===//

#include "TilePipeline.h"

#include "dialect/tile/Tile.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tesela;
using namespace tesela::test;

namespace {

/// Grouped order, wrapped rows and columns, pointers that the loop carries, and
/// a mask along K.
const char *text = R"(
func.func @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %M: i32, %N: i32, %K: i32,
   %sam: i32, %sbk: i32, %scm: i32) attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %c16 = arith.constant 16 : i32
  %c15 = arith.constant 15 : i32
  %c8 = arith.constant 8 : i32
  %c7 = arith.constant 7 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : i32
  %m1 = arith.addi %M, %c15 : i32
  %npm = tile.divsi %m1, %c16 : i32
  %n1 = arith.addi %N, %c15 : i32
  %npn = tile.divsi %n1, %c16 : i32
  %npig = arith.muli %npn, %c2 : i32
  %gid = tile.divsi %pid, %npig : i32
  %first = arith.muli %gid, %c2 : i32
  %left = arith.subi %npm, %first : i32
  %gsm = arith.minsi %left, %c2 : i32
  %r1 = tile.remsi %pid, %npig : i32
  %r2 = tile.remsi %r1, %gsm : i32
  %pm = arith.addi %first, %r2 : i32
  %pn = tile.divsi %r1, %gsm : i32
  %i16 = tile.iota 0 : tensor<16xi32>
  %i8 = tile.iota 0 : tensor<8xi32>
  %sm = arith.muli %pm, %c16 : i32
  %sms = tile.splat %sm : tensor<16xi32>
  %rm0 = arith.addi %sms, %i16 : tensor<16xi32>
  %Ms = tile.splat %M : tensor<16xi32>
  %rm = tile.remsi %rm0, %Ms : tensor<16xi32>
  %sn = arith.muli %pn, %c16 : i32
  %sns = tile.splat %sn : tensor<16xi32>
  %rn0 = arith.addi %sns, %i16 : tensor<16xi32>
  %Ns = tile.splat %N : tensor<16xi32>
  %rn = tile.remsi %rn0, %Ns : tensor<16xi32>
  %rm1 = tile.expand_dims %rm axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %sam1 = tile.splat %sam : tensor<16x1xi32>
  %am = arith.muli %rm1, %sam1 : tensor<16x1xi32>
  %k1 = tile.expand_dims %i8 axis 0 : tensor<8xi32> -> tensor<1x8xi32>
  %am2 = tile.broadcast %am : tensor<16x1xi32> -> tensor<16x8xi32>
  %k2 = tile.broadcast %k1 : tensor<1x8xi32> -> tensor<16x8xi32>
  %ao = arith.addi %am2, %k2 : tensor<16x8xi32>
  %as = tile.splat %a : tensor<16x8x!tile.ptr<f32>>
  %aps = tile.addptr %as, %ao : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xi32>
  %kk1 = tile.expand_dims %i8 axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %sbk1 = tile.splat %sbk : tensor<8x1xi32>
  %bk = arith.muli %kk1, %sbk1 : tensor<8x1xi32>
  %rn1 = tile.expand_dims %rn axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %bk2 = tile.broadcast %bk : tensor<8x1xi32> -> tensor<8x16xi32>
  %rn2 = tile.broadcast %rn1 : tensor<1x16xi32> -> tensor<8x16xi32>
  %bo = arith.addi %bk2, %rn2 : tensor<8x16xi32>
  %bs = tile.splat %b : tensor<8x16x!tile.ptr<f32>>
  %bps = tile.addptr %bs, %bo : tensor<8x16x!tile.ptr<f32>>, tensor<8x16xi32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %za = arith.constant dense<0.0> : tensor<16x8xf32>
  %zb = arith.constant dense<1.0> : tensor<8x16xf32>
  %kp = arith.addi %K, %c7 : i32
  %nk = tile.divsi %kp, %c8 : i32
  %acc, %pa, %pb = scf.for %k = %c0 to %nk step %c1 iter_args(%acc0 = %zero, %ap = %aps, %bp = %bps) -> (tensor<16x16xf32>, tensor<16x8x!tile.ptr<f32>>, tensor<8x16x!tile.ptr<f32>>) : i32 {
    %kb = arith.muli %k, %c8 : i32
    %rem = arith.subi %K, %kb : i32
    %rems = tile.splat %rem : tensor<1x8xi32>
    %mk = arith.cmpi slt, %k1, %rems : tensor<1x8xi32>
    %mk2 = tile.broadcast %mk : tensor<1x8xi1> -> tensor<16x8xi1>
    %av = tile.load %ap mask %mk2 : tensor<16x8xi1> other %za : tensor<16x8xf32> : tensor<16x8x!tile.ptr<f32>> -> tensor<16x8xf32>
    %rems1 = tile.splat %rem : tensor<8x1xi32>
    %mk3 = arith.cmpi slt, %kk1, %rems1 : tensor<8x1xi32>
    %mk4 = tile.broadcast %mk3 : tensor<8x1xi1> -> tensor<8x16xi1>
    %bv = tile.load %bp mask %mk4 : tensor<8x16xi1> other %zb : tensor<8x16xf32> : tensor<8x16x!tile.ptr<f32>> -> tensor<8x16xf32>
    %acc1 = tile.dot %av, %bv, %acc0 : tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>
    %c8s = arith.constant dense<8> : tensor<16x8xi32>
    %ap1 = tile.addptr %ap, %c8s : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xi32>
    %st = arith.muli %sbk, %c8 : i32
    %sts = tile.splat %st : tensor<8x16xi32>
    %bp1 = tile.addptr %bp, %sts : tensor<8x16x!tile.ptr<f32>>, tensor<8x16xi32>
    scf.yield %acc1, %ap1, %bp1 : tensor<16x16xf32>, tensor<16x8x!tile.ptr<f32>>, tensor<8x16x!tile.ptr<f32>>
  }
  %cm0 = tile.expand_dims %rm0 axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %cn0 = tile.expand_dims %rn0 axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %scms = tile.splat %scm : tensor<16x1xi32>
  %cm1 = arith.muli %scms, %cm0 : tensor<16x1xi32>
  %cps = tile.splat %c : tensor<16x1x!tile.ptr<f32>>
  %cp1 = tile.addptr %cps, %cm1 : tensor<16x1x!tile.ptr<f32>>, tensor<16x1xi32>
  %cp2 = tile.broadcast %cp1 : tensor<16x1x!tile.ptr<f32>> -> tensor<16x16x!tile.ptr<f32>>
  %cn1 = tile.broadcast %cn0 : tensor<1x16xi32> -> tensor<16x16xi32>
  %cp3 = tile.addptr %cp2, %cn1 : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %Ms1 = tile.splat %M : tensor<16x1xi32>
  %cmm = arith.cmpi slt, %cm0, %Ms1 : tensor<16x1xi32>
  %Ns1 = tile.splat %N : tensor<1x16xi32>
  %cnm = arith.cmpi sgt, %Ns1, %cn0 : tensor<1x16xi32>
  %cmm2 = tile.broadcast %cmm : tensor<16x1xi1> -> tensor<16x16xi1>
  %cnm2 = tile.broadcast %cnm : tensor<1x16xi1> -> tensor<16x16xi1>
  %msk = arith.andi %cmm2, %cnm2 : tensor<16x16xi1>
  tile.store %cp3, %acc mask %msk : tensor<16x16xi1> : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}
)";

struct Matrices {
  std::vector<float> a, b, c;
  int m, n, k;
  Matrices(int m, int n, int k)
      : a(m * k + 64), b(k * n + 64), c(m * n + 64, -1), m(m), n(n), k(k) {
    for (size_t i = 0; i != a.size(); ++i)
      a[i] = float(int(i * 7 % 11) - 5);
    for (size_t i = 0; i != b.size(); ++i)
      b[i] = float(int(i * 5 % 13) - 6);
  }
  Bits arguments() {
    return {address(a.data()), address(b.data()), address(c.data()),
            uint64_t(m),       uint64_t(n),       uint64_t(k),
            uint64_t(k),       uint64_t(n),       uint64_t(n)};
  }
  int32_t instances() const { return (m + 15) / 16 * ((n + 15) / 16); }
};

TEST(GroupedMatmul, KeepsEverySizeAndItsPreconditionHolds) {
  std::string error;
  auto before = parseTile(text, error);
  ASSERT_TRUE(before) << error;
  OwningOpRef<ModuleOp> fast = before->clone(), general = before->clone();
  runPipeline(*fast, false);
  runPipeline(*general, true);

  // No pointers are left in the fast one, and no indexed axis: what is beyond
  // the ends is not stored.
  unsigned pointers = 0, indexed = 0, views = 0;
  fast->walk([&](tile::LoadOp) { ++pointers; });
  fast->walk([&](tile::ViewLoadOp load) {
    ++views;
    indexed += llvm::any_of(load.getOffsets(), [](Value offset) {
      return isa<RankedTensorType>(offset.getType());
    });
  });
  EXPECT_EQ(pointers, 0u);
  EXPECT_EQ(views, 2u);
  EXPECT_EQ(indexed, 0u);

  int sizes[][3] = {{16, 16, 8}, {32, 48, 16}, {33, 17, 9}, {5, 70, 3},
                    {64, 1, 0},  {48, 80, 24}, {1, 1, 1}};
  for (auto [m, n, k] : sizes) {
    Matrices expected(m, n, k), found(m, n, k), slow(m, n, k);
    evaluateKernel(findKernel(*before), expected.arguments(),
                   expected.instances());
    for (int i = 0; i != m; ++i)
      for (int j = 0; j != n; ++j) {
        float sum = 0;
        for (int l = 0; l != k; ++l)
          sum += expected.a[i * k + l] * expected.b[l * n + j];
        // What masks out of B is one, times zero.
        ASSERT_EQ(expected.c[i * n + j], sum) << i << " " << j;
      }
    EXPECT_TRUE(preconditionHolds(*fast, findKernel(*fast), found.arguments(),
                                  found.instances()))
        << m << " " << n << " " << k;
    evaluateKernel(findKernel(*fast), found.arguments(), found.instances());
    evaluateKernel(findKernel(*general), slow.arguments(), slow.instances());
    EXPECT_EQ(expected.c, found.c) << m << " " << n << " " << k;
    EXPECT_EQ(expected.c, slow.c) << m << " " << n << " " << k;
  }
}

} // namespace
