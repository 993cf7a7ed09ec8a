// RUN: tesela-opt --cpu-loops --split-input-file %s | FileCheck %s

// Elements one by one, each where its mask holds; nothing is kept of what was
// there where nobody asks.
// CHECK-LABEL: func.func @masked
// CHECK-SAME: cpu.scratch_bytes = 64
// CHECK: scf.for
// CHECK-COUNT-4: llvm.atomicrmw add %{{.*}}, %{{.*}} monotonic : !llvm.ptr, i32
// CHECK-NOT: atomicrmw
func.func @masked(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<64xi32>
  %s = tile.splat %p : tensor<64x!tile.ptr<i32>>
  %a = tile.addptr %s, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %t = tile.splat %n : tensor<64xi32>
  %m = arith.cmpi slt, %i, %t : tensor<64xi32>
  %old = tile.atomic_rmw add relaxed gpu %a, %i mask %m : tensor<64xi1>
      : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  return
}

// -----

// A loop of compare-and-swap for what has no instruction.
// CHECK-LABEL: func.func @half
// CHECK: llvm.load %{{.*}} atomic monotonic
// CHECK: scf.while
// CHECK: arith.addf %{{.*}} : f32
// CHECK: llvm.cmpxchg %{{.*}} acq_rel acquire : !llvm.ptr, i16
func.func @half(%p: !tile.ptr<f16>, %x: f16) attributes {tile.kernel} {
  %old = tile.atomic_rmw fadd acq_rel gpu %p, %x : !tile.ptr<f16>, f16
  return
}

// -----

// What is loaded before an acquire is loaded before it, and stored where it is
// used later; what is loaded after it is read then.
// CHECK-LABEL: func.func @ordered
// CHECK: llvm.load {{.*}} -> vector
// CHECK: llvm.cmpxchg {{.*}} acquire acquire
// CHECK: llvm.load {{.*}} -> vector
// CHECK: llvm.store
func.func @ordered(%lock: !tile.ptr<i32>, %x: !tile.ptr<f32>,
                   %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.apart = array<i32: 1, 2>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<64xf32>
  %old = tile.atomic_cas acquire gpu %lock, %c0, %c1 : !tile.ptr<i32>, i32
  %w = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<64xf32>
  %r = arith.addf %v, %w : tensor<64xf32>
  tile.view_store %r, %out[%zero] strides [%one] bounds [] axes []
      : tensor<64xf32>, !tile.ptr<f32>[i64]
  return
}
