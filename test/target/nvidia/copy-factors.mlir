// RUN: tesela-opt %s --split-input-file --nvidia-copy-factors="num-warps=4 num-stages=3 processor=sm_80" | FileCheck %s

// Two iterations ahead, as far as there are so many; in the loop behind the
// wait for its own copies, into the slot that was read before.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: !tile.ptr<f16> {{{[^}]*}}}, %[[B:[a-z0-9]+]]: !tile.ptr<f16> {{{[^}]*}}}, %{{[a-z0-9]+}}: !tile.ptr<f32>, %[[N:[a-z0-9]+]]: i32
// CHECK:         %[[R:.*]] = tgpu.alloc_ring : <3 x(!tgpu.staged<64x32xf16, axis = 1, swizzle = 64>, !tgpu.staged<32x64xf16, axis = 1, swizzle = 128>)>
// CHECK:         tile.barrier
// CHECK:         %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : i32
// CHECK:         %[[S0:.*]]:2 = tgpu.ring_slot %[[R]][%c0_i32{{.*}}]
// CHECK:         tgpu.copy_view %[[A]][{{.*}}] strides[{{.*}}] bounds[] axes [] to %[[S0]]#0 when %[[RUNS]]
// CHECK:         tgpu.copy_view %[[B]][{{.*}}] to %[[S0]]#1 when %[[RUNS]]
// CHECK-NEXT:    tgpu.copy_commit
// CHECK:         tgpu.ring_slot %[[R]][%c1_i32{{.*}}]
// CHECK:         tgpu.copy_commit
// CHECK-NOT:     tgpu.copy_commit
// CHECK:         scf.for %[[K:[a-z0-9]+]] = {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}}) -> (tensor<64x64xf32>, i32)
// CHECK-NOT:       tile.view_load
// CHECK:           tgpu.copy_wait pending 1
// CHECK-NEXT:      %[[P:.*]]:2 = tgpu.ring_slot %[[R]][%[[SLOT]]]
// CHECK:           %[[FED:.*]] = arith.select %{{.*}}, %c2_i32{{.*}}, %{{.*}} : i32
// CHECK:           %[[WHEN:.*]] = arith.cmpi ugt, %{{.*}}, %c64_i32{{.*}} : i32
// CHECK:           %[[Q:.*]]:2 = tgpu.ring_slot %[[R]][%[[FED]]]
// CHECK:           tgpu.copy_view %[[A]][{{.*}}] {{.*}} to %[[Q]]#0 when %[[WHEN]]
// CHECK:           tgpu.copy_view %[[B]][{{.*}}] {{.*}} to %[[Q]]#1 when %[[WHEN]]
// CHECK-NEXT:      tgpu.copy_commit
// CHECK-NEXT:      %[[X:.*]] = tgpu.mma %[[P]]#0, %[[P]]#1, %[[ACC]]
// CHECK:           %[[NEXT:.*]] = arith.select %{{.*}}, %c0_i32{{.*}}, %{{.*}} : i32
// CHECK:           scf.yield %[[X]], %[[NEXT]] : tensor<64x64xf32>, i32
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
  %sam = arith.extsi %sa : i32 to i64
  %sbk = arith.extsi %sb : i32 to i64
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %ta = tile.view_load %a[%c64, %i1] strides [%sam, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x32xf16>
    %tb = tile.view_load %b[%i1, %c64] strides [%sbk, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<32x64xf16>
    %r = tile.dot %ta, %tb, %acc
        : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %c[%c64, %c64] strides [%c64, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

// Attention: what the loop does not change goes to shared memory, where its
// accumulators need the registers; K is taken transposed; what the first
// product gives stays in registers.

// CHECK-LABEL: func.func @attention(
// CHECK:         %[[R:.*]] = tgpu.alloc_ring : <3 x(!tgpu.staged<64x128xf16, axis = 1, swizzle = 128>, !tgpu.staged<64x128xf16, axis = 1, swizzle = 128>)>
// CHECK:         %[[Q:.*]] = tile.view_load
// CHECK-NEXT:    %[[S:.*]] = tgpu.stage %[[Q]] : tensor<128x128xf16> -> <128x128xf16, axis = 1, swizzle = 128>
// CHECK:         scf.for
// CHECK:           tgpu.copy_wait pending 1
// CHECK-NEXT:      %[[P:.*]]:2 = tgpu.ring_slot
// CHECK:           %[[T:.*]] = tgpu.transpose_staged %[[P]]#0
// CHECK-NEXT:      %[[X:.*]] = tgpu.mma %[[S]], %[[T]], %{{.*}} : !tgpu.staged<128x128xf16, axis = 1, swizzle = 128>, !tgpu.staged<128x64xf16, axis = 0, swizzle = 128>, tensor<128x64xf32>
// CHECK-NOT:       tgpu.copy_wait
// CHECK:           %[[H:.*]] = arith.truncf %[[X]]
// CHECK:           tgpu.mma %[[H]], %[[P]]#1, %{{.*}} : tensor<128x64xf16>, !tgpu.staged<64x128xf16, axis = 1, swizzle = 128>, tensor<128x128xf32>
func.func @attention(%q: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %k: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %v: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %o: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %d = arith.constant 128 : i64
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %nothing = arith.constant dense<0.0> : tensor<128x128xf32>
  %tq = tile.view_load %q[%zero, %zero] strides [%d, %one] bounds [] axes []
      : !tile.ptr<f16>[i64, i64] -> tensor<128x128xf16>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %nothing)
      -> (tensor<128x128xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %tk = tile.view_load %k[%i1, %zero] strides [%d, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x128xf16>
    %kt = tile.permute %tk [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
    %s = tile.dot %tq, %kt, %none
        : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %top = tile.reduce %s axis 1 combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tile.yield %z : f32
    } : (tensor<128x64xf32>) -> tensor<128xf32>
    %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xf16>
    %tv = tile.view_load %v[%i1, %zero] strides [%d, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x128xf16>
    %r = tile.dot %p, %tv, %acc
        : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %r : tensor<128x128xf32>
  }
  tile.view_store %sum, %o[%zero, %zero] strides [%d, %one] bounds [] axes []
      : tensor<128x128xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

// What the loop may write is read when it is its turn, and what follows from
// more than the loop's position, too.

// CHECK-LABEL: func.func @writes(
// CHECK-NOT:     tgpu.alloc_ring
// CHECK:         scf.for
// CHECK:           %[[A:.*]] = tile.view_load
// CHECK-NEXT:      %[[SA:.*]] = tgpu.stage %[[A]]
// CHECK:           %[[B:.*]] = tile.view_load
// CHECK-NEXT:      %[[SB:.*]] = tgpu.stage %[[B]]
// CHECK:           tgpu.mma %[[SA]], %[[SB]], %{{.*}}
func.func @writes(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>,
                  %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.for %i = %c0 to %k step %c32 : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %ta = tile.view_load %a[%c64, %i1] strides [%c64, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x32xf16>
    %tb = tile.view_load %b[%i1, %c64] strides [%c64, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<32x64xf16>
    %r = tile.dot %ta, %tb, %zero
        : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    tile.view_store %r, %c[%i1, %c64] strides [%c64, %one] bounds [] axes []
        : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  }
  return
}
