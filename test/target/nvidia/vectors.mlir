// RUN: tesela-opt %s -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(nvidia-llvm,emit-ptx{stage=llvm})' \
// RUN:   | FileCheck %s

// A vector in a loop is as many phis of scalars.

// CHECK-LABEL: @loop(
// CHECK-COUNT-4: phi float
// CHECK-NOT:   phi <
// CHECK-COUNT-4: fadd contract float
// CHECK-NOT:   fadd <
// CHECK:       store <4 x float>
func.func @loop(%p: !llvm.ptr<1>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero)
      -> vector<4xf32> : i32 {
    %at = llvm.getelementptr %p[%i]
        : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %x = llvm.load %at : !llvm.ptr<1> -> vector<4xf32>
    %t = arith.addf %s, %x : vector<4xf32>
    scf.yield %t : vector<4xf32>
  }
  llvm.store %sum, %p : vector<4xf32>, !llvm.ptr<1>
  return
}

// A lane known only at run time is chosen among all.

// CHECK-LABEL: @lane(
// CHECK:       load <4 x i32>
// CHECK-COUNT-3: select i1
// CHECK:       store i32
func.func @lane(%p: !llvm.ptr<1>, %i: i32) attributes {tile.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> vector<4xi32>
  %y = llvm.extractelement %x[%i : i32] : vector<4xi32>
  llvm.store %y, %p : i32, !llvm.ptr<1>
  return
}

// Pairs of halves pass through shuffles whole, and become words.

// CHECK-LABEL: @pairs(
// CHECK:       load <4 x i32>
// CHECK-NOT:   half
// CHECK:       asm sideeffect "use $0, $1;"
// CHECK-SAME:  #[[ASM:[0-9]+]]
// CHECK:       ret void
// CHECK:       attributes #[[ASM]] = { convergent
func.func @pairs(%p: !llvm.ptr<1>) attributes {tile.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> vector<8xf16>
  %a = vector.extract_strided_slice %x
      {offsets = [4], sizes = [2], strides = [1]}
      : vector<8xf16> to vector<2xf16>
  %b = vector.extract_strided_slice %x
      {offsets = [0], sizes = [4], strides = [1]}
      : vector<8xf16> to vector<4xf16>
  %c = vector.bitcast %a : vector<2xf16> to vector<1xi32>
  %d = vector.bitcast %b : vector<4xf16> to vector<2xi32>
  %e = vector.extract %c[0] : i32 from vector<1xi32>
  %f = vector.extract %d[1] : i32 from vector<2xi32>
  llvm.inline_asm has_side_effects "use $0, $1;", "r,r" %e, %f
      : (i32, i32) -> ()
  return
}
