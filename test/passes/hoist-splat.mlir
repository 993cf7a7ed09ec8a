// RUN: tesela-opt %s --hoist-splat | FileCheck %s

// CHECK-LABEL: func.func @of_splats(
// CHECK-SAME:    %[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK-DAG:     %[[C:.*]] = arith.constant 3 : i32
// CHECK-DAG:     %[[S:.*]] = arith.muli %[[X]], %[[Y]] : i32
// CHECK:         %[[L:.*]] = arith.cmpi slt, %[[S]], %[[C]] : i32
// CHECK:         %[[T:.*]] = tile.splat %[[L]] : tensor<4x8xi1>
// CHECK:         return %[[T]]
func.func @of_splats(%x: i32, %y: i32) -> tensor<4x8xi1> {
  %a = tile.splat %x : tensor<4x1xi32>
  %b = tile.splat %y : tensor<4x1xi32>
  %m = arith.muli %a, %b : tensor<4x1xi32>
  %three = arith.constant dense<3> : tensor<4x8xi32>
  %w = tile.broadcast %m : tensor<4x1xi32> -> tensor<4x8xi32>
  %r = arith.cmpi slt, %w, %three : tensor<4x8xi32>
  return %r : tensor<4x8xi1>
}

// A tile that is no splat keeps the op on tiles.

// CHECK-LABEL: func.func @of_splat_and_tile(
// CHECK:         arith.addi %{{.*}}, %{{.*}} : tensor<8xi32>
func.func @of_splat_and_tile(%x: i32) -> tensor<8xi32> {
  %a = tile.splat %x : tensor<8xi32>
  %i = tile.iota 0 : tensor<8xi32>
  %r = arith.addi %a, %i : tensor<8xi32>
  return %r : tensor<8xi32>
}

// A load of the same address everywhere is no arithmetic.

// CHECK-LABEL: func.func @load(
// CHECK:         tile.load %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
func.func @load(%p: !tile.ptr<f32>) -> tensor<8xf32> {
  %a = tile.splat %p : tensor<8x!tile.ptr<f32>>
  %r = tile.load %a : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return %r : tensor<8xf32>
}
