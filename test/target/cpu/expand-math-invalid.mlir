// RUN: tesela-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(cpu-expand-math{fma=false})'

// A kernel that is called like the function it needs.

func.func @cbrt(%x: f64) -> f64 {
  // expected-error @+1 {{`cbrt` is needed of the C library here, but the kernel has that name; rename the kernel}}
  %y = math.cbrt %x : f64
  return %y : f64
}

// -----

func.func @narrow(%x: f8E5M2) -> f8E5M2 {
  // expected-error @+1 {{'math.exp' op has no code for elements of 'f8E5M2'}}
  %y = math.exp %x : f8E5M2
  return %y : f8E5M2
}
