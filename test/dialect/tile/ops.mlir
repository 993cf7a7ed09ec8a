// RUN: tesela-opt %s | tesela-opt | FileCheck %s

// A vector add, every op in its printed form.

// CHECK-LABEL: @vector_add
// CHECK:         tile.program_id axis 0
// CHECK:         tile.iota 0 : tensor<8xi32>
// CHECK:         tile.load %{{.*}} mask %{{.*}} : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
// CHECK:         tile.store
func.func @vector_add(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %i = tile.iota 0 : tensor<8xi32>
  %s = tile.splat %start : tensor<8xi32>
  %offs = arith.addi %s, %i : tensor<8xi32>
  %ns = tile.splat %n : tensor<8xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %px = tile.addptr %xs, %offs : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %a = tile.load %px mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %os = tile.splat %out : tensor<8x!tile.ptr<f32>>
  %po = tile.addptr %os, %offs : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %po, %a mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// CHECK-LABEL: @view
func.func @view(%p: !tile.ptr<f32>, %i: i64, %j: tensor<4xi64>, %s: i64, %n: i64) -> tensor<8x4xf32> {
  // CHECK: tile.view_load %{{.*}}[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] bounds[%{{.*}}] axes [0] : !tile.ptr<f32>[i64, tensor<4xi64>] -> tensor<8x4xf32>
  %x = tile.view_load %p[%i, %j] strides [%s, %s] bounds [%n] axes [0] : !tile.ptr<f32>[i64, tensor<4xi64>] -> tensor<8x4xf32>
  tile.view_store %x, %p[%i, %j] strides [%s, %s] bounds [] axes [] : tensor<8x4xf32>, !tile.ptr<f32>[i64, tensor<4xi64>]
  return %x : tensor<8x4xf32>
}

// CHECK-LABEL: @reduce_and_dot
func.func @reduce_and_dot(%a: tensor<16x8xf16>, %b: tensor<8x32xf16>, %c: tensor<16x32xf32>) -> tensor<16xf32> {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision ieee : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
  %r = tile.dot %a, %b, %c precision ieee : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
  // CHECK: tile.reduce %{{.*}} axis 1 combine {
  %s = tile.reduce %r axis 1 combine {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  } : (tensor<16x32xf32>) -> tensor<16xf32>
  return %s : tensor<16xf32>
}
