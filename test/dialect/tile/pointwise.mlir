// RUN: tesela-opt %s | tesela-opt | FileCheck %s

// CHECK-LABEL: @addresses
func.func @addresses(%p: !tile.ptr<f32>, %ps: tensor<8x!tile.ptr<f32>>, %i: i64, %is: tensor<8xi32>) {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<f32>, i64
  %0 = tile.addptr %p, %i : !tile.ptr<f32>, i64
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %1 = tile.addptr %ps, %is : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  // CHECK: tile.ptr_to_int %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  %2 = tile.ptr_to_int %ps : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  // CHECK: tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<i8>
  %3 = tile.int_to_ptr %i : i64 -> !tile.ptr<i8>
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<f32> -> !tile.ptr<i32>
  %4 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i32>
  return
}

// CHECK-LABEL: @integers
func.func @integers(%a: i32, %b: i32, %t: tensor<8xi16>) {
  // CHECK: tile.divsi %{{.*}}, %{{.*}} : i32
  %0 = tile.divsi %a, %b : i32
  // CHECK: tile.divui %{{.*}}, %{{.*}} : tensor<8xi16>
  %1 = tile.divui %t, %t : tensor<8xi16>
  // CHECK: tile.remsi
  %2 = tile.remsi %a, %b : i32
  // CHECK: tile.remui
  %3 = tile.remui %a, %b : i32
  // CHECK: tile.shli
  %4 = tile.shli %a, %b : i32
  // CHECK: tile.shrsi
  %5 = tile.shrsi %a, %b : i32
  // CHECK: tile.shrui
  %6 = tile.shrui %a, %b : i32
  return
}

// CHECK-LABEL: @conversions
func.func @conversions(%x: f16, %t: tensor<8xf32>) {
  // CHECK: tile.fptosi %{{.*}} : f16 -> i64
  %0 = tile.fptosi %x : f16 -> i64
  // CHECK: tile.fptoui %{{.*}} : tensor<8xf32> -> tensor<8xi8>
  %1 = tile.fptoui %t : tensor<8xf32> -> tensor<8xi8>
  // CHECK: tile.fptofp8 %{{.*}} : f16 -> f8E5M2
  %2 = tile.fptofp8 %x : f16 -> f8E5M2
  // CHECK: tile.fptofp8 %{{.*}} : tensor<8xf32> -> tensor<8xf8E4M3FN>
  %3 = tile.fptofp8 %t : tensor<8xf32> -> tensor<8xf8E4M3FN>
  return
}
