// RUN: tesela-opt %s --split-code=fewest=20 --split-input-file | FileCheck %s
// RUN: tesela-opt %s --split-code=fewest=2000 --split-input-file | FileCheck %s --check-prefix=WHOLE

// Of two loops that an instance runs, one becomes a function of the other half.

// CHECK-LABEL: func.func @loops(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr, %{{.*}}: i64
// CHECK:         %[[END:.*]] = arith.andi
// CHECK:         scf.for
// CHECK:           %[[SUM:.*]] = func.call @loops.half0(%[[P]], %[[END]], %{{.*}}) : (!llvm.ptr, i64, vector<128xf32>) -> vector<128xf32>
// CHECK:           scf.for
// CHECK:             arith.mulf %{{.*}}, %[[SUM]]
// CHECK:         func.func private @loops.half0(
// CHECK-SAME:      -> vector<128xf32> attributes {{{.*}}llvm.linkage = #llvm.linkage<internal>{{.*}}tile.second_half
// CHECK:         %[[R:.*]] = scf.for
// CHECK:         return %[[R]]

// WHOLE-NOT: second_half
func.func @loops(%p: !llvm.ptr, %n: i64, %x: vector<128xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c7 = arith.constant 7 : i64
  %mask = arith.constant -8 : i64
  %c4096 = arith.constant 4096 : i64
  %less = arith.minsi %n, %c4096 : i64
  %more = arith.addi %less, %c7 : i64
  %end = arith.andi %more, %mask : i64
  scf.for %instance = %c0 to %n step %c1 : i64 {
    %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %x)
        -> vector<128xf32> : i64 {
      %v = llvm.load %p : !llvm.ptr -> vector<128xf32>
      %t = arith.addf %v, %s : vector<128xf32>
      scf.yield %t : vector<128xf32>
    }
    scf.for %i = %c0 to %end step %c1 : i64 {
      %v = llvm.load %p : !llvm.ptr -> vector<128xf32>
      %t = arith.mulf %v, %sum : vector<128xf32>
      llvm.store %t, %p : vector<128xf32>, !llvm.ptr
    }
  }
  return
}

// -----

// Functions are halves already. What loops have inside stays there.

// CHECK-LABEL: func.func @functions(
// CHECK-NOT:     second_half
// CHECK:         func.func private @functions.nest0(
// CHECK-SAME:      tile.second_half
// CHECK-NOT:     func.func
func.func @functions(%p: !llvm.ptr, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %v = llvm.load %p : !llvm.ptr -> vector<256xf32>
  %a = arith.addf %v, %v : vector<256xf32>
  %b = arith.addf %a, %v : vector<256xf32>
  %c = arith.mulf %a, %b : vector<256xf32>
  llvm.store %c, %p : vector<256xf32>, !llvm.ptr
  call @functions.nest0(%p, %n) : (!llvm.ptr, i64) -> ()
  return
}
func.func private @functions.nest0(%p: !llvm.ptr, %n: i64)
    attributes {llvm.linkage = #llvm.linkage<internal>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    scf.for %j = %c0 to %n step %c1 : i64 {
      %v = llvm.load %p : !llvm.ptr -> vector<256xf32>
      %t = arith.mulf %v, %v : vector<256xf32>
      llvm.store %t, %p : vector<256xf32>, !llvm.ptr
    }
  }
  return
}

// -----

// Blocks of 64 are too short for calls, and one half would have next to nothing.

// CHECK-LABEL: func.func @short
// CHECK-NOT:     second_half
func.func @short(%p: !llvm.ptr, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  scf.for %instance = %c0 to %n step %c1 : i64 {
    scf.for %i = %c0 to %c64 step %c1 : i64 {
      %v = llvm.load %p : !llvm.ptr -> vector<128xf32>
      %t = arith.mulf %v, %v : vector<128xf32>
      llvm.store %t, %p : vector<128xf32>, !llvm.ptr
    }
  }
  return
}

// -----

// One half would have next to nothing.

// CHECK-LABEL: func.func @one
// CHECK-NOT:     second_half
func.func @one(%p: !llvm.ptr) {
  %v = llvm.load %p : !llvm.ptr -> vector<256xf32>
  %a = arith.addf %v, %v : vector<256xf32>
  llvm.store %a, %p : vector<256xf32>, !llvm.ptr
  return
}
