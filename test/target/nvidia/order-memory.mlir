// RUN: tesela-opt --pass-pipeline='builtin.module(nvidia-layouts)' %s | FileCheck %s

// Threads wait for the one that takes a lock, and it for them before it gives
// the lock back.
// CHECK-LABEL: func.func @lock
// CHECK: tile.atomic_cas acquire gpu
// CHECK: tile.barrier
// CHECK: tile.load
// CHECK: tile.store
// CHECK: tile.barrier
// CHECK-NEXT: tile.atomic_rmw xchg release gpu
func.func @lock(%lock: !tile.ptr<i32>, %p: !tile.ptr<f32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %old = tile.atomic_cas acquire gpu %lock, %c0, %c1 : !tile.ptr<i32>, i32
  %i = tile.iota 0 : tensor<128xi32>
  %s = tile.splat %p : tensor<128x!tile.ptr<f32>>
  %a = tile.addptr %s, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %a : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %w = arith.addf %v, %v : tensor<128xf32>
  tile.store %a, %w : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  %done = tile.atomic_rmw xchg release gpu %lock, %c0 : !tile.ptr<i32>, i32
  return
}

// What is relaxed and goes through another argument is ordered with nothing.
// CHECK-LABEL: func.func @relaxed
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @relaxed(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>)
    attributes {tile.kernel, tile.apart = array<i32: 0, 1>} {
  %v = tile.load %p : !tile.ptr<f32> -> f32
  %old = tile.atomic_rmw fadd relaxed gpu %q, %v : !tile.ptr<f32>, f32
  %w = tile.load %p : !tile.ptr<f32> -> f32
  %old2 = tile.atomic_rmw fadd relaxed gpu %q, %w : !tile.ptr<f32>, f32
  return
}
