// RUN: tesela-opt %s | tesela-opt | FileCheck %s
// RUN: tesela-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: @rmw
func.func @rmw(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>,
               %m: tensor<8xi1>) -> tensor<8xf32> {
  // CHECK: tile.atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  %0 = tile.atomic_rmw fadd relaxed gpu %p, %x mask %m : tensor<8xi1>
      : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  // CHECK: tile.atomic_rmw fmax acq_rel sys %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  %1 = tile.atomic_rmw fmax acq_rel sys %p, %0
      : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @cas
func.func @cas(%lock: !tile.ptr<i32>, %c0: i32, %c1: i32) -> i32 {
  // CHECK: tile.atomic_cas acquire cta %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i32>, i32
  %0 = tile.atomic_cas acquire cta %lock, %c0, %c1 : !tile.ptr<i32>, i32
  return %0 : i32
}

// What is not used is done all the same, unless its mask is false: then only
// an ordered op means something.
// CANON-LABEL: @masks
// CANON: tile.atomic_rmw add relaxed gpu %arg0, %arg1 : !tile.ptr<i32>, i32
// CANON-NEXT: tile.atomic_rmw add acquire gpu %arg0, %arg1 mask %false
// CANON-NEXT: return %c0_i32
func.func @masks(%p: !tile.ptr<i32>, %x: i32) -> i32 {
  %true = arith.constant true
  %false = arith.constant false
  %0 = tile.atomic_rmw add relaxed gpu %p, %x mask %true : i1
      : !tile.ptr<i32>, i32
  %1 = tile.atomic_rmw add relaxed gpu %p, %x mask %false : i1
      : !tile.ptr<i32>, i32
  %2 = tile.atomic_rmw add acquire gpu %p, %x mask %false : i1
      : !tile.ptr<i32>, i32
  return %1 : i32
}
