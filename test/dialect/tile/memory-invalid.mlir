// RUN: tesela-opt %s --verify-diagnostics --split-input-file

func.func @load_of_another_type(%p: tensor<8x!tile.ptr<f32>>) {
  // expected-error @+1 {{pointers to 'f32' access elements of 'i32'}}
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xi32>
  return
}

// -----

func.func @load_shape(%p: tensor<8x!tile.ptr<f32>>) {
  // expected-error @+1 {{value is 'tensor<4xf32>', which has not the shape of 'tensor<8x!tile.ptr<f32>>'}}
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<4xf32>
  return
}

// -----

func.func @tile_through_scalar(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{value is 'tensor<4xf32>', which has not the shape of '!tile.ptr<f32>'}}
  %0 = tile.load %p : !tile.ptr<f32> -> tensor<4xf32>
  return
}

// -----

func.func @load_mask(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @+1 {{mask is 'tensor<4xi1>', which has not the shape of 'tensor<8x!tile.ptr<f32>>'}}
  %0 = tile.load %p mask %m : tensor<4xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return
}

// -----

func.func @other_without_mask(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) {
  // expected-error @+1 {{has `other` without `mask`}}
  %0 = tile.load %p other %o : tensor<8xf32> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return
}

// -----

func.func @other_type(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %o: f32) {
  // expected-error @+1 {{`other` is 'f32', result is 'tensor<8xf32>'}}
  %0 = tile.load %p mask %m : tensor<8xi1> other %o : f32 : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return
}

// -----

func.func @store_value(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf16>) {
  // expected-error @+1 {{pointers to 'f32' access elements of 'f16'}}
  tile.store %p, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf16>
  return
}

// -----

func.func @view_of_another_type(%p: !tile.ptr<f32>, %i: i64) {
  // expected-error @+1 {{base points at 'f32', elements are 'f16'}}
  %0 = tile.view_load %p[%i] strides [%i] bounds [] axes [] : !tile.ptr<f32>[i64] -> tensor<8xf16>
  return
}

// -----

func.func @view_rank(%p: !tile.ptr<f32>, %i: i64) {
  // expected-error @+1 {{has 1 offsets and 2 strides for rank 2}}
  %0 = tile.view_load %p[%i] strides [%i, %i] bounds [] axes [] : !tile.ptr<f32>[i64] -> tensor<8x4xf32>
  return
}

// -----

func.func @view_index(%p: !tile.ptr<f32>, %i: tensor<4xi64>, %s: i64) {
  // expected-error @+1 {{an axis of 8 elements is indexed by 'tensor<4xi64>'}}
  %0 = tile.view_load %p[%i] strides [%s] bounds [] axes [] : !tile.ptr<f32>[tensor<4xi64>] -> tensor<8xf32>
  return
}

// -----

func.func @view_index_rank(%p: !tile.ptr<f32>, %i: tensor<8x1xi64>, %s: i64) {
  // expected-error @+1 {{an axis of 8 elements is indexed by 'tensor<8x1xi64>'}}
  %0 = tile.view_load %p[%i] strides [%s] bounds [] axes [] : !tile.ptr<f32>[tensor<8x1xi64>] -> tensor<8xf32>
  return
}

// -----

func.func @view_bounds(%p: !tile.ptr<f32>, %i: i64) {
  // expected-error @+1 {{has 0 bounds for 1 axes}}
  %0 = tile.view_load %p[%i] strides [%i] bounds [] axes [0] : !tile.ptr<f32>[i64] -> tensor<8xf32>
  return
}

// -----

func.func @view_axes(%p: !tile.ptr<f32>, %i: i64) {
  // expected-error @+1 {{bounded axes are not increasing axes of 'tensor<8x4xf32>'}}
  %0 = tile.view_load %p[%i, %i] strides [%i, %i] bounds [%i, %i] axes [1, 0] : !tile.ptr<f32>[i64, i64] -> tensor<8x4xf32>
  return
}

// -----

func.func @view_other(%p: !tile.ptr<f32>, %i: i64, %o: tensor<4xf32>) {
  // expected-error @+1 {{`other` is 'tensor<4xf32>', result is 'tensor<8xf32>'}}
  %0 = tile.view_load %p[%i] strides [%i] bounds [%i] axes [0] other %o : tensor<4xf32> : !tile.ptr<f32>[i64] -> tensor<8xf32>
  return
}

// -----

func.func @view_store_mask(%p: !tile.ptr<f32>, %i: i64, %x: tensor<8xf32>, %m: tensor<4xi1>) {
  // expected-error @+1 {{mask is 'tensor<4xi1>', which has not the shape of 'tensor<8xf32>'}}
  tile.view_store %x, %p[%i] strides [%i] bounds [] axes [] mask %m : tensor<4xi1> : tensor<8xf32>, !tile.ptr<f32>[i64]
  return
}
