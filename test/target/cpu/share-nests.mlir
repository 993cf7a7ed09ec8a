// RUN: tesela-opt %s --cpu-share-nests=fewest=3 --split-input-file | FileCheck %s

// What differs is a parameter; a constant that all have is none.

// CHECK-LABEL: func.func @twice
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr, %[[Q:.*]]: !llvm.ptr, %[[N:.*]]: i64
// CHECK:         %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-NOT:     scf.for
// CHECK:         call @twice.nest0(%[[P]], %[[N]]) : (!llvm.ptr, i64) -> ()
// CHECK:         call @twice.nest0(%[[Q]], %[[TWO]])
// CHECK:         func.func private @twice.nest0(%[[TO:.*]]: !llvm.ptr, %[[END:.*]]: i64)
// CHECK-SAME:      llvm.linkage = #llvm.linkage<internal>
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[END]]
// CHECK-NEXT:      llvm.store %[[I]], %[[TO]]
func.func @twice(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    llvm.store %i, %p : i64, !llvm.ptr
  }
  scf.for %i = %c0 to %c2 step %c1 : i64 {
    llvm.store %i, %q : i64, !llvm.ptr
  }
  return
}

// -----

// One value of the first loop would have to be two of the second.

// CHECK-LABEL: func.func @apart
// CHECK-NOT:     call
// CHECK-COUNT-2: scf.for
func.func @apart(%p: !llvm.ptr, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    llvm.store %c0, %p : i64, !llvm.ptr
  }
  scf.for %i = %c0 to %n step %c1 : i64 {
    llvm.store %n, %p : i64, !llvm.ptr
  }
  return
}

// -----

// Another operation, and a loop with a result.

// CHECK-LABEL: func.func @different
// CHECK-NOT:     call
// CHECK-COUNT-4: scf.for
func.func @different(%p: !llvm.ptr, %n: i64, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    llvm.store %i, %p : i64, !llvm.ptr
  }
  scf.for %i = %c0 to %n step %c1 : i64 {
    llvm.store volatile %i, %p : i64, !llvm.ptr
  }
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> f32 : i64 {
    %t = arith.addf %s, %s : f32
    scf.yield %t : f32
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> f32 : i64 {
    %t = arith.addf %s, %s : f32
    scf.yield %t : f32
  }
  return %a, %b : f32, f32
}
