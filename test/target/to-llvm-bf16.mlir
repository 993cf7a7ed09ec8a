// RUN: tesela-opt %s --to-llvm=bf16-is-bits | FileCheck %s
// RUN: tesela-opt %s --to-llvm | FileCheck %s --check-prefix=NUMBERS

// What is moved only is an integer, wherever it stands: a parameter, a constant,
// one of two, what a branch gives, memory.

// CHECK-LABEL: llvm.func @moved(
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: i16, %[[V:.*]]: vector<2xi16>, %{{.*}}: !llvm.ptr) -> i16
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(16256 : i16) : i16
// CHECK-DAG: %[[MANY:.*]] = llvm.mlir.constant(dense<[16256, -16384]> : vector<2xi16>) : vector<2xi16>
// CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(dense<16384> : vector<2xi16>) : vector<2xi16>
// CHECK: llvm.select %[[C]], %[[X]], %[[ONE]] : i1, i16
// CHECK: llvm.select %[[C]], %[[MANY]], %[[V]] : i1, vector<2xi16>
// CHECK: llvm.zext %{{.*}} : i16 to i32
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<2xi16>
// CHECK: llvm.store %[[ALL]], %{{.*}} : vector<2xi16>, !llvm.ptr
// CHECK: ^{{.*}}(%{{.*}}: i16):
// CHECK-NOT: bf16

// NUMBERS-LABEL: llvm.func @moved(
// NUMBERS-SAME: %{{.*}}: bf16,
// NUMBERS: llvm.mlir.constant(1.000000e+00 : bf16) : bf16
// NUMBERS: llvm.select %{{.*}} : i1, bf16
func.func @moved(%c: i1, %x: bf16, %v: vector<2xbf16>, %p: !llvm.ptr) -> bf16 {
  %one = arith.constant 1.0 : bf16
  %many = arith.constant dense<[1.0, -2.0]> : vector<2xbf16>
  %all = arith.constant dense<2.0> : vector<2xbf16>
  %chosen = arith.select %c, %x, %one : bf16
  %vectors = arith.select %c, %many, %v : vector<2xbf16>
  %bits = arith.bitcast %chosen : bf16 to i16
  %word = arith.extui %bits : i16 to i32
  %loaded = llvm.load %p : !llvm.ptr -> vector<2xbf16>
  llvm.store %all, %p : vector<2xbf16>, !llvm.ptr
  %last = scf.if %c -> bf16 {
    llvm.store %loaded, %p : vector<2xbf16>, !llvm.ptr
    llvm.store %word, %p : i32, !llvm.ptr
    llvm.store %vectors, %p : vector<2xbf16>, !llvm.ptr
    scf.yield %chosen : bf16
  } else {
    scf.yield %one : bf16
  }
  return %last : bf16
}
