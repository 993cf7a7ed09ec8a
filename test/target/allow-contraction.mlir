// RUN: tesela-opt %s --allow-contraction | FileCheck %s

// A product and a sum may fuse; flags that are there stay.

// CHECK-LABEL: @multiply_add
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<nnan,contract> : f32
// CHECK: arith.subf %{{.*}}, %{{.*}} fastmath<contract> : f32
func.func @multiply_add(%a: f32, %b: f32, %c: f32) -> f32 {
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %p, %c fastmath<nnan> : f32
  %d = arith.subf %s, %c : f32
  return %d : f32
}

// Nothing else may change its rounding.

// CHECK-LABEL: @divide
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: arith.addi %{{.*}}, %{{.*}} : i32
func.func @divide(%a: f32, %b: f32, %i: i32) -> (f32, i32) {
  %q = arith.divf %a, %b : f32
  %s = arith.addi %i, %i : i32
  return %q, %s : f32, i32
}
