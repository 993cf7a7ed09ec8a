// RUN: tesela-opt %s -o /dev/null --pass-pipeline='builtin.module(nvidia-layouts{num-warps=1},nvidia-threads{num-warps=1},nvidia-llvm,emit-ptx)' \
// RUN:   | FileCheck %s --check-prefix=HOPPER
// RUN: tesela-opt %s -o /dev/null --pass-pipeline='builtin.module(nvidia-layouts{num-warps=1 arch=80},nvidia-threads{num-warps=1 arch=80},nvidia-llvm{arch=80},emit-ptx{arch=80})' \
// RUN:   | FileCheck %s --check-prefix=AMPERE

// Registers hold 8-bit floats as bytes. They are converted in pairs where there
// are instructions, else by integer arithmetic.

// HOPPER-LABEL: .entry scale(
// HOPPER:         ld.global
// HOPPER-COUNT-2: cvt.rn.f16x2.e4m3x2
// HOPPER-COUNT-2: cvt.rn.satfinite.e5m2x2.f32
// HOPPER:         st.global
// AMPERE-LABEL: .entry scale(
// AMPERE-NOT:     e4m3x2
// AMPERE-NOT:     e5m2x2
// AMPERE:         st.global
func.func @scale(%p: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64},
                 %q: !tile.ptr<f8E5M2> {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant dense<2.0> : tensor<128xf32>
  %x = tile.view_load %p[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f8E4M3FN>[i64] -> tensor<128xf8E4M3FN>
  %w = arith.extf %x : tensor<128xf8E4M3FN> to tensor<128xf32>
  %y = arith.mulf %w, %two : tensor<128xf32>
  %r = tile.fptofp8 %y : tensor<128xf32> -> tensor<128xf8E5M2>
  tile.view_store %r, %q[%zero] strides [%one] bounds [] axes []
      : tensor<128xf8E5M2>, !tile.ptr<f8E5M2>[i64]
  return
}

// What no kernel of the language has: arithmetic on 8-bit floats, done in f32.

// HOPPER-LABEL: .entry computed(
// HOPPER:         cvt.rn.f16x2.e5m2x2
// HOPPER:         add.f32
// HOPPER:         cvt.rn.satfinite.e5m2x2.f32
func.func @computed(%p: !tile.ptr<f8E5M2>) attributes {tile.kernel} {
  %x = tile.load %p : !tile.ptr<f8E5M2> -> f8E5M2
  %one = arith.constant 1.0 : f8E5M2
  %s = arith.addf %x, %one : f8E5M2
  %c = arith.cmpf olt, %s, %one : f8E5M2
  %r = arith.select %c, %s, %one : f8E5M2
  tile.store %p, %r : !tile.ptr<f8E5M2>, f8E5M2
  return
}
