// RUN: tesela-opt --cpu-loops %s | FileCheck %s
// RUN: tesela-opt --cpu-loops="vector-bytes=64 vector-registers=32" %s \
// RUN:   | FileCheck %s --check-prefix=WIDE

// The dot waits for eight iterations, then keeps 6 rows of 2 vectors in
// registers over all of their K.
// CHECK-LABEL: func.func @gemm
// CHECK: scf.for {{.*}} step %c8_i64
// CHECK: scf.for {{.*}} step %c1_i64
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: scf.for {{.*}} to %c64_i64 step %c16_i64
// CHECK: scf.for {{.*}} to %c60_i64 step %c6_i64
// CHECK: %{{.*}}:12 = scf.for {{.*}} step %c4_i64
// CHECK-COUNT-48: llvm.intr.fmuladd({{.*}} vector<8xf32>
// CHECK: scf.yield
// CHECK: %{{.*}}:8 = scf.for
// WIDE: scf.for {{.*}} to %c64_i64 step %c4_i64
// WIDE: %{{.*}}:16 = scf.for
// WIDE: vector<16xf32>
func.func @gemm(%a_ptr: !tile.ptr<f16>, %b_ptr: !tile.ptr<f16>,
                %c_ptr: !tile.ptr<f32>, %k: i64) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %kb = %zero to %k step %c32 iter_args(%sum = %init)
      -> (tensor<64x64xf32>) : i64 {
    %a = tile.view_load %a_ptr[%zero, %kb] strides [%k, %one]
        bounds [] axes [] : !tile.ptr<f16>[i64, i64] -> tensor<64x32xf16>
    %b = tile.view_load %b_ptr[%kb, %zero] strides [%c64, %one]
        bounds [] axes [] : !tile.ptr<f16>[i64, i64] -> tensor<32x64xf16>
    %next = tile.dot %a, %b, %sum
        : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.view_store %acc, %c_ptr[%zero, %zero] strides [%c64, %one]
      bounds [] axes [] : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}
