// RUN: tesela-opt %s --fuse-dot-acc | FileCheck %s

// The addend becomes the accumulator, on either side.

// CHECK-LABEL: func.func @either_side(
// CHECK-SAME:    %[[A:.*]]: tensor<4x8xf16>, %[[B:.*]]: tensor<8x4xf16>, %[[X:.*]]: tensor<4x4xf32>
// CHECK:         %[[D:.*]] = tile.dot %[[A]], %[[B]], %[[X]] precision ieee
// CHECK:         %[[E:.*]] = tile.dot %[[A]], %[[B]], %[[D]] :
// CHECK:         return %[[E]]
func.func @either_side(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %p = tile.dot %a, %b, %zero precision ieee : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
  %d = arith.addf %x, %p : tensor<4x4xf32>
  %q = tile.dot %a, %b, %zero : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
  %e = arith.addf %q, %d : tensor<4x4xf32>
  return %e : tensor<4x4xf32>
}

// As in attention, where the accumulator is scaled first.

// CHECK-LABEL: func.func @scaled(
// CHECK:         %[[S:.*]] = arith.mulf
// CHECK:         tile.dot %{{.*}}, %{{.*}}, %[[S]]
// CHECK-NOT:     arith.addf
func.func @scaled(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %x: tensor<4x4xf32>, %s: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %scaled = arith.mulf %x, %s : tensor<4x4xf32>
  %p = tile.dot %a, %b, %zero : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
  %d = arith.addf %scaled, %p : tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}

// Integers wrap, so that a narrow result of a wide dot may start from the
// widened addend.

// CHECK-LABEL: func.func @through_truncation(
// CHECK-SAME:    %[[A:.*]]: tensor<4x8xi8>, %[[B:.*]]: tensor<8x4xi8>, %[[X:.*]]: tensor<4x4xi8>)
// CHECK:         %[[W:.*]] = arith.extsi %[[X]] : tensor<4x4xi8> to tensor<4x4xi32>
// CHECK:         %[[D:.*]] = tile.dot %[[A]], %[[B]], %[[W]]
// CHECK:         arith.trunci %[[D]]
// CHECK-NOT:     arith.addi
func.func @through_truncation(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>, %x: tensor<4x4xi8>) -> tensor<4x4xi8> {
  %zero = arith.constant dense<0> : tensor<4x4xi32>
  %p = tile.dot %a, %b, %zero : tensor<4x8xi8>, tensor<8x4xi8>, tensor<4x4xi32>
  %t = arith.trunci %p : tensor<4x4xi32> to tensor<4x4xi8>
  %d = arith.addi %t, %x : tensor<4x4xi8>
  return %d : tensor<4x4xi8>
}

// Products of 8-bit floats are added to in fp32 where the kernel says so.

// CHECK-LABEL: func.func @of_float8(
// CHECK:         tile.dot
// CHECK:         arith.addf
func.func @of_float8(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x4xf8E5M2>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %p = tile.dot %a, %b, %zero : tensor<4x8xf8E4M3FN>, tensor<8x4xf8E5M2>, tensor<4x4xf32>
  %d = arith.addf %x, %p : tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}

// Not fused: the product is used elsewhere, the dot starts from something, or a
// rounding lies in between.

// CHECK-LABEL: func.func @not_fused(
// CHECK-COUNT-3: arith.addf
func.func @not_fused(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %x: tensor<4x4xf32>, %h: tensor<4x4xf16>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>) {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %p = tile.dot %a, %b, %zero : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
  %d = arith.addf %x, %p : tensor<4x4xf32>
  %q = tile.dot %a, %b, %x : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
  %e = arith.addf %x, %q : tensor<4x4xf32>
  %s = tile.dot %a, %b, %zero : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
  %t = arith.truncf %s : tensor<4x4xf32> to tensor<4x4xf16>
  %u = arith.addf %h, %t : tensor<4x4xf16>
  return %d, %e, %p, %u : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>
}
