// RUN: tesela-opt %s | tesela-opt | FileCheck %s

// CHECK-LABEL: @through_pointers
func.func @through_pointers(%p: !tile.ptr<f32>, %ps: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>) {
  // CHECK: tile.load %{{.*}} : !tile.ptr<f32> -> f32
  %0 = tile.load %p : !tile.ptr<f32> -> f32
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<8xi1> other %{{.*}} : tensor<8xf32> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %1 = tile.load %ps mask %m : tensor<8xi1> other %o : tensor<8xf32> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  // CHECK: tile.load %{{.*}} volatile {cache = 3 : i32, evict = 1 : i32} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %2 = tile.load %ps volatile {cache = 3 : i32, evict = 1 : i32} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  tile.store %ps, %1 mask %m : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}} : !tile.ptr<f32>, f32
  tile.store %p, %0 : !tile.ptr<f32>, f32
  return
}

// CHECK-LABEL: @through_views
func.func @through_views(%p: !tile.ptr<f32>, %i: i64, %j: tensor<4xi64>, %s: i64, %n: i64, %m: tensor<8x4xi1>, %o: f32) {
  // CHECK: tile.view_load %{{.*}}[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] bounds[%{{.*}}] axes [0] mask %{{.*}} : tensor<8x4xi1> other %{{.*}} : f32 : !tile.ptr<f32>[i64, tensor<4xi64>] -> tensor<8x4xf32>
  %x = tile.view_load %p[%i, %j] strides [%s, %s] bounds [%n] axes [0] mask %m : tensor<8x4xi1> other %o : f32 : !tile.ptr<f32>[i64, tensor<4xi64>] -> tensor<8x4xf32>
  // CHECK: tile.view_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] bounds[] axes [] mask %{{.*}} : tensor<8x4xi1> : tensor<8x4xf32>, !tile.ptr<f32>[i64, tensor<4xi64>]
  tile.view_store %x, %p[%i, %j] strides [%s, %s] bounds [] axes [] mask %m : tensor<8x4xi1> : tensor<8x4xf32>, !tile.ptr<f32>[i64, tensor<4xi64>]
  return
}
