// RUN: tesela-opt %s --to-llvm | FileCheck %s

// Ops keep their operands and flags; a call and what is said of a function too.

// CHECK: llvm.func internal @twice(%[[A:.*]]: f32) -> (f32 {llvm.noundef})
// CHECK-SAME: attributes {tile.kernel}
// CHECK: %[[SUM:.*]] = llvm.fadd %[[A]], %[[A]] {fastmathFlags = #llvm.fastmath<contract>} : f32
// CHECK: llvm.return %[[SUM]] : f32
func.func private @twice(%a: f32) -> (f32 {llvm.noundef})
    attributes {tile.kernel, llvm.linkage = #llvm.linkage<internal>} {
  %sum = arith.addf %a, %a fastmath<contract> : f32
  return %sum : f32
}

// CHECK-LABEL: llvm.func @calls(
// CHECK-SAME: !llvm.ptr {llvm.noalias}, %[[X:.*]]: f32)
// CHECK: %[[Y:.*]] = llvm.call @twice(%[[X]]) : (f32) -> f32
// CHECK: llvm.store %[[Y]]
// CHECK: llvm.return
func.func @calls(%p: !llvm.ptr {llvm.noalias}, %x: f32) {
  %y = call @twice(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr
  return
}

// CHECK-LABEL: llvm.func @scalars(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32, %[[X:.*]]: f32
// CHECK: llvm.add %[[A]], %[[B]] overflow<nsw> : i32
// CHECK: llvm.icmp "uge" %[[A]], %[[B]] : i32
// CHECK: llvm.fcmp "une" %[[X]], %[[X]] : f32
// CHECK: "llvm.intr.ctlz"(%[[A]]) <{is_zero_poison = false}> : (i32) -> i32
// CHECK: "llvm.intr.abs"(%[[A]]) <{is_int_min_poison = false}> : (i32) -> i32
// CHECK: llvm.intr.fma(%[[X]], %[[X]], %[[X]])
// CHECK: llvm.intr.exp2(%[[X]]) {fastmathFlags = #llvm.fastmath<afn>}
// CHECK: llvm.bitcast %[[X]] : f32 to i32
func.func @scalars(%a: i32, %b: i32, %x: f32) {
  %0 = arith.addi %a, %b overflow<nsw> : i32
  %1 = arith.cmpi uge, %a, %b : i32
  %2 = arith.cmpf une, %x, %x : f32
  %3 = math.ctlz %a : i32
  %4 = math.absi %a : i32
  %5 = math.fma %x, %x, %x : f32
  %6 = math.exp2 %x fastmath<afn> : f32
  %7 = arith.bitcast %x : f32 to i32
  return
}

// CHECK-LABEL: llvm.func @twice_the_bits(
// CHECK-SAME: %[[A:.*]]: i32, %[[V:.*]]: vector<4xi8>
// CHECK: %[[D:.*]] = llvm.mlir.constant(32 : i64) : i64
// CHECK: llvm.lshr %{{.*}}, %[[D]] : i64
// CHECK: llvm.sext %[[V]] : vector<4xi8> to vector<4xi16>
// CHECK: %[[P:.*]] = llvm.mul %{{.*}} : vector<4xi16>
// CHECK: llvm.mlir.constant(dense<8> : vector<4xi16>)
// CHECK: llvm.trunc %[[P]] : vector<4xi16> to vector<4xi8>
// CHECK: %[[S:.*]] = llvm.add %[[V]], %[[V]]
// CHECK: llvm.icmp "ult" %[[S]], %[[V]] : vector<4xi8>
// CHECK: "llvm.intr.vector.reduce.smax"
// CHECK: "llvm.intr.vector.reduce.umin"
func.func @twice_the_bits(%a: i32, %v: vector<4xi8>, %p: !llvm.ptr) {
  %l, %h = arith.mului_extended %a, %a : i32
  llvm.store %h, %p : i32, !llvm.ptr
  %low, %high = arith.mulsi_extended %v, %v : vector<4xi8>
  %sum, %carry = arith.addui_extended %v, %v : vector<4xi8>, vector<4xi1>
  %most = vector.reduction <maxsi>, %v : vector<4xi8> into i8
  %least = vector.reduction <minui>, %v : vector<4xi8> into i8
  return
}

// Index has 64 bits, and 8-bit floats are bytes.

// CHECK-LABEL: llvm.func @index(
// CHECK-SAME: %[[I:.*]]: i64, %[[N:.*]]: i32, %[[V:.*]]: vector<2xi32>, %[[E:.*]]: i8) -> i64
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : index) : i64
// CHECK: %[[WIDE:.*]] = llvm.sext %[[N]] : i32 to i64
// CHECK: llvm.zext %[[V]] : vector<2xi32> to vector<2xi64>
// CHECK: llvm.trunc %[[I]] : i64 to i32
// CHECK: %[[SUM:.*]] = llvm.add %[[I]], %[[TWO]] : i64
// CHECK: llvm.zext %[[E]] : i8 to i32
// CHECK: %[[ALL:.*]] = llvm.mul %[[SUM]], %[[WIDE]] : i64
// CHECK: llvm.return %[[ALL]] : i64
func.func @index(%i: index, %n: i32, %v: vector<2xi32>, %e: f8E4M3FN) -> index {
  %two = arith.constant 2 : index
  %wide = arith.index_cast %n : i32 to index
  %many = arith.index_castui %v : vector<2xi32> to vector<2xindex>
  %short = arith.index_cast %i : index to i32
  %same = arith.index_cast %i : index to i64
  %back = arith.index_cast %same : i64 to index
  %sum = arith.addi %back, %two : index
  %byte = arith.bitcast %e : f8E4M3FN to i8
  %word = arith.extui %byte : i8 to i32
  %all = arith.muli %sum, %wide : index
  return %all : index
}

