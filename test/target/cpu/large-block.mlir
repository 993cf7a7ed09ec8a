// RUN: tesela-opt --cpu-loops %s | FileCheck %s
// RUN: tesela-opt --cpu-loops="vector-bytes=64 vector-registers=32" %s \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: tesela-opt --cpu-pipeline %s | FileCheck %s --check-prefix=LLVM

// A block of any size is a loop over slices of a few registers.
// CHECK-LABEL: func.func @square
// CHECK: scf.for %{{.*}} = %c0_i64 to %c65536_i64 step %c32_i64
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.load {{.*}} -> vector<32xf32>
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: llvm.getelementptr
// CHECK: llvm.store
// WIDE: llvm.load {{.*}} -> vector<64xf32>
// LLVM: llvm.func @square(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {{.*}}noalias{{.*}}, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
func.func @square(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.in_step = [array<i32: 0, 1>]} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<65536xf32>
  %r = arith.mulf %v, %v : tensor<65536xf32>
  tile.view_store %r, %out[%zero] strides [%one] bounds [] axes []
      : tensor<65536xf32>, !tile.ptr<f32>[i64]
  return
}
