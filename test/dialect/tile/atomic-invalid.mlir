// RUN: tesela-opt %s --verify-diagnostics --split-input-file

func.func @pointee(%p: !tile.ptr<f32>, %x: i32) {
  // expected-error @+1 {{pointers to 'f32' access elements of 'i32'}}
  %0 = tile.atomic_rmw add relaxed gpu %p, %x : !tile.ptr<f32>, i32
  return
}

// -----

func.func @kind(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{`and` is not defined for 'f32'}}
  %0 = tile.atomic_rmw and relaxed gpu %p, %x : !tile.ptr<f32>, f32
  return
}

// -----

func.func @width(%p: !tile.ptr<i16>, %x: i16) {
  // expected-error @+1 {{`add` is not defined for 'i16'}}
  %0 = tile.atomic_rmw add relaxed gpu %p, %x : !tile.ptr<i16>, i16
  return
}

// -----

func.func @half_maximum(%p: !tile.ptr<f16>, %x: f16) {
  // expected-error @+1 {{`fmax` is not defined for 'f16'}}
  %0 = tile.atomic_rmw fmax relaxed gpu %p, %x : !tile.ptr<f16>, f16
  return
}

// -----

func.func @shape(%p: tensor<8x!tile.ptr<i32>>, %x: tensor<4xi32>) {
  // expected-error @+1 {{value is 'tensor<4xi32>', which has not the shape of 'tensor<8x!tile.ptr<i32>>'}}
  %0 = tile.atomic_rmw add relaxed gpu %p, %x
      : tensor<8x!tile.ptr<i32>>, tensor<4xi32>
  return
}

// -----

func.func @mask(%p: tensor<8x!tile.ptr<i32>>, %x: tensor<8xi32>, %m: i1) {
  // expected-error @+1 {{mask is 'i1', which has not the shape of 'tensor<8x!tile.ptr<i32>>'}}
  %0 = tile.atomic_rmw add relaxed gpu %p, %x mask %m : i1
      : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  return
}

// -----

func.func @bytes(%p: !tile.ptr<i8>, %x: i8) {
  // expected-error @+1 {{elements of 'i8' cannot be compared}}
  %0 = tile.atomic_cas relaxed gpu %p, %x, %x : !tile.ptr<i8>, i8
  return
}