// CHECK-LABEL: llvm.func @vectors(
// CHECK-SAME: %[[X:.*]]: f32, %[[V:.*]]: vector<4xf32>, %[[W:.*]]: vector<2xf32>, %[[I:.*]]: i64
// CHECK: %[[P:.*]] = llvm.mlir.poison : vector<4xf32>
// CHECK: %[[C0:.*]] = llvm.mlir.constant(0 : i64) : i64
// CHECK: %[[ONE:.*]] = llvm.insertelement %[[X]], %[[P]][%[[C0]] : i64]
// CHECK: %[[ALL:.*]] = llvm.shufflevector %[[ONE]], %[[ONE]] [0, 0, 0, 0]
// CHECK: %[[C2:.*]] = llvm.mlir.constant(2 : i64) : i64
// CHECK: %[[E2:.*]] = llvm.extractelement %[[ALL]][%[[C2]] : i64]
// CHECK: %[[EI:.*]] = llvm.extractelement %[[V]][%[[I]] : i64]
// CHECK: llvm.insertelement %[[E2]], %[[V]][%[[I]] : i64]
// CHECK: %[[P2:.*]] = llvm.mlir.poison : vector<2xf32>
// CHECK: %[[Q:.*]] = llvm.insertelement %[[E2]], %[[P2]]
// CHECK: %[[PAIR:.*]] = llvm.insertelement %[[EI]], %[[Q]]
// CHECK: llvm.bitcast %[[PAIR]] : vector<2xf32> to vector<1xi64>
// CHECK: llvm.shufflevector %[[V]], %[[V]] [3, 7]
// A shorter vector is extended, and the lanes after it are renumbered.
// CHECK: %[[LONG:.*]] = llvm.shufflevector %[[W]], %[[W]] [0, 1, -1, -1]
// CHECK: llvm.shufflevector %[[LONG]], %[[V]] [1, 4, 7]
// CHECK: %[[LONG2:.*]] = llvm.shufflevector %[[W]], %[[W]] [0, 1, -1, -1]
// CHECK: llvm.shufflevector %[[V]], %[[LONG2]] [3, 4, 5]
// CHECK: llvm.shufflevector %[[V]], %[[V]] [1, 2] : vector<4xf32>
// CHECK: llvm.intr.vector.reduce.or
// CHECK: llvm.extractelement %[[W]]
// CHECK: llvm.extractelement %[[W]]
func.func @vectors(%x: f32, %v: vector<4xf32>, %w: vector<2xf32>, %i: index,
                   %m: vector<4xi1>) -> f32 {
  %all = vector.broadcast %x : f32 to vector<4xf32>
  %same = vector.broadcast %all : vector<4xf32> to vector<4xf32>
  %2 = vector.extract %same[2] : f32 from vector<4xf32>
  %3 = vector.extract %v[%i] : f32 from vector<4xf32>
  %4 = vector.insert %2, %v[%i] : f32 into vector<4xf32>
  %pair = vector.from_elements %2, %3 : vector<2xf32>
  %cast = vector.bitcast %pair : vector<2xf32> to vector<1xi64>
  %5 = vector.shuffle %v, %v [3, 7] : vector<4xf32>, vector<4xf32>
  %6 = vector.shuffle %w, %v [1, 2, 5] : vector<2xf32>, vector<4xf32>
  %7 = vector.shuffle %v, %w [3, 4, 5] : vector<4xf32>, vector<2xf32>
  %slice = vector.extract_strided_slice %v
      {offsets = [1], sizes = [2], strides = [1]}
      : vector<4xf32> to vector<2xf32>
  %8 = vector.reduction <or>, %m : vector<4xi1> into i1
  %9:2 = vector.to_elements %w : vector<2xf32>
  %10 = arith.addf %9#0, %9#1 : f32
  return %10 : f32
}

