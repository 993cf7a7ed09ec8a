// RUN: tesela-opt %s --verify-diagnostics --split-input-file

func.func @scalar_and_tile(%p: !tile.ptr<f32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{if an operand is non-scalar, then there must be at least one non-scalar result}}
  %0 = tile.addptr %p, %i : !tile.ptr<f32>, tensor<8xi32>
  return
}

// -----

func.func @shapes(%p: tensor<4x!tile.ptr<f32>>, %i: tensor<8xi32>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tile.addptr %p, %i : tensor<4x!tile.ptr<f32>>, tensor<8xi32>
  return
}

// -----

func.func @address_of_32_bits(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{result #0 must be 64-bit signless integer}}
  %0 = tile.ptr_to_int %p : !tile.ptr<f32> -> i32
  return
}

// -----

func.func @division_of_floats(%x: f32) {
  // expected-error @+1 {{operand #0 must be signless integer}}
  %0 = tile.divsi %x, %x : f32
  return
}

// -----

func.func @conversion_of_an_integer(%x: i32) {
  // expected-error @+1 {{operand #0 must be floating-point}}
  %0 = tile.fptosi %x : i32 -> i32
  return
}

// -----

func.func @unknown_shape(%x: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be floating-point or tile of known shape}}
  %0 = tile.fptosi %x : tensor<?xf32> -> tensor<?xi32>
  return
}

// -----

func.func @no_elements(%x: tensor<0xf32>) {
  // expected-error @+1 {{operand #0 must be floating-point or tile of known shape}}
  %0 = tile.fptosi %x : tensor<0xf32> -> tensor<0xi32>
  return
}

// -----

func.func @another_float_of_8_bits(%x: f32) {
  // expected-error @+1 {{result #0 must be f8E4M3FN type or f8E5M2 type}}
  %0 = tile.fptofp8 %x : f32 -> f8E4M3FNUZ
  return
}
