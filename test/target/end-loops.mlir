// RUN: tesela-opt %s --end-loops | FileCheck %s

// A step past the last value may be no number of 32 bits: the iterations are
// counted.

// CHECK-LABEL: @unknown_end
// CHECK-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i32, %[[X:.*]]: f32)
// CHECK-DAG: %[[STEP:.*]] = arith.constant 5 : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[A]], %[[B]]
// CHECK: %[[SPAN:.*]] = arith.subi %[[B]], %[[A]]
// CHECK: %[[FAR:.*]] = arith.subi %[[SPAN]], %[[ONE]]
// CHECK: %[[DIV:.*]] = arith.divui %[[FAR]], %[[STEP]]
// CHECK: %[[ALL:.*]] = arith.addi %[[DIV]], %[[ONE]]
// CHECK: %[[COUNT:.*]] = arith.select %[[RUNS]], %[[ALL]], %[[ZERO]]
// CHECK: scf.for unsigned %[[K:.*]] = %[[ZERO]] to %[[COUNT]] step %[[ONE]]
// CHECK: %[[FROM:.*]] = arith.muli %[[K]], %[[STEP]]
// CHECK: %[[I:.*]] = arith.addi %[[A]], %[[FROM]]
// CHECK: arith.sitofp %[[I]]
func.func @unknown_end(%a: i32, %b: i32, %x: f32) -> f32 {
  %step = arith.constant 5 : i32
  %r = scf.for %i = %a to %b step %step iter_args(%y = %x) -> f32 : i32 {
    %f = arith.sitofp %i : i32 to f32
    %sum = arith.addf %y, %f : f32
    scf.yield %sum : f32
  }
  return %r : f32
}

// From a natural number the sum is one without a sign.

// CHECK-LABEL: @from_zero
// CHECK-SAME: (%[[B:.*]]: i32, %{{.*}})
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[STEP:.*]] = arith.constant 64 : i32
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[ZERO]], %[[B]]
// CHECK: scf.if %[[RUNS]]
// CHECK-NEXT: scf.for unsigned %[[I:.*]] = %[[ZERO]] to %[[B]] step %[[STEP]]
// CHECK-NEXT: llvm.store %[[I]]
func.func @from_zero(%b: i32, %p: !llvm.ptr) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  scf.for %i = %zero to %b step %step : i32 {
    llvm.store %i, %p : i32, !llvm.ptr
  }
  return
}

// CHECK-LABEL: @from_zero_with_result
// CHECK: %[[IF:.*]] = scf.if
// CHECK-NEXT: %[[R:.*]] = scf.for unsigned
// CHECK: scf.yield %[[R]] : f32
// CHECK-NEXT: else
// CHECK-NEXT: scf.yield %{{.*}} : f32
// CHECK: return %[[IF]]
func.func @from_zero_with_result(%b: i32, %x: f32) -> f32 {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %r = scf.for %i = %zero to %b step %step iter_args(%y = %x) -> f32 : i32 {
    %sum = arith.addf %y, %y : f32
    scf.yield %sum : f32
  }
  return %r : f32
}

// A step that is not known is no divisor before there is an iteration.

// CHECK-LABEL: @unsigned
// CHECK-SAME: (%[[A:.*]]: i64, %[[B:.*]]: i64, %[[S:.*]]: i64
// CHECK: arith.cmpi ult, %[[A]], %[[B]]
// CHECK: %[[BY:.*]] = arith.maxui %[[S]]
// CHECK: arith.divui %{{.*}}, %[[BY]]
// CHECK: scf.for unsigned
func.func @unsigned(%a: i64, %b: i64, %s: i64, %p: !llvm.ptr) {
  scf.for unsigned %i = %a to %b step %s : i64 {
    llvm.store %i, %p : i64, !llvm.ptr
  }
  return
}

// One step more is always a number.

// CHECK-LABEL: @step_of_one
// CHECK-NOT: unsigned
// CHECK: return
func.func @step_of_one(%a: i32, %b: i32, %p: !llvm.ptr) {
  %one = arith.constant 1 : i32
  scf.for %i = %a to %b step %one : i32 {
    llvm.store %i, %p : i32, !llvm.ptr
  }
  return
}

// CHECK-LABEL: @known_end
// CHECK-NOT: unsigned
// CHECK: return
func.func @known_end(%a: i32, %p: !llvm.ptr) {
  %end = arith.constant 2147483640 : i32
  %step = arith.constant 8 : i32
  scf.for %i = %a to %end step %step : i32 {
    llvm.store %i, %p : i32, !llvm.ptr
  }
  return
}

// CHECK-LABEL: @known_end_too_late
// CHECK: scf.for unsigned
// CHECK: return
func.func @known_end_too_late(%a: i32, %p: !llvm.ptr) {
  %end = arith.constant 2147483640 : i32
  %step = arith.constant 9 : i32
  scf.for %i = %a to %end step %step : i32 {
    llvm.store %i, %p : i32, !llvm.ptr
  }
  return
}

// CHECK-LABEL: @bounded_end
// CHECK-NOT: unsigned
// CHECK: return
func.func @bounded_end(%a: i32, %b: i32, %p: !llvm.ptr) {
  %most = arith.constant 1000 : i32
  %step = arith.constant 8 : i32
  %end = arith.minsi %b, %most : i32
  scf.for %i = %a to %end step %step : i32 {
    llvm.store %i, %p : i32, !llvm.ptr
  }
  return
}
