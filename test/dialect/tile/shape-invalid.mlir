// RUN: tesela-opt %s --verify-diagnostics --split-input-file

func.func @iota_past_i32() {
  // expected-error @+1 {{last element 2147483648 does not fit i32}}
  %0 = tile.iota 2147483645 : tensor<4xi32>
  return
}

// -----

func.func @iota_of_matrix() {
  // expected-error @+1 {{result #0 must be 1D tensor of 32-bit signless integer values}}
  %0 = tile.iota 0 : tensor<4x4xi32>
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @splat_of_another_type(%x: f32) {
  // expected-error @+1 {{expects different type than prior uses}}
  %0 = tile.splat %x : tensor<4xf16>
  return
}

// -----

func.func @expand_past_the_end(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis 2 is past the last axis of 'tensor<4xf32>'}}
  %0 = tile.expand_dims %x axis 2 : tensor<4xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @expand_at_another_place(%x: tensor<4xf32>) {
  // expected-error @+1 {{result of 'tensor<4xf32>' with axis 0 inserted is 'tensor<4x1xf32>'}}
  %0 = tile.expand_dims %x axis 0 : tensor<4xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @expand_to_another_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{source elements are 'f32', result elements are 'f16'}}
  %0 = tile.expand_dims %x axis 0 : tensor<4xf32> -> tensor<1x4xf16>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{source has rank 1, result has rank 2}}
  %0 = tile.broadcast %x : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_extent(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{an axis of 2 elements cannot be repeated to 4}}
  %0 = tile.broadcast %x : tensor<4x2xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @reshape_count(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{source has 8 elements, result has 16}}
  %0 = tile.reshape %x : tensor<4x2xf32> -> tensor<16xf32>
  return
}

// -----

func.func @permute_rank(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{order has 3 axes, source has rank 2}}
  %0 = tile.permute %x [1, 0, 2] : tensor<4x2xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @permute_twice(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{order is no permutation of the axes of 'tensor<4x2xf32>'}}
  %0 = tile.permute %x [1, 1] : tensor<4x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @permute_shape(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{result is 'tensor<4x2xf32>', its shape does not follow}}
  %0 = tile.permute %x [1, 0] : tensor<4x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @join_shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{the shape of 'tensor<2x4xf32>' is not that of 'tensor<4xf32>' with an axis of 2 added}}
  %0 = tile.join %x, %x : tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @split_extent(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{the shape of 'tensor<4x4xf32>' is not that of 'tensor<4xf32>' with an axis of 2 added}}
  %0, %1 = tile.split %x : tensor<4x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @cat_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{result has 16 elements, operands have 4 and 4}}
  %0 = tile.cat %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

func.func @cat_of_matrices(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{operands and result have one axis}}
  %0 = tile.cat %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @gather_axis(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{axis 1 is past the last axis of 'tensor<8xf32>'}}
  %0 = tile.gather %x[%i] axis 1
      : tensor<8xf32>[tensor<4xi32>] -> tensor<4xf32>
  return
}

// -----

func.func @gather_other_axis(%x: tensor<8x4xf32>, %i: tensor<4x4xi32>) {
  // expected-error @+1 {{they differ along another axis than 1}}
  %0 = tile.gather %x[%i] axis 1
      : tensor<8x4xf32>[tensor<4x4xi32>] -> tensor<4x4xf32>
  return
}

// -----

func.func @gather_extent(%x: tensor<6xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{axis 0 of 'tensor<6xf32>' is no power of two long}}
  %0 = tile.gather %x[%i] axis 0
      : tensor<6xf32>[tensor<4xi32>] -> tensor<4xf32>
  return
}

// -----

func.func @gather_result(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{which has not the shape of 'tensor<4xi32>'}}
  %0 = tile.gather %x[%i] axis 0
      : tensor<8xf32>[tensor<4xi32>] -> tensor<8xf32>
  return
}
