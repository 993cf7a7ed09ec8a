// RUN: tesela-opt %s --nvidia-specialise-warps | FileCheck %s

// The second product of an iteration is started with the first one of the next.
// What works on the first one's result goes on meanwhile; what adds to the
// second one's and what makes its next factor follows the second wait. The
// producer brings the second product's factor one iteration late. One warpgroup
// has no turns to take.

// CHECK:         tgpu.roles
// CHECK:           scf.if
// CHECK:             tgpu.ring_fill %[[K:[0-9]+]] maps(%[[MK:[a-z0-9]+]])
// CHECK:             %[[LAST:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[BEFORE:.*]] = %c0_i32
// CHECK:               tgpu.ring_fill %[[K]] maps(%[[MK]]) at[%{{.*}}, %[[I]],
// CHECK:               tgpu.ring_fill %[[V:[0-9]+]] maps(%[[MV:[a-z0-9]+]]) at[%{{.*}}, %[[BEFORE]],
// CHECK:               scf.yield %[[I]]
// CHECK:             tgpu.ring_fill %[[V]] maps(%[[MV]]) at[%{{.*}}, %[[LAST]],
// CHECK:         consumers
// CHECK-NOT:       tgpu.{{.*}}_turn
// CHECK:           scf.if
// CHECK:             tgpu.ring_take %[[K]]
// CHECK:             tgpu.wgmma_wait {{.*}} pending 0
// CHECK:             scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// CHECK:               tgpu.ring_take %[[K]]
// CHECK:               %[[FIRST:.*]] = tgpu.wgmma
// CHECK:               tgpu.ring_take %[[V]]
// CHECK:               %[[SECOND:.*]] = tgpu.wgmma %[[P]], {{.*}}, %[[SUM]]
// CHECK:               %[[S:.*]] = tgpu.wgmma_wait %[[FIRST]] pending 1
// CHECK-NEXT:          tgpu.ring_release %[[K]]
// CHECK:               %[[O:.*]]:2 = tgpu.wgmma_wait %[[SECOND]], %[[S]] pending 0
// CHECK-NEXT:          tgpu.ring_release %[[V]]
// CHECK:               arith.truncf %[[O]]#1
// CHECK:               arith.addf %[[O]]#0, %[[O]]#0
// CHECK:               scf.yield
// CHECK:             tgpu.ring_take %[[V]]
// CHECK:             tgpu.wgmma
// CHECK:             tgpu.wgmma_wait {{.*}} pending 0
// CHECK:           } else {
func.func @attention(%q: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %k: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %v: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %o: !tile.ptr<f32>, %length: i32,
                     %sh: i32 {tile.divisibility = 16 : i64},
                     %sn: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %first = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %h = tile.program_id axis 1
  %h1 = arith.extsi %h : i32 to i64
  %sh1 = arith.extsi %sh : i32 to i64
  %s = arith.extsi %sn : i32 to i64
  %move = arith.muli %h1, %sh1 : i64
  %qh = tile.addptr %q, %move : !tile.ptr<f16>, i64
  %kh = tile.addptr %k, %move : !tile.ptr<f16>, i64
  %vh = tile.addptr %v, %move : !tile.ptr<f16>, i64
  %tq = tile.view_load %qh[%first, %first] strides [%s, %one] bounds [] axes []
      : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
  %sum = scf.for %i = %c0 to %length step %c64 iter_args(%acc = %zero)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %tk = tile.view_load %kh[%i1, %first] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %tt = tile.permute %tk [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %scores = tile.dot %tq, %tt, %zero
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %p = arith.truncf %scores : tensor<64x64xf32> to tensor<64x64xf16>
    %tv = tile.view_load %vh[%i1, %first] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %twice = arith.addf %acc, %acc : tensor<64x64xf32>
    %r = tile.dot %p, %tv, %twice
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %o[%first, %first] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

