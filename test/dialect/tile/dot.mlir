// RUN: tesela-opt %s | tesela-opt | FileCheck %s

// CHECK-LABEL: @products
func.func @products(%a: tensor<16x8xf16>, %b: tensor<8x32xf16>, %c: tensor<16x32xf32>,
                    %i: tensor<2x4x8xi8>, %j: tensor<2x8x4xi8>, %k: tensor<2x4x4xi32>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
  %0 = tile.dot %a, %b, %c : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision tf32 : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
  %1 = tile.dot %a, %b, %c precision tf32 : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4x8xi8>, tensor<2x8x4xi8>, tensor<2x4x4xi32>
  %2 = tile.dot %i, %j, %k : tensor<2x4x8xi8>, tensor<2x8x4xi8>, tensor<2x4x4xi32>
  return
}
