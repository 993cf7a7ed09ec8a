// RUN: tesela-opt %s --tile-pipeline --split-input-file | FileCheck %s

// The GEMM of the seeds, as emitted: views with the strides that the arguments
// give, one dot that starts from the accumulator, and a check.

// CHECK-LABEL: func.func @gemm(
// CHECK-SAME:    %[[A:.*]]: !tile.ptr<f16>, %[[B:.*]]: !tile.ptr<f16>, %[[C:.*]]: !tile.ptr<f16>,
// CHECK-DAG:     %[[ROW:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK-DAG:     %[[COLUMN:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK:         scf.for %[[K:.*]] = %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<16x16xf32>)
// CHECK-NEXT:      %[[AT:.*]] = arith.extsi %[[K]] : i32 to i64
// CHECK-NEXT:      %[[X:.*]] = tile.view_load %[[A]][%[[ROW]], %[[AT]]] strides[%{{.*}}, %{{.*}}] bounds[] axes []
// CHECK-NEXT:      %[[Y:.*]] = tile.view_load %[[B]][%[[AT]], %[[COLUMN]]] strides[%{{.*}}, %{{.*}}] bounds[] axes []
// CHECK-NEXT:      %[[D:.*]] = tile.dot %[[X]], %[[Y]], %[[ACC]]
// CHECK-NEXT:      scf.yield %[[D]]
// CHECK:         tile.view_store %{{.*}}, %[[C]][%[[ROW]], %[[COLUMN]]]
// CHECK-LABEL: func.func @gemm.precondition(
// CHECK-NOT:     scf.
func.func @gemm(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f16>, %M: i32, %N: i32, %K: i32,
   %sam: i32, %sak: i32, %sbk: i32, %sbn: i32, %scm: i32, %scn: i32) attributes {tile.kernel} {
  %pm = tile.program_id axis 0
  %pn = tile.program_id axis 1
  %c64 = arith.constant 16 : i32
  %c32 = arith.constant 8 : i32
  %c0 = arith.constant 0 : i32
  %sm = arith.muli %pm, %c64 : i32
  %i64 = tile.iota 0 : tensor<16xi32>
  %sms = tile.splat %sm : tensor<16xi32>
  %rm = arith.addi %sms, %i64 : tensor<16xi32>
  %sn = arith.muli %pn, %c64 : i32
  %sns = tile.splat %sn : tensor<16xi32>
  %rn = arith.addi %sns, %i64 : tensor<16xi32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %acc = scf.for %k = %c0 to %K step %c32 iter_args(%acc0 = %zero) -> tensor<16x16xf32> : i32 {
    %i32 = tile.iota 0 : tensor<8xi32>
    %ks = tile.splat %k : tensor<8xi32>
    %rk = arith.addi %ks, %i32 : tensor<8xi32>
    %rm1 = tile.expand_dims %rm axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %sam1 = tile.splat %sam : tensor<16x1xi32>
    %am = arith.muli %rm1, %sam1 : tensor<16x1xi32>
    %ap = tile.splat %a : tensor<16x1x!tile.ptr<f16>>
    %ap1 = tile.addptr %ap, %am : tensor<16x1x!tile.ptr<f16>>, tensor<16x1xi32>
    %rk1 = tile.expand_dims %rk axis 0 : tensor<8xi32> -> tensor<1x8xi32>
    %sak1 = tile.splat %sak : tensor<1x8xi32>
    %ak = arith.muli %rk1, %sak1 : tensor<1x8xi32>
    %ap2 = tile.broadcast %ap1 : tensor<16x1x!tile.ptr<f16>> -> tensor<16x8x!tile.ptr<f16>>
    %ak2 = tile.broadcast %ak : tensor<1x8xi32> -> tensor<16x8xi32>
    %ap3 = tile.addptr %ap2, %ak2 : tensor<16x8x!tile.ptr<f16>>, tensor<16x8xi32>
    %av = tile.load %ap3 : tensor<16x8x!tile.ptr<f16>> -> tensor<16x8xf16>
    %rk3 = tile.expand_dims %rk axis 1 : tensor<8xi32> -> tensor<8x1xi32>
    %sbk1 = tile.splat %sbk : tensor<8x1xi32>
    %bk = arith.muli %rk3, %sbk1 : tensor<8x1xi32>
    %bp = tile.splat %b : tensor<8x1x!tile.ptr<f16>>
    %bp1 = tile.addptr %bp, %bk : tensor<8x1x!tile.ptr<f16>>, tensor<8x1xi32>
    %rn1 = tile.expand_dims %rn axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %sbn1 = tile.splat %sbn : tensor<1x16xi32>
    %bn = arith.muli %rn1, %sbn1 : tensor<1x16xi32>
    %bp2 = tile.broadcast %bp1 : tensor<8x1x!tile.ptr<f16>> -> tensor<8x16x!tile.ptr<f16>>
    %bn2 = tile.broadcast %bn : tensor<1x16xi32> -> tensor<8x16xi32>
    %bp3 = tile.addptr %bp2, %bn2 : tensor<8x16x!tile.ptr<f16>>, tensor<8x16xi32>
    %bv = tile.load %bp3 : tensor<8x16x!tile.ptr<f16>> -> tensor<8x16xf16>
    %d = tile.dot %av, %bv, %zero : tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x16xf32>
    %r = arith.addf %acc0, %d : tensor<16x16xf32>
    scf.yield %r : tensor<16x16xf32>
  }
  %ch = arith.truncf %acc : tensor<16x16xf32> to tensor<16x16xf16>
  %rm1 = tile.expand_dims %rm axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %scm1 = tile.splat %scm : tensor<16x1xi32>
  %cm = arith.muli %rm1, %scm1 : tensor<16x1xi32>
  %cp = tile.splat %c : tensor<16x1x!tile.ptr<f16>>
  %cp1 = tile.addptr %cp, %cm : tensor<16x1x!tile.ptr<f16>>, tensor<16x1xi32>
  %rn1 = tile.expand_dims %rn axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %scn1 = tile.splat %scn : tensor<1x16xi32>
  %cn = arith.muli %rn1, %scn1 : tensor<1x16xi32>
  %cp2 = tile.broadcast %cp1 : tensor<16x1x!tile.ptr<f16>> -> tensor<16x16x!tile.ptr<f16>>
  %cn2 = tile.broadcast %cn : tensor<1x16xi32> -> tensor<16x16xi32>
  %cp3 = tile.addptr %cp2, %cn2 : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  tile.store %cp3, %ch : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xf16>
  return
}

// -----

// Volatile loads are neither merged, moved nor removed.

// CHECK-LABEL: func.func @volatile(
// CHECK:         scf.for
// CHECK-COUNT-2:   tile.load %{{.*}} volatile
// CHECK:         }
// CHECK:         tile.load %{{.*}} volatile
func.func @volatile(%x: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %a = tile.load %x volatile : !tile.ptr<i32> -> i32
    %b = tile.load %x volatile : !tile.ptr<i32> -> i32
    %t = arith.addi %s, %a : i32
    %u = arith.addi %t, %b : i32
    scf.yield %u : i32
  }
  %unused = tile.load %x volatile : !tile.ptr<i32> -> i32
  tile.store %x, %r : !tile.ptr<i32>, i32
  return
}
