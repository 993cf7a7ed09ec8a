// RUN: tesela-opt %s -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(nvidia-llvm,emit-ptx)' | FileCheck %s

// What kernels allow an error in is one instruction.

// CHECK-LABEL: .entry approximate(
// CHECK-DAG:   ex2.approx.ftz.f32
// CHECK-DAG:   mul{{(.rn)?}}.f32 {{.*}}, 0f3FB8AA3B
// CHECK-DAG:   ex2.approx.ftz.f32
// CHECK-DAG:   rsqrt.approx.f32
// CHECK-DAG:   sqrt.approx.f32
// CHECK-DAG:   div.full.f32
// CHECK:       ret
func.func @approximate(%p: !llvm.ptr<1>) attributes {tile.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %a = math.exp %x : f32
  %b = math.exp2 %x : f32
  %c = math.rsqrt %x : f32
  %d = math.sqrt %x fastmath<afn> : f32
  %e = arith.divf %b, %x fastmath<afn> : f32
  %v = vector.from_elements %a, %c, %d, %e : vector<4xf32>
  llvm.store %v, %p : vector<4xf32>, !llvm.ptr<1>
  return
}

// What must be rounded rightly is.

// CHECK-LABEL: .entry exact(
// CHECK-DAG:   sqrt.rn.f32
// CHECK-DAG:   div.rn.f32
// CHECK-DAG:   max.NaN.f32
// CHECK-DAG:   max.f32
// CHECK:       ret
func.func @exact(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {tile.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %y = llvm.load %q : !llvm.ptr<1> -> f32
  %a = math.sqrt %x : f32
  %b = arith.divf %x, %y : f32
  %c = arith.maximumf %x, %y : f32
  %d = arith.maxnumf %x, %y : f32
  %v = vector.from_elements %a, %b, %c, %d : vector<4xf32>
  llvm.store %v, %p : vector<4xf32>, !llvm.ptr<1>
  return
}

// Halves are computed and converted in pairs, and moved in words.

// CHECK-LABEL: .entry halves(
// CHECK:       ld.global.v4.b32
// CHECK-COUNT-4: fma.rn.f16x2
// CHECK:       st.global.v4.b32
// CHECK-COUNT-4: cvt.rn.f16x2.f32
// CHECK:       st.global.v4.b32
// CHECK:       ret
func.func @halves(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {tile.kernel} {
  %x = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
  %f = math.fma %x, %x, %x : vector<8xf16>
  llvm.store %f, %p {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
  %w = arith.extf %f : vector<8xf16> to vector<8xf32>
  %s = arith.mulf %w, %w : vector<8xf32>
  %n = arith.truncf %s : vector<8xf32> to vector<8xf16>
  llvm.store %n, %q {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
  return
}
