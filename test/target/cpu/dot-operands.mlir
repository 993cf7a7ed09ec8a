// RUN: tesela-opt --cpu-loops --split-input-file %s | FileCheck %s

// The left operand is read where it lies. The right one is copied where the
// key of its place differs, and all keys are void at first.
// CHECK-LABEL: func.func @in_place
// CHECK: scf.for {{.*}} to %c16_i64
// CHECK-NEXT: arith.muli
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.store %c0_i64
// CHECK: scf.for
// CHECK: scf.for {{.*}} step %c8_i64
// CHECK: %[[OTHER:.*]] = arith.xori
// CHECK: scf.if %[[OTHER]]
// CHECK: scf.for {{.*}} step %c1_i64
// CHECK: scf.if %[[OTHER]]
// CHECK-NOT: scf.if
// CHECK: :12 = scf.for
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// The store forgets what it overwrites.
// CHECK: scf.if {{.*[[:space:]]+}}scf.for {{.*}} to %c16_i64
func.func @in_place(%a_ptr: !tile.ptr<f32>, %b_ptr: !tile.ptr<f32>,
                    %c_ptr: !tile.ptr<f32>, %k: i64)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %kb = %zero to %k step %c32 iter_args(%sum = %init)
      -> (tensor<64x64xf32>) : i64 {
    %a = tile.view_load %a_ptr[%zero, %kb] strides [%k, %one]
        bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<64x32xf32>
    %b = tile.view_load %b_ptr[%kb, %zero] strides [%c64, %one]
        bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<32x64xf32>
    %next = tile.dot %a, %b, %sum
        : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.view_store %acc, %c_ptr[%zero, %zero] strides [%c64, %one]
      bounds [] axes [] : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

// With a store in the loop, both operands are copied in each iteration.
// CHECK-LABEL: func.func @stores_in_loop
// CHECK-NOT: llvm.store %c0_i64
// CHECK: :12 = scf.for
func.func @stores_in_loop(%a_ptr: !tile.ptr<f32>, %b_ptr: !tile.ptr<f32>,
                          %c_ptr: !tile.ptr<f32>, %k: i64)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %kb = %zero to %k step %c32 iter_args(%sum = %init)
      -> (tensor<64x64xf32>) : i64 {
    %a = tile.view_load %a_ptr[%zero, %kb] strides [%k, %one]
        bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<64x32xf32>
    %b = tile.view_load %b_ptr[%kb, %zero] strides [%c64, %one]
        bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<32x64xf32>
    %next = tile.dot %a, %b, %sum
        : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    tile.view_store %init, %c_ptr[%zero, %kb] strides [%k, %one]
        bounds [] axes [] : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
    scf.yield %next : tensor<64x64xf32>
  }
  tile.view_store %acc, %c_ptr[%zero, %zero] strides [%c64, %one]
      bounds [] axes [] : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

// Two rows: eight rows of the right operand at a time, straight from memory,
// and the sums in scratch.
// CHECK-LABEL: func.func @few_rows
// CHECK: scf.for {{.*}} to %c32_i64 step %c8_i64
// CHECK: scf.for {{.*}} to %c64_i64 step %c16_i64
// CHECK-COUNT-8: arith.extf {{.*}} vector<16xf16> to vector<16xf32>
// CHECK-COUNT-16: llvm.intr.fmuladd
func.func @few_rows(%a_ptr: !tile.ptr<f16>, %b_ptr: !tile.ptr<f16>,
                    %c_ptr: !tile.ptr<f32>, %k: i64) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %init = arith.constant dense<0.0> : tensor<2x64xf32>
  %acc = scf.for %kb = %zero to %k step %c32 iter_args(%sum = %init)
      -> (tensor<2x64xf32>) : i64 {
    %a = tile.view_load %a_ptr[%zero, %kb] strides [%k, %one]
        bounds [] axes [] : !tile.ptr<f16>[i64, i64] -> tensor<2x32xf16>
    %b = tile.view_load %b_ptr[%kb, %zero] strides [%c64, %one]
        bounds [] axes [] : !tile.ptr<f16>[i64, i64] -> tensor<32x64xf16>
    %next = tile.dot %a, %b, %sum
        : tensor<2x32xf16>, tensor<32x64xf16>, tensor<2x64xf32>
    scf.yield %next : tensor<2x64xf32>
  }
  tile.view_store %acc, %c_ptr[%zero, %zero] strides [%c64, %one]
      bounds [] axes [] : tensor<2x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

// The sum changes from iteration to iteration: each computes its dot, and finds
// the copy that an instance before has left for it.
// CHECK-LABEL: func.func @each_iteration
// CHECK: scf.for {{.*}} to %c64_i64
// CHECK-NEXT: arith.muli
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.store %c0_i64
// CHECK: scf.for {{.*}} step %c32_i64
// CHECK: arith.divui {{.*}}, %c32_i64
// CHECK: %[[OTHER:.*]] = arith.xori
// CHECK: scf.if %[[OTHER]]
// CHECK: scf.if %[[OTHER]]
// CHECK: :12 = scf.for
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: scf.if {{.*[[:space:]]+}}scf.for {{.*}} to %c64_i64
func.func @each_iteration(%a_ptr: !tile.ptr<f32>, %b_ptr: !tile.ptr<f32>,
                    %c_ptr: !tile.ptr<f32>, %k: i64, %from: i64)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %kb = %zero to %k step %c32 iter_args(%sum = %init)
      -> (tensor<64x64xf32>) : i64 {
    %a = tile.view_load %a_ptr[%zero, %kb] strides [%k, %one]
        bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<64x32xf32>
    %b = tile.view_load %b_ptr[%kb, %zero] strides [%c64, %one]
        bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<32x64xf32>
    %old = arith.negf %sum : tensor<64x64xf32>
    %next = tile.dot %a, %b, %old
        : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.view_store %acc, %c_ptr[%zero, %zero] strides [%c64, %one]
      bounds [] axes [] : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

// Where another loop may have ended.
// CHECK-LABEL: func.func @goes_on
// CHECK-NOT: scf.if
// CHECK: :12 = scf.for
func.func @goes_on(%a_ptr: !tile.ptr<f32>, %b_ptr: !tile.ptr<f32>,
                    %c_ptr: !tile.ptr<f32>, %k: i64, %from: i64)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %kb = %from to %k step %c32 iter_args(%sum = %init)
      -> (tensor<64x64xf32>) : i64 {
    %a = tile.view_load %a_ptr[%zero, %kb] strides [%k, %one]
        bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<64x32xf32>
    %b = tile.view_load %b_ptr[%kb, %zero] strides [%c64, %one]
        bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<32x64xf32>
    %old = arith.negf %sum : tensor<64x64xf32>
    %next = tile.dot %a, %b, %old
        : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.view_store %acc, %c_ptr[%zero, %zero] strides [%c64, %one]
      bounds [] axes [] : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}
