// RUN: tesela-opt %s --canonicalize --split-input-file | FileCheck %s

// Shape ops of a splat are splats.

// CHECK-LABEL: @shapes_of_splat
// CHECK-SAME:    %[[X:.*]]: f32
// CHECK:         %[[S:.*]] = tile.splat %[[X]] : tensor<4x8xf32>
// CHECK-NEXT:    return %[[S]]
func.func @shapes_of_splat(%x: f32) -> tensor<4x8xf32> {
  %0 = tile.splat %x : tensor<8xf32>
  %1 = tile.expand_dims %0 axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %2 = tile.broadcast %1 : tensor<8x1xf32> -> tensor<8x4xf32>
  %3 = tile.permute %2 [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %4 = tile.reshape %3 : tensor<4x8xf32> -> tensor<32xf32>
  %5 = tile.reshape %4 : tensor<32xf32> -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @splat_of_constant
// CHECK:         %[[C:.*]] = arith.constant dense<3> : tensor<2x4xi32>
// CHECK-NEXT:    return %[[C]]
func.func @splat_of_constant() -> tensor<2x4xi32> {
  %c = arith.constant 3 : i32
  %0 = tile.splat %c : tensor<2x1xi32>
  %1 = tile.broadcast %0 : tensor<2x1xi32> -> tensor<2x4xi32>
  return %1 : tensor<2x4xi32>
}

// -----

// A constant that differs from element to element stays what it is.

// CHECK-LABEL: @broadcast_of_row
// CHECK:         tile.broadcast
func.func @broadcast_of_row() -> tensor<2x2xi32> {
  %c = arith.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %0 = tile.broadcast %c : tensor<1x2xi32> -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

// CHECK-LABEL: @permute_back
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT:    return %[[X]]
func.func @permute_back(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = tile.permute %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = tile.permute %0 [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: @permute_on
// CHECK:         tile.permute %{{.*}} [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT:    return
func.func @permute_on(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = tile.permute %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = tile.permute %0 [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// -----

// CHECK-LABEL: @reshape_through
// CHECK:         tile.reshape %{{.*}} can_reorder : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    return
func.func @reshape_through(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = tile.reshape %x can_reorder : tensor<4x8xf32> -> tensor<32xf32>
  %1 = tile.reshape %0 : tensor<32xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: @broadcast_twice
// CHECK:         tile.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    return
func.func @broadcast_twice(%x: tensor<1x1xf32>) -> tensor<4x8xf32> {
  %0 = tile.broadcast %x : tensor<1x1xf32> -> tensor<4x1xf32>
  %1 = tile.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @split_of_join
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
// CHECK-NEXT:    return %[[Y]], %[[X]]
func.func @split_of_join(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tile.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
  %1, %2 = tile.split %0 : tensor<8x2xf32> -> tensor<8xf32>
  return %2, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Joined the other way round it is another tile.

// CHECK-LABEL: @join_of_split
// CHECK-SAME:    %[[X:.*]]: tensor<8x2xf32>
// CHECK:         %[[A:.*]], %[[B:.*]] = tile.split %[[X]]
// CHECK:         %[[S:.*]] = tile.join %[[B]], %[[A]]
// CHECK-NEXT:    return %[[X]], %[[S]]
func.func @join_of_split(%x: tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %0, %1 = tile.split %x : tensor<8x2xf32> -> tensor<8xf32>
  %2 = tile.join %0, %1 : tensor<8xf32> -> tensor<8x2xf32>
  %3 = tile.join %1, %0 : tensor<8xf32> -> tensor<8x2xf32>
  return %2, %3 : tensor<8x2xf32>, tensor<8x2xf32>
}

// -----

// CHECK-LABEL: @pointers
// CHECK-SAME:    %[[P:.*]]: !tile.ptr<f32>, %[[A:.*]]: i64
// CHECK:         %[[C:.*]] = tile.ptr_cast %[[P]] : !tile.ptr<f32> -> !tile.ptr<i8>
// CHECK-NEXT:    return %[[P]], %[[A]], %[[P]], %[[C]], %[[P]]
func.func @pointers(%p: !tile.ptr<f32>, %a: i64) -> (!tile.ptr<f32>, i64, !tile.ptr<f32>, !tile.ptr<i8>, !tile.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %0 = tile.addptr %p, %c0 : !tile.ptr<f32>, i32
  %1 = tile.int_to_ptr %a : i64 -> !tile.ptr<f32>
  %2 = tile.ptr_to_int %1 : !tile.ptr<f32> -> i64
  %3 = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  %4 = tile.int_to_ptr %3 : i64 -> !tile.ptr<f32>
  %5 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i16>
  %6 = tile.ptr_cast %5 : !tile.ptr<i16> -> !tile.ptr<i8>
  %7 = tile.ptr_cast %5 : !tile.ptr<i16> -> !tile.ptr<f32>
  return %0, %2, %4, %6, %7 : !tile.ptr<f32>, i64, !tile.ptr<f32>, !tile.ptr<i8>, !tile.ptr<f32>
}

// -----

// What has no result elsewhere has one here.

// CHECK-LABEL: @division
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-DAG:     %[[SMALLEST:.*]] = arith.constant -128 : i8
// CHECK:         return %[[ZERO]], %[[SMALLEST]], %[[ZERO]], %[[ZERO]]
func.func @division() -> (i8, i8, i8, i8) {
  %zero = arith.constant 0 : i8
  %minus = arith.constant -1 : i8
  %smallest = arith.constant -128 : i8
  %0 = tile.divsi %smallest, %zero : i8
  %1 = tile.divsi %smallest, %minus : i8
  %2 = tile.remsi %smallest, %minus : i8
  %3 = tile.remui %smallest, %zero : i8
  return %0, %1, %2, %3 : i8, i8, i8, i8
}

// -----

// CHECK-LABEL: @by_one
// CHECK-SAME:    %[[X:.*]]: tensor<4xi32>
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0> : tensor<4xi32>
// CHECK-NEXT:    return %[[X]], %[[X]], %[[ZERO]], %[[ZERO]], %[[X]]
func.func @by_one(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %one = arith.constant dense<1> : tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %0 = tile.divsi %x, %one : tensor<4xi32>
  %1 = tile.divui %x, %one : tensor<4xi32>
  %2 = tile.remsi %x, %one : tensor<4xi32>
  %3 = tile.remui %x, %one : tensor<4xi32>
  %4 = tile.shli %x, %zero : tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: @shifts
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-DAG:     %[[MINUS:.*]] = arith.constant -1 : i8
// CHECK:         return %[[ZERO]], %[[MINUS]], %[[ZERO]]
func.func @shifts() -> (i8, i8, i8) {
  %x = arith.constant -128 : i8
  %wide = arith.constant 200 : i8
  %0 = tile.shli %x, %wide : i8
  %1 = tile.shrsi %x, %wide : i8
  %2 = tile.shrui %x, %wide : i8
  return %0, %1, %2 : i8, i8, i8
}

// -----

// CHECK-LABEL: @float_to_integer
// CHECK-DAG:     %[[MAX:.*]] = arith.constant 127 : i8
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-DAG:     %[[ALL:.*]] = arith.constant -1 : i8
// CHECK:         return %[[MAX]], %[[ZERO]], %[[ZERO]], %[[ALL]]
func.func @float_to_integer() -> (i8, i8, i8, i8) {
  %big = arith.constant 1.0e9 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %less = arith.constant -3.0 : f32
  %0 = tile.fptosi %big : f32 -> i8
  %1 = tile.fptosi %nan : f32 -> i8
  %2 = tile.fptoui %less : f32 -> i8
  %3 = tile.fptoui %big : f32 -> i8
  return %0, %1, %2, %3 : i8, i8, i8, i8
}

// -----

// CHECK-LABEL: @to_float8
// CHECK-DAG:     %[[LARGEST:.*]] = arith.constant 4.480000e+02 : f8E4M3FN
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant -5.734400e+04 : f8E5M2
// CHECK-DAG:     %[[NAN:.*]] = arith.constant 0x7F : f8E5M2
// CHECK-DAG:     %[[EVEN:.*]] = arith.constant dense<4.000000e+00> : tensor<4xf8E4M3FN>
// CHECK:         return %[[LARGEST]], %[[LEAST]], %[[NAN]], %[[EVEN]]
func.func @to_float8() -> (f8E4M3FN, f8E5M2, f8E5M2, tensor<4xf8E4M3FN>) {
  %big = arith.constant 1.0e9 : f32
  %infinite = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0xFFC00001 : f32
  %middle = arith.constant dense<4.25> : tensor<4xf64>
  %0 = tile.fptofp8 %big : f32 -> f8E4M3FN
  %1 = tile.fptofp8 %infinite : f32 -> f8E5M2
  %2 = tile.fptofp8 %nan : f32 -> f8E5M2
  %3 = tile.fptofp8 %middle : tensor<4xf64> -> tensor<4xf8E4M3FN>
  return %0, %1, %2, %3 : f8E4M3FN, f8E5M2, f8E5M2, tensor<4xf8E4M3FN>
}

// -----

// CHECK-LABEL: @masks
// CHECK-SAME:    %[[P:.*]]: tensor<4x!tile.ptr<f32>>, %[[O:.*]]: tensor<4xf32>
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    %[[X:.*]] = tile.load %[[P]] : tensor
// CHECK-NEXT:    tile.store %[[P]], %[[X]] : tensor
// CHECK-NEXT:    return %[[X]], %[[O]], %[[ZERO]]
func.func @masks(%p: tensor<4x!tile.ptr<f32>>, %o: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %t = arith.constant dense<true> : tensor<4xi1>
  %f = arith.constant dense<false> : tensor<4xi1>
  %0 = tile.load %p mask %t : tensor<4xi1> other %o : tensor<4xf32> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %1 = tile.load %p mask %f : tensor<4xi1> other %o : tensor<4xf32> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %2 = tile.load %p mask %f : tensor<4xi1> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  tile.store %p, %0 mask %t : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  tile.store %p, %1 mask %f : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A mask that is true in part stays.

// CHECK-LABEL: @partial_mask
// CHECK:         tile.load %{{.*}} mask
func.func @partial_mask(%p: tensor<2x!tile.ptr<f32>>) -> tensor<2xf32> {
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  %0 = tile.load %p mask %m : tensor<2xi1> : tensor<2x!tile.ptr<f32>> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A load without a use goes, unless it is volatile.

// CHECK-LABEL: @unused
// CHECK-SAME:    %[[P:.*]]: !tile.ptr<f32>, %[[Q:.*]]: !tile.ptr<f32>
// CHECK-NOT:     tile.load %[[P]]
// CHECK:         tile.load %[[Q]] volatile
// CHECK-NOT:     tile.load
func.func @unused(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
  %0 = tile.load %p : !tile.ptr<f32> -> f32
  %1 = tile.load %q volatile : !tile.ptr<f32> -> f32
  return
}
