// RUN: tesela-opt --cpu-loops --split-input-file %s | FileCheck %s

// What all instances write is compared with what caches keep, 128 MiB or 131072
// instances of 1 KiB; a row that starts at 16 bytes goes past them.
// CHECK-LABEL: func.func @result
// CHECK-DAG: %[[ALL:.*]] = arith.constant 131072 : i64
// CHECK: scf.for
// CHECK: %[[MUCH:.*]] = arith.cmpi sge, %{{.*}}, %[[ALL]]
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq
// CHECK: %[[STREAMS:.*]] = arith.andi %[[ALIGNED]], %[[MUCH]]
// CHECK: scf.for
// CHECK: scf.if %[[STREAMS]]
// CHECK-NEXT: llvm.store {{.*}} {alignment = 16 : i64, nontemporal}
// CHECK: llvm.store {{.*}} {alignment = 4 : i64}
// CHECK: scf.if
// CHECK-NEXT: llvm.fence seq_cst
func.func @result(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.apart = array<i32: 0, 1>} {
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

// What is read, too, is in a cache already.
// CHECK-LABEL: func.func @updated
// CHECK-NOT: nontemporal
// CHECK-NOT: fence
// CHECK: return
func.func @updated(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<256xf32>
  %r = arith.mulf %v, %v : tensor<256xf32>
  tile.view_store %r, %x[%zero] strides [%one] bounds [] axes []
      : tensor<256xf32>, !tile.ptr<f32>[i64]
  return
}

// -----

// Rows that are shorter than some cache lines stay in the caches.
// CHECK-LABEL: func.func @short
// CHECK-NOT: nontemporal
// CHECK: return
func.func @short(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.apart = array<i32: 0, 1>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<32xf32>
  tile.view_store %v, %out[%zero] strides [%one] bounds [] axes []
      : tensor<32xf32>, !tile.ptr<f32>[i64]
  return
}

// -----

// A long row that is read as a whole before it is written: a quarter of that is
// enough, 8192 rows of 4 KiB.
// CHECK-LABEL: func.func @row
// CHECK: arith.cmpi sge, %{{.*}}, %c8192_i64
// CHECK: nontemporal
// CHECK: return
func.func @row(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.apart = array<i32: 0, 1>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<1024xf32>
  %s = tile.reduce %v axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %ss = tile.splat %s : tensor<1024xf32>
  %r = arith.divf %v, %ss : tensor<1024xf32>
  tile.view_store %r, %out[%zero] strides [%one] bounds [] axes []
      : tensor<1024xf32>, !tile.ptr<f32>[i64]
  return
}
