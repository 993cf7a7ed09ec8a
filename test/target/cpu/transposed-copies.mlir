// RUN: tesela-opt --cpu-loops %s | FileCheck %s

// The right operands of two dots are copied to scratch, one of them transposed:
// in registers, and not element by element beside the other.
// CHECK-LABEL: func.func @scores_and_sums
// CHECK-COUNT-8: llvm.load {{.*}} vector<8xf32>
// CHECK: vector.shuffle
// CHECK-NOT: vector.from_elements
// CHECK: llvm.store {{.*}} vector<8xf32>
// CHECK-NOT: vector.from_elements
// CHECK: return
func.func @scores_and_sums(%q: !tile.ptr<f32>, %k: !tile.ptr<f32>,
                           %v: !tile.ptr<f32>, %out: !tile.ptr<f32>,
                           %stride: i64) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.view_load %q[%zero, %zero] strides [%stride, %one]
      bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<32x32xf32>
  %b = tile.view_load %k[%zero, %zero] strides [%stride, %one]
      bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<32x32xf32>
  %c = tile.view_load %v[%zero, %zero] strides [%stride, %one]
      bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<32x32xf32>
  %t = tile.permute %b [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  %scores = tile.dot %a, %t, %none
      : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  %sums = tile.dot %scores, %c, %none
      : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  tile.view_store %sums, %out[%zero, %zero] strides [%stride, %one]
      bounds [] axes [] : tensor<32x32xf32>, !tile.ptr<f32>[i64, i64]
  return
}
