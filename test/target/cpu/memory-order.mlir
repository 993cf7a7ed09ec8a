// RUN: tesela-opt --cpu-loops --split-input-file %s | FileCheck %s
// RUN: tesela-opt --cpu-loops=general --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=GENERAL

// Read and written at the same places: one loop, unless the two pointers may
// overlap in any way.
// CHECK-LABEL: func.func @same_places
// CHECK-SAME: cpu.scratch_bytes = 64
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// GENERAL-LABEL: func.func @same_places
// GENERAL-SAME: cpu.scratch_bytes = 1024
func.func @same_places(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<256xf32>
  %r = arith.mulf %v, %v : tensor<256xf32>
  tile.view_store %r, %out[%zero] strides [%one] bounds [] axes []
      : tensor<256xf32>, !tile.ptr<f32>[i64]
  return
}

// -----

// Shifted by one: where the two overlap, a copy is read instead.
// CHECK-LABEL: func.func @shifted
// CHECK-SAME: cpu.scratch_bytes = 1024
// CHECK: scf.if %[[OVERLAPS:.*]] {
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK: %[[FROM:.*]] = arith.select %[[OVERLAPS]]
// CHECK: scf.for
// CHECK: llvm.getelementptr %[[FROM]][
// CHECK: llvm.load
// CHECK: llvm.store
func.func @shifted(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<256xf32>
  tile.view_store %v, %x[%one] strides [%one] bounds [] axes []
      : tensor<256xf32>, !tile.ptr<f32>[i64]
  return
}
