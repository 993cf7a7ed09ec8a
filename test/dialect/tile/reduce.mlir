// RUN: tesela-opt %s | tesela-opt | FileCheck %s

// The result of a vector is a scalar.

// CHECK-LABEL: @sum
func.func @sum(%x: tensor<8xf32>) -> f32 {
  // CHECK:      tile.reduce %{{.*}} axis 0 combine {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT:   %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT:   tile.yield %[[C]] : f32
  // CHECK-NEXT: } : (tensor<8xf32>) -> f32
  %0 = tile.reduce %x axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<8xf32>) -> f32
  return %0 : f32
}

// Several operands are combined at once.

// CHECK-LABEL: @first_of_pairs
func.func @first_of_pairs(%x: tensor<8x4xf32>, %i: tensor<8x4xi32>) -> tensor<4xi32> {
  // CHECK: tile.reduce %{{.*}}, %{{.*}} axis 0 combine {
  // CHECK: } : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %0:2 = tile.reduce %x, %i axis 0 combine {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    tile.yield %a, %ai : f32, i32
  } : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0#1 : tensor<4xi32>
}

// CHECK-LABEL: @scan
func.func @scan(%x: tensor<8x16xf32>, %i: tensor<8x16xi32>)
    -> (tensor<8x16xf32>, tensor<8x16xi32>) {
  // CHECK: tile.scan %{{.*}}, %{{.*}} axis 1 reverse combine
  // CHECK: (tensor<8x16xf32>, tensor<8x16xi32>) -> (tensor<8x16xf32>, tensor<8x16xi32>)
  %0:2 = tile.scan %x, %i axis 1 reverse combine {
  ^bb0(%a: f32, %j: i32, %b: f32, %k: i32):
    %c = arith.addf %a, %b : f32
    tile.yield %c, %k : f32, i32
  } : (tensor<8x16xf32>, tensor<8x16xi32>)
      -> (tensor<8x16xf32>, tensor<8x16xi32>)
  return %0#0, %0#1 : tensor<8x16xf32>, tensor<8x16xi32>
}
