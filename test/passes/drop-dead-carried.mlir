// RUN: tesela-opt %s --drop-dead-carried --canonicalize | FileCheck %s

// A pointer that only its own next value is computed from is no longer carried,
// also through an inner loop.

// CHECK-LABEL: func.func @dead(
// CHECK-NOT:     iter_args
// CHECK:         return
func.func @dead(%x: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> (!tile.ptr<f32>) : i32 {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%s = %p) -> (!tile.ptr<f32>) : i32 {
      %t = tile.addptr %s, %c1 : !tile.ptr<f32>, i32
      scf.yield %t : !tile.ptr<f32>
    }
    %v = tile.load %x : !tile.ptr<f32> -> f32
    tile.store %x, %v : !tile.ptr<f32>, f32
    scf.yield %q : !tile.ptr<f32>
  }
  return
}

// Something else needs it: a store in the loop, or what comes after it.

// CHECK-LABEL: func.func @needed_inside(
// CHECK:         iter_args
func.func @needed_inside(%x: !tile.ptr<f32>, %n: i32, %v: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> (!tile.ptr<f32>) : i32 {
    tile.store %p, %v : !tile.ptr<f32>, f32
    %q = tile.addptr %p, %c1 : !tile.ptr<f32>, i32
    scf.yield %q : !tile.ptr<f32>
  }
  return
}

// CHECK-LABEL: func.func @needed_after(
// CHECK:         iter_args
func.func @needed_after(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c0) -> (i32) : i32 {
    %s = arith.muli %p, %i : i32
    %q = arith.addi %s, %c1 : i32
    scf.yield %q : i32
  }
  return %r : i32
}
