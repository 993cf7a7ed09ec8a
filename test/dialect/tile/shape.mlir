// RUN: tesela-opt %s | tesela-opt | FileCheck %s

// CHECK-LABEL: @shapes
func.func @shapes(%p: !tile.ptr<f32>, %v: tensor<8xf32>, %m: tensor<4x8xf32>) {
  // CHECK: tile.iota -3 : tensor<8xi32>
  %0 = tile.iota -3 : tensor<8xi32>
  // CHECK: tile.splat %{{.*}} : tensor<4x8x!tile.ptr<f32>>
  %1 = tile.splat %p : tensor<4x8x!tile.ptr<f32>>
  // CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %2 = tile.expand_dims %v axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<8x1xf32> -> tensor<8x16xf32>
  %3 = tile.broadcast %2 : tensor<8x1xf32> -> tensor<8x16xf32>
  // CHECK: tile.reshape %{{.*}} : tensor<4x8xf32> -> tensor<2x16xf32>
  %4 = tile.reshape %m : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK: tile.reshape %{{.*}} can_reorder : tensor<4x8xf32> -> tensor<32xf32>
  %5 = tile.reshape %m can_reorder : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK: tile.permute %{{.*}} [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %6 = tile.permute %m [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<8xf32> -> tensor<8x2xf32>
  %7 = tile.join %v, %v : tensor<8xf32> -> tensor<8x2xf32>
  // CHECK: tile.split %{{.*}} : tensor<8x2xf32> -> tensor<8xf32>
  %8, %9 = tile.split %7 : tensor<8x2xf32> -> tensor<8xf32>
  // CHECK: tile.cat %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
  %10 = tile.cat %8, %9 : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
  // CHECK: tile.gather %{{.*}}[%{{.*}}] axis 0 : tensor<8xf32>[tensor<8xi32>] -> tensor<8xf32>
  %11 = tile.gather %v[%0] axis 0 : tensor<8xf32>[tensor<8xi32>] -> tensor<8xf32>
  return
}
