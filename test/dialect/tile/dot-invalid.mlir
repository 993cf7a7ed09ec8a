// RUN: tesela-opt %s --verify-diagnostics --split-input-file

func.func @vectors(%a: tensor<8xf32>) {
  // expected-error @+1 {{operands have ranks 1, 1 and 1}}
  %0 = tile.dot %a, %a, %a : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @inner(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error @+1 {{operands disagree: K is 8 and 4}}
  %0 = tile.dot %a, %b, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @accumulator(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x8xf32>) {
  // expected-error @+1 {{the accumulator is 'tensor<4x8xf32>' for 'tensor<4x8xf32>' and 'tensor<8x4xf32>'}}
  %0 = tile.dot %a, %b, %c : tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @batches(%a: tensor<2x4x4xf32>, %b: tensor<3x4x4xf32>, %c: tensor<2x4x4xf32>) {
  // expected-error @+1 {{operands have 2, 3 and 2 matrices}}
  %0 = tile.dot %a, %b, %c : tensor<2x4x4xf32>, tensor<3x4x4xf32>, tensor<2x4x4xf32>
  return
}

// -----

func.func @mixed(%a: tensor<4x4xi8>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) {
  // expected-error @+1 {{operands are not all integers or all floats}}
  %0 = tile.dot %a, %b, %c : tensor<4x4xi8>, tensor<4x4xf32>, tensor<4x4xf32>
  return
}

// -----

func.func @pointers(%a: tensor<4x4x!tile.ptr<f32>>) {
  // expected-error @+1 {{operands are not all integers or all floats}}
  %0 = tile.dot %a, %a, %a : tensor<4x4x!tile.ptr<f32>>, tensor<4x4x!tile.ptr<f32>>, tensor<4x4x!tile.ptr<f32>>
  return
}
