// RUN: tesela-opt %s --split-input-file --verify-diagnostics

func.func @slot(%r: !tgpu.ring<2 x (!tgpu.staged<64x32xf16, axis = 1, swizzle = 64>)>) {
  %two = arith.constant 2 : i32
  // expected-error @+1 {{wants slot 2 of 2}}
  %s = tgpu.ring_slot %r[%two] : <2 x (!tgpu.staged<64x32xf16, axis = 1, swizzle = 64>)> -> !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
  return
}

// -----

func.func @parts(%r: !tgpu.ring<2 x (!tgpu.staged<64x32xf16, axis = 1, swizzle = 64>)>, %n: i32) {
  // expected-error @+1 {{gives the parts of its ring}}
  %s = tgpu.ring_slot %r[%n] : <2 x (!tgpu.staged<64x32xf16, axis = 1, swizzle = 64>)> -> !tgpu.staged<32x64xf16, axis = 0, swizzle = 64>
  return
}

// -----

func.func @other_tile(%p: !tile.ptr<f16>, %i: i64, %c: i1, %s: !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>) {
  // expected-error @+1 {{copies 'tensor<32x64xf16>' to}}
  tgpu.copy_view %p[%i, %i] strides [%i, %i] bounds [] axes [] to %s when %c : !tile.ptr<f16>[i64, i64] to <64x32xf16, axis = 1, swizzle = 64> as tensor<32x64xf16>
  return
}

// -----

func.func @bounds(%p: !tile.ptr<f16>, %i: i64, %c: i1, %s: !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>) {
  // expected-error @+1 {{has 1 bounds for 2 axes}}
  tgpu.copy_view %p[%i, %i] strides [%i, %i] bounds [%i] axes [0, 1] to %s when %c : !tile.ptr<f16>[i64, i64] to <64x32xf16, axis = 1, swizzle = 64> as tensor<64x32xf16>
  return
}

// -----

func.func @pointee(%p: !tile.ptr<f32>, %i: i64, %c: i1, %s: !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>) {
  // expected-error @+1 {{base points at 'f32', elements are 'f16'}}
  tgpu.copy_view %p[%i, %i] strides [%i, %i] bounds [] axes [] to %s when %c : !tile.ptr<f32>[i64, i64] to <64x32xf16, axis = 1, swizzle = 64> as tensor<64x32xf16>
  return
}

// -----

func.func @factors(%a: tensor<16x32xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{has factors that do not fit together}}
  %r = tgpu.mma %a, %b, %c : tensor<16x32xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  return
}

// -----

func.func @elements(%a: tensor<16x16xf16>, %b: tensor<16x8xbf16>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{has factors of different elements}}
  %r = tgpu.mma %a, %b, %c : tensor<16x16xf16>, tensor<16x8xbf16>, tensor<16x8xf32>
  return
}

// -----

func.func @depth(%a: tensor<16x8xf16>, %b: tensor<8x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{needs rows by 16, columns by 8 and 32 bytes of depth}}
  %r = tgpu.mma %a, %b, %c : tensor<16x8xf16>, tensor<8x8xf16>, tensor<16x8xf32>
  return
}
