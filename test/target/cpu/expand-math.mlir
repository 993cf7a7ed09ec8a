// RUN: tesela-opt %s --split-input-file --cpu-expand-math --canonicalize \
// RUN:   | FileCheck %s
// RUN: tesela-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(cpu-expand-math{fma=false})' \
// RUN:   | FileCheck %s --check-prefix=NOFMA
// RUN: tesela-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(cpu-expand-math{scale=true})' \
// RUN:   | FileCheck %s --check-prefix=SCALE

// The exponential is straight-line code: reduction, polynomial, two powers.

// CHECK-LABEL: @exp
// CHECK-NOT:   call
// CHECK:       math.fma
// CHECK:       arith.shrui
// CHECK:       math.fma
// CHECK:       arith.mulf
// CHECK-NEXT:  return
// NOFMA-LABEL: @exp
// NOFMA:       scf.for
// NOFMA:       llvm.call @expf(%{{.*}}) : (f32) -> f32
// SCALE-LABEL: @exp
// SCALE:       llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// SCALE-NOT:   arith.shrui
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// Half precision is computed in f32, and rounded once.

// CHECK-LABEL: @half
// CHECK:       arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK:       arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// NOFMA-LABEL: @half
// SCALE-LABEL: @half
func.func @half(%x: vector<8xf16>) -> vector<8xf16> {
  %y = math.tanh %x : vector<8xf16>
  return %y : vector<8xf16>
}

// -----

// Arithmetic on bf16 becomes arithmetic on f32; no conversion is left to LLVM.

// CHECK-LABEL: @brain
// CHECK-NOT:   arith.extf
// CHECK-NOT:   arith.truncf
// CHECK:       arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK:       arith.bitcast %{{.*}} : vector<8xi16> to vector<8xbf16>
// NOFMA-LABEL: @brain
// SCALE-LABEL: @brain
func.func @brain(%x: vector<8xbf16>, %y: vector<8xbf16>) -> vector<8xbf16> {
  %s = arith.addf %x, %y : vector<8xbf16>
  return %s : vector<8xbf16>
}

// -----

// Without fused operations the C library is called for each lane.

// CHECK-LABEL: @rare
// CHECK-NOT:   call
// CHECK:       return
// NOFMA:       llvm.func @cbrt(f64) -> f64
// NOFMA-LABEL: @rare
// NOFMA:       scf.for
// NOFMA:       llvm.call @cbrt(%{{.*}}) : (f64) -> f64
// SCALE-LABEL: @rare
func.func @rare(%x: vector<4xf64>) -> vector<4xf64> {
  %y = math.cbrt %x : vector<4xf64>
  return %y : vector<4xf64>
}

// -----

// Large angles are behind a branch, in f64 as well.

// CHECK-LABEL: @angle
// CHECK:       scf.if
// CHECK:         arith.muli %{{.*}} : vector<4xi64>
// CHECK-NOT:   call
// CHECK:       return
// NOFMA-LABEL: @angle
// SCALE-LABEL: @angle
func.func @angle(%x: vector<4xf64>) -> vector<4xf64> {
  %y = math.sin %x : vector<4xf64>
  return %y : vector<4xf64>
}

// -----

// What is an instruction stays.

// CHECK-LABEL: @instruction
// CHECK-NEXT:  math.sqrt
// CHECK-NEXT:  math.floor
// CHECK-NEXT:  return
// NOFMA-LABEL: @instruction
// SCALE-LABEL: @instruction
func.func @instruction(%x: vector<8xf32>) -> vector<8xf32> {
  %r = math.sqrt %x : vector<8xf32>
  %y = math.floor %r : vector<8xf32>
  return %y : vector<8xf32>
}
