// RUN: tesela-opt %s --tile-pipeline | FileCheck %s

// A mask of 64-bit numbers that may be any: the launch's check has to do with
// the least and the greatest of them.

// CHECK-LABEL: func.func @wide
// CHECK:         arith.cmpi uge
// CHECK:         return
func.func @wide(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<64xi32>
  %ins = tile.splat %in : tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %ins, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %from : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %less = arith.cmpf olt, %x, %x : tensor<64xf32>
  %a = arith.extui %less : tensor<64xi1> to tensor<64xi64>
  %b = tile.divui %a, %a : tensor<64xi64>
  %c = arith.subi %b, %a : tensor<64xi64>
  %some = arith.cmpi uge, %b, %c : tensor<64xi64>
  %ns = tile.splat %n : tensor<64xi32>
  %inside = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %mask = arith.andi %inside, %some : tensor<64xi1>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %outs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %x mask %mask : tensor<64xi1>
      : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
