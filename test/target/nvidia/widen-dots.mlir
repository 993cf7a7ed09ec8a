// RUN: tesela-opt %s --pass-pipeline='builtin.module(func.func(nvidia-widen-dots))' \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @float8(
// CHECK-SAME:    %[[A:.*]]: tensor<16x32xf8E4M3FN>, %[[B:.*]]: tensor<32x8xf8E5M2>
// CHECK:         %[[X:.*]] = arith.extf %[[A]] : tensor<16x32xf8E4M3FN> to tensor<16x32xf16>
// CHECK:         %[[Y:.*]] = arith.extf %[[B]] : tensor<32x8xf8E5M2> to tensor<32x8xf16>
// CHECK:         tile.dot %[[X]], %[[Y]], %{{.*}} : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32>
func.func @float8(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x8xf8E5M2>,
                  %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %r = tile.dot %a, %b, %c : tensor<16x32xf8E4M3FN>, tensor<32x8xf8E5M2>, tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @halves(
// CHECK-NOT:     arith.extf
func.func @halves(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>,
                  %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %r = tile.dot %a, %b, %c : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}
