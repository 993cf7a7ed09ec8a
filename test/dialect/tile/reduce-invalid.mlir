// RUN: tesela-opt %s --verify-diagnostics --split-input-file

func.func @axis(%x: tensor<8xf32>) {
  // expected-error @+1 {{axis 1 is past the last axis of 'tensor<8xf32>'}}
  %0 = tile.reduce %x axis 1 combine {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @result_shape(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{reduces 'tensor<8x4xf32>' along axis 0 to 'tensor<8xf32>'}}
  %0 = tile.reduce %x axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<8x4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @results(%x: tensor<8xf32>) {
  // expected-error @+1 {{has 2 operands and 1 results}}
  %0 = tile.reduce %x, %x axis 0 combine {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  } : (tensor<8xf32>, tensor<8xf32>) -> f32
  return
}

// -----

func.func @nothing() {
  // expected-error @+1 {{expected 1 or more operands, but found 0}}
  tile.reduce axis 0 combine {
    tile.yield
  } : () -> ()
  return
}

// -----

func.func @region_arguments(%x: tensor<8xf32>) {
  // expected-error @+1 {{the region does not take two of each element}}
  %0 = tile.reduce %x axis 0 combine {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @region_results(%x: tensor<8xf32>) {
  // expected-error @+1 {{the region does not yield one of each element}}
  %0 = tile.reduce %x axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
  } : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{requires the same shape for all operands}}
  %0:2 = tile.reduce %x, %y axis 0 combine {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  } : (tensor<8xf32>, tensor<4xf32>) -> (f32, f32)
  return
}

// -----

func.func @scan_axis(%x: tensor<8xf32>) {
  // expected-error @+1 {{axis 2 is past the last axis of 'tensor<8xf32>'}}
  %0 = tile.scan %x axis 2 combine {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @scan_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{scans 'tensor<8xf32>' to 'tensor<8xf16>'}}
  %0 = tile.scan %x axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<8xf32>) -> tensor<8xf16>
  return
}

// -----

func.func @scan_region(%x: tensor<8xf32>) {
  // expected-error @+1 {{the region does not take two of each element}}
  %0 = tile.scan %x axis 0 combine {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
