// RUN: tesela-opt --pass-pipeline='builtin.module(func.func(nvidia-assign-layouts{num-warps=4}))' %s | FileCheck %s

// Of two halves that are computed where they are asked for, each stays itself.
// CHECK-LABEL: func.func @halves
// CHECK: %[[ITSELF:.*]], %{{.*}} = tile.split
// CHECK: %{{.*}}, %[[OTHER:.*]] = tile.split
// CHECK: tile.view_store %[[OTHER]], %arg0
// CHECK: tile.view_store %[[ITSELF]], %arg1
func.func @halves(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %i = tile.iota 0 : tensor<32xi32>
  %m = tile.reshape %i : tensor<32xi32> -> tensor<2x16xi32>
  %t = tile.permute %m [1, 0] : tensor<2x16xi32> -> tensor<16x2xi32>
  %lhs, %rhs = tile.split %t : tensor<16x2xi32> -> tensor<16xi32>
  tile.view_store %rhs, %p[%c0] strides[%c1] bounds[] axes [] : tensor<16xi32>, !tile.ptr<i32>[i64]
  tile.view_store %lhs, %q[%c0] strides[%c1] bounds[] axes [] : tensor<16xi32>, !tile.ptr<i32>[i64]
  return
}

// Neighbouring lanes access neighbouring 16 bytes, and all that follows stays
// in that layout; an index is computed in it.
// CHECK-LABEL: func.func @pointwise
// CHECK-NOT: tgpu.convert
// CHECK: tile.iota 0 : tensor<1024xi32, #[[L:.*]]>
// CHECK: tile.view_load {{.*}} -> tensor<1024xi32, #tgpu.layout<registers = [1, 2, 512], lanes = [4, 8, 16, 32, 64], warps = [128, 256]>>
// CHECK-NOT: tgpu.convert
// CHECK: return
func.func @pointwise(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %i = tile.iota 0 : tensor<1024xi32>
  %x = tile.view_load %p[%c0] strides[%c1] bounds[] axes [] : !tile.ptr<i32>[i64] -> tensor<1024xi32>
  %y = arith.addi %x, %i : tensor<1024xi32>
  tile.view_store %y, %p[%c0] strides[%c1] bounds[] axes [] : tensor<1024xi32>, !tile.ptr<i32>[i64]
  return
}
