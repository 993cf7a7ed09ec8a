// RUN: tesela-opt %s --nvidia-specialise-warps | FileCheck %s

// One warpgroup fills its ring itself: two slots before the loop, where there
// are so many iterations, and in each iteration the one two ahead, after the
// product that read it last.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: i32, %{{[a-z0-9]+}}: i32 {{{.*}}}, %{{[a-z0-9]+}}: i32 {{{.*}}}, %[[MA:[a-z0-9]+]]: !tgpu.tensor_map {{.*}}, %[[MB:[a-z0-9]+]]: !tgpu.tensor_map
// CHECK:         %[[R:.*]] = tgpu.alloc_ring : <3 x
// CHECK-NEXT:    tgpu.roles producer warps 0 {
// CHECK-NEXT:    } consumers {
// CHECK:           %[[RUNS:.*]] = arith.cmpi slt, %[[ZERO:.*]], %[[N]] : i32
// CHECK:           tgpu.ring_feed %[[R]] maps(%[[MA]], %[[MB]]) at[%[[ZERO]], %{{.*}}, %{{.*}}, %[[ZERO]]] ranks [2, 2] when %[[RUNS]]
// CHECK:           %[[MORE:.*]] = arith.cmpi ugt, %{{.*}}, %{{.*}} : i32
// CHECK:           %[[TWO:.*]] = arith.andi %[[RUNS]], %[[MORE]] : i1
// CHECK:           tgpu.ring_feed %[[R]] {{.*}} when %[[TWO]]
// CHECK:           scf.for %[[K:[a-z0-9]+]] =
// CHECK:             tgpu.ring_take %[[R]]
// CHECK:             tgpu.wgmma_wait %{{.*}} pending 1
// CHECK-NEXT:        tgpu.ring_release %[[R]] keep 1
// CHECK:             %[[LEFT:.*]] = arith.subi %[[N]], %[[K]] : i32
// CHECK:             %[[SPAN:.*]] = arith.constant 64 : i32
// CHECK:             %[[WHEN:.*]] = arith.cmpi ugt, %[[LEFT]], %[[SPAN]] : i32
// CHECK:             %[[AHEAD:.*]] = arith.addi %[[K]], %{{.*}} : i32
// CHECK:             tgpu.ring_feed %[[R]] maps(%[[MA]], %[[MB]]) at[%[[AHEAD]], %{{.*}}, %{{.*}}, %[[AHEAD]]] ranks [2, 2] when %[[WHEN]]
// CHECK-NEXT:        scf.yield
// CHECK:           tgpu.wgmma_wait %{{.*}} pending 0
// CHECK-NOT:       tgpu.ring_feed
// CHECK:           tile.view_store
func.func @matmul(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %b: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %c: !tile.ptr<f32>, %k: i32,
                  %sa: i32 {tile.divisibility = 16 : i64},
                  %sb: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.program_id axis 0
  %y = tile.program_id axis 1
  %x1 = arith.extsi %x : i32 to i64
  %m = arith.muli %x1, %c64 : i64
  %y1 = arith.extsi %y : i32 to i64
  %n = arith.muli %y1, %c64 : i64
  %sam = arith.extsi %sa : i32 to i64
  %sbk = arith.extsi %sb : i32 to i64
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %ta = tile.view_load %a[%m, %i1] strides [%sam, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x32xf16>
    %tb = tile.view_load %b[%i1, %n] strides [%sbk, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<32x64xf16>
    %r = tile.dot %ta, %tb, %acc
        : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %c[%m, %n] strides [%c64, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}
