// RUN: tesela-opt %s --split-input-file --version-wraps --raise-views --canonicalize --cse | FileCheck %s
// RUN: tesela-opt %s --split-input-file --raise-views='general=true' | FileCheck %s --check-prefix=GENERAL

// What is beyond %n wraps around, but its rows are not stored: nothing is read
// there, and there is one version of the kernel.

// CHECK-LABEL: func.func @rows(
// CHECK-NOT:     remsi
// CHECK-NOT:     scf.if
// CHECK:         %[[N:.*]] = arith.extsi %arg2 : i32 to i64
// CHECK:         tile.view_load %arg0[%{{.*}}, %{{.*}}] strides[{{.*}}] bounds[%[[N]]] axes [0]
// CHECK:         tile.view_load
// CHECK:         tile.dot
// CHECK:         tile.view_store {{.*}} bounds[%[[N]]] axes [0]
// CHECK-LABEL: func.func @rows.precondition(

// GENERAL-LABEL: func.func @rows(
// GENERAL:         tile.remsi
func.func @rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %c16 = arith.constant 16 : i32
  %s = arith.muli %pid, %c16 : i32
  %iota = tile.iota 0 : tensor<16xi32>
  %ss = tile.splat %s : tensor<16xi32>
  %i = arith.addi %ss, %iota : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %r = tile.remsi %i, %ns : tensor<16xi32>
  %r1 = tile.expand_dims %r axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %w = arith.constant dense<16> : tensor<16x1xi32>
  %ro = arith.muli %r1, %w : tensor<16x1xi32>
  %k = tile.expand_dims %iota axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %ro2 = tile.broadcast %ro : tensor<16x1xi32> -> tensor<16x16xi32>
  %k2 = tile.broadcast %k : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %ro2, %k2 : tensor<16x16xi32>
  %xs = tile.splat %x : tensor<16x16x!tile.ptr<f32>>
  %p = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %a = tile.load %p : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %q1 = tile.expand_dims %iota axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %qo = arith.muli %q1, %w : tensor<16x1xi32>
  %qo2 = tile.broadcast %qo : tensor<16x1xi32> -> tensor<16x16xi32>
  %bo = arith.addi %qo2, %k2 : tensor<16x16xi32>
  %bp = tile.addptr %xs, %bo : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %b = tile.load %bp : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c = tile.dot %a, %b, %zero : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %i1 = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %n1 = tile.splat %n : tensor<16x1xi32>
  %m = arith.cmpi sgt, %n1, %i1 : tensor<16x1xi32>
  %m2 = tile.broadcast %m : tensor<16x1xi1> -> tensor<16x16xi1>
  %io = arith.muli %i1, %w : tensor<16x1xi32>
  %io2 = tile.broadcast %io : tensor<16x1xi32> -> tensor<16x16xi32>
  %so = arith.addi %io2, %k2 : tensor<16x16xi32>
  %ys = tile.splat %y : tensor<16x16x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %so : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store %yp, %c mask %m2 : tensor<16x16xi1> : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}

// -----

// The mask of the store is one of other numbers: %i <= %n.

// CHECK-LABEL: func.func @other_mask(
// CHECK:         tile.remsi
// GENERAL-LABEL: func.func @other_mask(
func.func @other_mask(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %c16 = arith.constant 16 : i32
  %s = arith.muli %pid, %c16 : i32
  %iota = tile.iota 0 : tensor<16xi32>
  %ss = tile.splat %s : tensor<16xi32>
  %i = arith.addi %ss, %iota : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %r = tile.remsi %i, %ns : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %a = tile.load %p : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %ys = tile.splat %y : tensor<16x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %m = arith.cmpi sle, %i, %ns : tensor<16xi32>
  tile.store %yp, %a mask %m : tensor<16xi1> : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  return
}

// -----

// The start of the indices that the mask compares is another one.

// CHECK-LABEL: func.func @other_start(
// CHECK:         tile.remsi
// GENERAL-LABEL: func.func @other_start(
func.func @other_start(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %t: i32) attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %c16 = arith.constant 16 : i32
  %s = arith.muli %pid, %c16 : i32
  %iota = tile.iota 0 : tensor<16xi32>
  %ss = tile.splat %s : tensor<16xi32>
  %i = arith.addi %ss, %iota : tensor<16xi32>
  %ts = tile.splat %t : tensor<16xi32>
  %j = arith.addi %ts, %iota : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %r = tile.remsi %i, %ns : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %a = tile.load %p : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %ys = tile.splat %y : tensor<16x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %j : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %m = arith.cmpi slt, %j, %ns : tensor<16xi32>
  tile.store %yp, %a mask %m : tensor<16xi1> : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  return
}

// -----

// A sum takes in what is beyond.

// CHECK-LABEL: func.func @summed(
// CHECK:         tile.remsi
// GENERAL-LABEL: func.func @summed(
func.func @summed(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %c16 = arith.constant 16 : i32
  %s = arith.muli %pid, %c16 : i32
  %iota = tile.iota 0 : tensor<16xi32>
  %ss = tile.splat %s : tensor<16xi32>
  %i = arith.addi %ss, %iota : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %r = tile.remsi %i, %ns : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %a = tile.load %p : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %sum = tile.reduce %a axis 0 combine {
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tile.yield %w : f32
  } : (tensor<16xf32>) -> f32
  %t = tile.splat %sum : tensor<16xf32>
  %ys = tile.splat %y : tensor<16x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<16xi32>
  tile.store %yp, %t mask %m : tensor<16xi1> : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  return
}
