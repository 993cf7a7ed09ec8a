// RUN: tesela-opt --cpu-loops --split-input-file %s | FileCheck %s

// A launch has checked that the two are apart, or one buffer: one loop.
// CHECK-LABEL: func.func @in_step
// CHECK-SAME: cpu.scratch_bytes = 64
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @in_step(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.in_step = [array<i32: 0, 1>]} {
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

// The same, and nothing is known of the two: a copy is read where they overlap.
// CHECK-LABEL: func.func @unchecked
// CHECK-SAME: cpu.scratch_bytes = 1024
// CHECK: scf.if %[[OVERLAPS:.*]] {
// CHECK: arith.select %[[OVERLAPS]]
func.func @unchecked(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>)
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

// Apart, and read in another order than it is written in: no copy.
// CHECK-LABEL: func.func @apart
// CHECK-SAME: cpu.scratch_bytes = 64
// CHECK: return
func.func @apart(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.apart = array<i32: 0, 1>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.view_load %x[%one] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<256xf32>
  tile.view_store %v, %out[%zero] strides [%one] bounds [] axes []
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

// -----

// In place, but all elements share one address: everything is read before
// anything is written.
// CHECK-LABEL: func.func @one_address
// CHECK-SAME: cpu.scratch_bytes = 1024
// CHECK: scf.if
func.func @one_address(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %v = tile.view_load %x[%zero] strides [%zero] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<256xf32>
  %r = arith.addf %v, %v : tensor<256xf32>
  tile.view_store %r, %x[%zero] strides [%zero] bounds [] axes []
      : tensor<256xf32>, !tile.ptr<f32>[i64]
  return
}
