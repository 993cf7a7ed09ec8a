// RUN: tesela-opt %s --nvidia-lower-threads | FileCheck %s

// Where the divisor is the usual one, a power of two, nothing is divided; else
// as ever.

// CHECK-LABEL: @place
// CHECK-SAME:    %[[X:[a-z0-9]+]]: i32, %[[Y:[a-z0-9]+]]: i32
// CHECK:         %[[D:.*]] = arith.minsi %[[Y]], %c8_i32
// CHECK:         %[[IS:.*]] = arith.cmpi eq, %[[D]], %c8_i32
// CHECK:         %[[Q:.*]] = scf.if %[[IS]] -> (i32) {
// CHECK-NEXT:      %[[C31:.*]] = arith.constant 31 : i32
// CHECK-NEXT:      %[[S:.*]] = arith.shrsi %[[X]], %[[C31]]
// CHECK-NEXT:      %[[C29:.*]] = arith.constant 29 : i32
// CHECK-NEXT:      %[[B:.*]] = arith.shrui %[[S]], %[[C29]]
// CHECK-NEXT:      %[[M:.*]] = arith.addi %[[X]], %[[B]]
// CHECK-NEXT:      %[[C3:.*]] = arith.constant 3 : i32
// CHECK-NEXT:      %[[R:.*]] = arith.shrsi %[[M]], %[[C3]]
// CHECK-NEXT:      scf.yield %[[R]]
// CHECK-NEXT:    } else {
// CHECK:           arith.divsi %[[X]]
// CHECK:         scf.if %{{.*}} -> (i32) {
// CHECK-NOT:       divsi
// CHECK:           %[[L:.*]] = arith.andi
// CHECK-NEXT:      %[[R:.*]] = arith.subi %[[L]]
// CHECK:         } else {
// CHECK:           arith.divsi %[[X]]
func.func @place(%x: i32, %y: i32, %p: !tile.ptr<i32>) attributes {tile.kernel} {
  %c8 = arith.constant 8 : i32
  %d = arith.minsi %y, %c8 : i32
  %q = tile.divsi %x, %d : i32
  %r = tile.remsi %x, %d : i32
  %s = arith.addi %q, %r : i32
  tile.store %p, %s : !tile.ptr<i32>, i32
  return
}
