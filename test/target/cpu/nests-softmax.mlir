// RUN: tesela-opt --tile-pipeline --cpu-loops %s | FileCheck %s

// A row softmax is three nests over the row, each with a loop without masks and
// one with: the maximum; the exponential, kept in scratch, and its sum; the
// quotient. The memory of the row is read twice, its exponential computed once.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME: cpu.scratch_bytes = 256
// CHECK: %[[MAX:.*]] = scf.for {{.*}} -> (vector<32xf32>)
// CHECK-NOT: masked
// CHECK: arith.maxnumf
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[MAX]])
// CHECK: llvm.intr.masked.load
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (vector<16xf32>)
// CHECK: math.exp
// CHECK: llvm.store {{.*}} vector<16xf32>
// CHECK: arith.addf
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[SUM]])
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: scf.for
// CHECK: arith.divf
// CHECK: scf.for
// CHECK: llvm.intr.masked.store
// CHECK-LABEL: func.func @softmax.precondition
func.func @softmax(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %stride: i32,
                   %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %row = arith.muli %pid, %stride : i32
  %cols = tile.iota 0 : tensor<64xi32>
  %ns = tile.splat %n : tensor<64xi32>
  %mask = arith.cmpi slt, %cols, %ns : tensor<64xi32>
  %xrow = tile.addptr %x, %row : !tile.ptr<f32>, i32
  %xs = tile.splat %xrow : tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %cols : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %ninf = arith.constant dense<0xFF800000> : tensor<64xf32>
  %v = tile.load %xp mask %mask : tensor<64xi1> other %ninf : tensor<64xf32>
      : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %m = tile.reduce %v axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<64xf32>) -> f32
  %ms = tile.splat %m : tensor<64xf32>
  %d = arith.subf %v, %ms : tensor<64xf32>
  %e = math.exp %d : tensor<64xf32>
  %s = tile.reduce %e axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<64xf32>) -> f32
  %ss = tile.splat %s : tensor<64xf32>
  %r = arith.divf %e, %ss : tensor<64xf32>
  %orow = tile.addptr %out, %row : !tile.ptr<f32>, i32
  %os = tile.splat %orow : tensor<64x!tile.ptr<f32>>
  %op = tile.addptr %os, %cols : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %op, %r mask %mask : tensor<64xi1>
      : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
