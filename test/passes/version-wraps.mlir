// RUN: tesela-opt %s --version-wraps --canonicalize | FileCheck %s

// Tiles inside of %n use consecutive indices, those at the edge wrap. What was
// computed from the wrapped indices before the branch is computed anew.

// CHECK-LABEL: func.func @wrapped(
// CHECK-SAME:    %[[X:.*]]: !tile.ptr<f32>, %[[S:.*]]: i32, %[[N:.*]]: i32, %[[T:.*]]: i32, %[[M:.*]]: i32)
// CHECK:         %[[I:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<8xi32>
// CHECK:         %[[R:.*]] = tile.remsi %[[I]], %{{.*}} : tensor<8xi32>
// CHECK:         %[[COLUMN:.*]] = tile.expand_dims %[[R]] axis 1
// CHECK-DAG:     arith.cmpi sge, %{{.*}}, %{{.*}} : i64
// CHECK-DAG:     arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK:         scf.if %{{.*}} {
// CHECK:           %[[PLAIN:.*]] = tile.expand_dims %[[I]] axis 1
// CHECK:           tile.broadcast %[[PLAIN]]
// CHECK:           tile.store
// CHECK:         } else {
// CHECK:           tile.broadcast %[[COLUMN]]
// CHECK:           tile.store
// CHECK:         }
func.func @wrapped(%x: !tile.ptr<f32>, %s: i32, %n: i32, %t: i32, %m: i32) attributes {tile.kernel} {
  %iota = tile.iota 0 : tensor<8xi32>
  %ss = tile.splat %s : tensor<8xi32>
  %i = arith.addi %ss, %iota : tensor<8xi32>
  %ns = tile.splat %n : tensor<8xi32>
  %r = tile.remsi %i, %ns : tensor<8xi32>
  %c = tile.expand_dims %r axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %ts = tile.splat %t : tensor<8xi32>
  %j = arith.addi %iota, %ts : tensor<8xi32>
  %ms = tile.splat %m : tensor<8xi32>
  %q = tile.remsi %j, %ms : tensor<8xi32>
  %d = tile.expand_dims %q axis 0 : tensor<8xi32> -> tensor<1x8xi32>
  %c2 = tile.broadcast %c : tensor<8x1xi32> -> tensor<8x8xi32>
  %d2 = tile.broadcast %d : tensor<1x8xi32> -> tensor<8x8xi32>
  %o = arith.addi %c2, %d2 : tensor<8x8xi32>
  %xs = tile.splat %x : tensor<8x8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %o : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %v = tile.load %p : tensor<8x8x!tile.ptr<f32>> -> tensor<8x8xf32>
  tile.store %p, %v : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xf32>
  return
}

// No wrap of consecutive indices: a remainder of something else, and one that a
// load depends on before the last.

// CHECK-LABEL: func.func @not_consecutive(
// CHECK-NOT:     scf.if
func.func @not_consecutive(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %iota = tile.iota 0 : tensor<8xi32>
  %two = arith.constant dense<2> : tensor<8xi32>
  %i = arith.muli %iota, %two : tensor<8xi32>
  %ns = tile.splat %n : tensor<8xi32>
  %r = tile.remsi %i, %ns : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  tile.store %p, %v : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @load_in_between(
// CHECK-NOT:     scf.if
func.func @load_in_between(%x: !tile.ptr<i32>, %s: i32, %n: i32) attributes {tile.kernel} {
  %iota = tile.iota 0 : tensor<8xi32>
  %ss = tile.splat %s : tensor<8xi32>
  %i = arith.addi %ss, %iota : tensor<8xi32>
  %ns = tile.splat %n : tensor<8xi32>
  %r = tile.remsi %i, %ns : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<i32>>
  %p = tile.addptr %xs, %r : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %v = tile.load %p : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
  %one = arith.constant 1 : i32
  %s1 = arith.addi %s, %one : i32
  %s1s = tile.splat %s1 : tensor<8xi32>
  %j = arith.addi %s1s, %iota : tensor<8xi32>
  %q = tile.remsi %j, %ns : tensor<8xi32>
  %p1 = tile.addptr %xs, %q : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %p1, %v : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  return
}
