// RUN: tesela-opt --cpu-loops --split-input-file --verify-diagnostics %s

// A combination that branches has no form on vectors.
func.func @branches(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<256xf32>
  %r = tile.reduce %v axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    %greater = arith.cmpf ogt, %a, %b : f32
    // expected-error @+1 {{combines elements in a way the CPU does not know}}
    %c = scf.if %greater -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %b : f32
    }
    tile.yield %c : f32
  } : (tensor<256xf32>) -> f32
  tile.store %x, %r : !tile.ptr<f32>, f32
  return
}

// -----

// Scratch memory has a limit.
// expected-error @+1 {{bytes of scratch memory, more than 2 GiB}}
func.func @huge(%x: !tile.ptr<f64>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f64>[i64] -> tensor<536870912xf64>
  tile.view_store %v, %x[%one] strides [%one] bounds [] axes []
      : tensor<536870912xf64>, !tile.ptr<f64>[i64]
  return
}