// Loops and branches become blocks.

// CHECK-LABEL: llvm.func @loop(
// CHECK-SAME: %[[N:.*]]: i32, %[[X:.*]]: f32) -> f32
// CHECK: llvm.br ^[[HEAD:.*]](%[[ZERO:.*]], %[[X]] : i32, f32)
// CHECK: ^[[HEAD]](%[[I:.*]]: i32, %[[C:.*]]: f32):
// CHECK: %[[RUNS:.*]] = llvm.icmp "slt" %[[I]], %[[N]]
// CHECK: llvm.cond_br %[[RUNS]], ^[[BODY:.*]], ^[[END:.*]]
// CHECK: ^[[BODY]]:
// CHECK: %[[ODD:.*]] = llvm.icmp "eq"
// CHECK: llvm.cond_br %[[ODD]], ^[[THEN:.*]], ^[[ELSE:.*]]
// CHECK: ^[[THEN]]:
// CHECK: %[[SUM:.*]] = llvm.fadd %[[C]], %[[X]]
// CHECK: llvm.br ^[[JOIN:.*]](%[[SUM]] : f32)
// CHECK: ^[[ELSE]]:
// CHECK: llvm.br ^[[JOIN]](%[[C]] : f32)
// CHECK: ^[[JOIN]](%[[NEW:.*]]: f32):
// CHECK: %[[NEXT:.*]] = llvm.add %[[I]], %[[ONE:.*]] : i32
// CHECK: llvm.br ^[[HEAD]](%[[NEXT]], %[[NEW]] : i32, f32)
// CHECK: ^[[END]]:
// CHECK: llvm.return %[[C]] : f32
func.func @loop(%n: i32, %x: f32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %x) -> f32 : i32 {
    %odd = arith.cmpi eq, %i, %one : i32
    %new = scf.if %odd -> f32 {
      %sum = arith.addf %c, %x : f32
      scf.yield %sum : f32
    } else {
      scf.yield %c : f32
    }
    scf.yield %new : f32
  }
  return %r : f32
}

// CHECK-LABEL: llvm.func @nothing_else(
// CHECK: llvm.cond_br %{{.*}}, ^[[THEN:.*]], ^[[END:.*]]
// CHECK: ^[[THEN]]:
// CHECK: llvm.store
// CHECK: llvm.br ^[[END]]
// CHECK: ^[[END]]:
// CHECK-NEXT: llvm.return
func.func @nothing_else(%c: i1, %p: !llvm.ptr) {
  scf.if %c {
    llvm.store %c, %p : i1, !llvm.ptr
  }
  return
}

// CHECK-LABEL: llvm.func @while
// CHECK-SAME: (%[[N:[a-z0-9]+]]: i64
// CHECK: llvm.br ^[[TEST:.*]](%[[N]] : i64)
// CHECK: ^[[TEST]](%[[I:.*]]: i64):
// CHECK: %[[MORE:.*]] = llvm.icmp "sgt" %[[I]]
// CHECK: llvm.cond_br %[[MORE]], ^[[BODY:.*]](%[[I]] : i64), ^[[END:.*]]
// CHECK: ^[[BODY]](%[[J:.*]]: i64):
// CHECK: %[[LESS:.*]] = llvm.sub %[[J]]
// CHECK: llvm.br ^[[TEST]](%[[LESS]] : i64)
// CHECK: ^[[END]]:
// CHECK: llvm.return %[[I]] : i64
func.func @while(%n: index, %two: index) -> index {
  %r = scf.while (%i = %n) : (index) -> index {
    %more = arith.cmpi sgt, %i, %two : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%j: index):
    %less = arith.subi %j, %two : index
    scf.yield %less : index
  }
  return %r : index
}

// CHECK-LABEL: llvm.func @nested(
// CHECK: llvm.icmp "slt"
// CHECK: llvm.icmp "ult"
// CHECK: llvm.store
// CHECK-NOT: scf.
func.func @nested(%n: i32, %p: !llvm.ptr) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    scf.for unsigned %j = %zero to %n step %one : i32 {
      llvm.store %j, %p : i32, !llvm.ptr
    }
  }
  return
}
