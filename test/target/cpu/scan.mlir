// RUN: tesela-opt --cpu-loops --split-input-file %s | FileCheck %s

// Along the slices: lanes 1, 2, 4 and 8 apart, and what is carried.
// CHECK-LABEL: func.func @along
// CHECK: scf.for {{.*}} iter_args(%[[CARRY:.*]] = %{{.*}}) -> (f32)
// CHECK-COUNT-10: vector.shuffle
// CHECK: vector.broadcast %[[CARRY]]
// CHECK: vector.extract %{{.*}}[31]
// CHECK: scf.yield
func.func @along(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.apart = array<i32: 0, 1>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<256xf32>
  %s = tile.scan %v axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<256xf32>) -> tensor<256xf32>
  tile.view_store %s, %out[%zero] strides [%one] bounds [] axes []
      : tensor<256xf32>, !tile.ptr<f32>[i64]
  return
}

// -----

// Across the slices: row by row from the last, with the row before in memory.
// CHECK-LABEL: func.func @across
// CHECK: scf.for
// CHECK: arith.subi
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @across(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.apart = array<i32: 0, 1>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %row = arith.constant 64 : i64
  %v = tile.view_load %x[%zero, %zero] strides [%row, %one] bounds [] axes []
      : !tile.ptr<f32>[i64, i64] -> tensor<16x64xf32>
  %s = tile.scan %v axis 0 reverse combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<16x64xf32>) -> tensor<16x64xf32>
  tile.view_store %s, %out[%zero, %zero] strides [%row, %one] bounds [] axes []
      : tensor<16x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}
