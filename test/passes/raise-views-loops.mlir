// RUN: tesela-opt %s --tile-pipeline --split-input-file | FileCheck %s

// Pointers that a loop carries become coordinates that grow with the induction
// variable: no tile of pointers is carried, and the step over K meets its mask.

// CHECK-LABEL: func.func @carried(
// CHECK-SAME:    %[[A:.*]]: !tile.ptr<f32>, %[[K:.*]]: i32, %[[S:.*]]: i32, %[[OUT:.*]]: !tile.ptr<f32>)
// CHECK-DAG:     %[[WK:.*]] = arith.extsi %[[K]] : i32 to i64
// CHECK-DAG:     %[[WS:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK:         scf.for %[[I:.*]] = %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<4x8xf32>)
// CHECK:           %[[WI:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK:           %[[AT:.*]] = arith.muli %[[WI]], %{{.*}} : i64
// CHECK:           tile.view_load %[[A]][%{{.*}}, %[[AT]]] strides[%{{.*}}, %[[WS]]] bounds[%[[WK]]] axes [1]
// CHECK-NOT:       tile.addptr
// CHECK:           scf.yield %{{.*}} : tensor<4x8xf32>
func.func @carried(%a: !tile.ptr<f32>, %k: i32, %s: i32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %up = arith.addi %k, %c7 : i32
  %trips = tile.divsi %up, %c8 : i32
  %i = tile.iota 0 : tensor<4xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<4xi32> -> tensor<4x1xi32>
  %i2 = tile.broadcast %i1 : tensor<4x1xi32> -> tensor<4x8xi32>
  %j = tile.iota 0 : tensor<8xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<8xi32> -> tensor<1x8xi32>
  %ss = tile.splat %s : tensor<1x8xi32>
  %js = arith.muli %j1, %ss : tensor<1x8xi32>
  %j2 = tile.broadcast %js : tensor<1x8xi32> -> tensor<4x8xi32>
  %offs = arith.addi %i2, %j2 : tensor<4x8xi32>
  %as = tile.splat %a : tensor<4x8x!tile.ptr<f32>>
  %p = tile.addptr %as, %offs : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %sum, %end = scf.for %it = %c0 to %trips step %c1 iter_args(%acc = %zero, %q = %p) -> (tensor<4x8xf32>, tensor<4x8x!tile.ptr<f32>>) : i32 {
    %done = arith.muli %it, %c8 : i32
    %left = arith.subi %k, %done : i32
    %lefts = tile.splat %left : tensor<1x8xi32>
    %m = arith.cmpi slt, %j1, %lefts : tensor<1x8xi32>
    %m2 = tile.broadcast %m : tensor<1x8xi1> -> tensor<4x8xi1>
    %v = tile.load %q mask %m2 : tensor<4x8xi1> : tensor<4x8x!tile.ptr<f32>> -> tensor<4x8xf32>
    %next = arith.addf %acc, %v : tensor<4x8xf32>
    %step = arith.muli %s, %c8 : i32
    %steps = tile.splat %step : tensor<4x8xi32>
    %q2 = tile.addptr %q, %steps : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
    scf.yield %next, %q2 : tensor<4x8xf32>, tensor<4x8x!tile.ptr<f32>>
  }
  %os = tile.splat %out : tensor<4x8x!tile.ptr<f32>>
  %o2 = tile.broadcast %j1 : tensor<1x8xi32> -> tensor<4x8xi32>
  %o = tile.addptr %os, %o2 : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  tile.store %o, %sum : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xf32>
  return
}

// -----

// Several updates an iteration, a use between them, and a use after the loop.

// CHECK-LABEL: func.func @two_updates(
// CHECK-SAME:    %[[A:.*]]: !tile.ptr<f32>, %[[N:.*]]: i32)
// CHECK-DAG:     %[[C24:.*]] = arith.constant 24 : i64
// CHECK:         %[[NEXT:.*]] = tile.addptr %[[A]], %{{.*}} : !tile.ptr<f32>, i64
// CHECK:         scf.for %[[I:.*]] = %{{.*}} : i32 {
// CHECK:           %[[AT:.*]] = arith.muli %{{.*}}, %[[C24]] : i64
// CHECK:           %[[V:.*]] = tile.view_load %[[A]][%[[AT]]]
// CHECK:           tile.view_store %[[V]], %[[NEXT]][%[[AT]]]
// CHECK:         }
// CHECK:         %[[TRIPS:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i64
// CHECK:         %[[END:.*]] = arith.muli %[[TRIPS]], %[[C24]] : i64
// CHECK:         tile.view_store %{{.*}}, %[[A]][%[[END]]]
func.func @two_updates(%a: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<8xi32>
  %c16 = arith.constant dense<16> : tensor<8xi32>
  %i = tile.iota 0 : tensor<8xi32>
  %as = tile.splat %a : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %as, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %end = scf.for %it = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<8x!tile.ptr<f32>>) : i32 {
    %v = tile.load %q : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
    %q1 = tile.addptr %q, %c8 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    tile.store %q1, %v : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
    %q2 = tile.addptr %q1, %c16 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %q2 : tensor<8x!tile.ptr<f32>>
  }
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  tile.store %end, %zero : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// -----

// A step that the loop itself computes from what it loads is no recurrence.

// CHECK-LABEL: func.func @data_dependent(
// CHECK:         scf.for {{.*}} -> (tensor<8x!tile.ptr<i32>>)
// CHECK:           tile.load
// CHECK:           tile.addptr
func.func @data_dependent(%a: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.iota 0 : tensor<8xi32>
  %as = tile.splat %a : tensor<8x!tile.ptr<i32>>
  %p = tile.addptr %as, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %end = scf.for %it = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<8x!tile.ptr<i32>>) : i32 {
    %v = tile.load %q : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
    tile.store %q, %v : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    %q1 = tile.addptr %q, %v : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    scf.yield %q1 : tensor<8x!tile.ptr<i32>>
  }
  return
}
