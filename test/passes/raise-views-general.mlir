// RUN: tesela-opt %s --raise-views=general=true --canonicalize --cse | FileCheck %s

// Without a precondition, 32-bit offsets are computed as the kernel computes
// them; 64-bit ones cannot wrap and are affine all the same.

// CHECK-LABEL: func.func @general(
// CHECK-SAME:    %[[X:.*]]: !tile.ptr<f32>, %[[N:.*]]: i32)
// CHECK-DAG:     %[[NARROW:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<8xi32>
// CHECK-DAG:     %[[MASK:.*]] = arith.cmpi slt, %[[NARROW]], %{{.*}} : tensor<8xi32>
// CHECK-DAG:     %[[INDEX:.*]] = arith.extsi %[[NARROW]] : tensor<8xi32> to tensor<8xi64>
// CHECK:         %[[V:.*]] = tile.view_load %[[X]][%[[INDEX]]] strides[%{{.*}}] bounds[] axes [] mask %[[MASK]] : tensor<8xi1> : !tile.ptr<f32>[tensor<8xi64>]
// CHECK-DAG:     %[[BOUND:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK-DAG:     %[[START:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK:         tile.view_store %[[V]], %[[X]][%[[START]]] strides[%{{.*}}] bounds[%[[BOUND]]] axes [0] : tensor<8xf32>, !tile.ptr<f32>[i64]
// CHECK-NOT:   precondition
func.func @general(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %i = tile.iota 0 : tensor<8xi32>
  %s = tile.splat %start : tensor<8xi32>
  %offs = arith.addi %s, %i : tensor<8xi32>
  %ns = tile.splat %n : tensor<8xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %offs : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %pidw = arith.extsi %pid : i32 to i64
  %c8w = arith.constant 8 : i64
  %startw = arith.muli %pidw, %c8w : i64
  %sw = tile.splat %startw : tensor<8xi64>
  %iw = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %offsw = arith.addi %sw, %iw : tensor<8xi64>
  %nw = arith.extsi %n : i32 to i64
  %nws = tile.splat %nw : tensor<8xi64>
  %maskw = arith.cmpi slt, %offsw, %nws : tensor<8xi64>
  %pw = tile.addptr %xs, %offsw : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  tile.store %pw, %v mask %maskw : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}
