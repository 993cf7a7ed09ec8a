// RUN: tesela-opt %s --nvidia-specialise-warps='overlap=false feed=false' \
// RUN:   --split-input-file | FileCheck %s

// Both factors of a matrix product lie in one slot; a product stays under way
// while the next one starts, and the slot before is released. The map's address
// and stride follow the precondition, which also says how far coordinates go.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[MA:[a-z0-9]+]]: !tgpu.tensor_map {tgpu.map = {box = array<i64: 32, 64>, dtype = f16, first = 1 : i64, swizzle = 64 : i64}},
// CHECK-SAME:    %[[MB:[a-z0-9]+]]: !tgpu.tensor_map {tgpu.map = {box = array<i64: 64, 32>, dtype = f16, first = 5 : i64, swizzle = 128 : i64}})
// CHECK:         %[[R:.*]] = tgpu.alloc_ring : <3 x(!tgpu.staged<64x32xf16, axis = 1, swizzle = 64>, !tgpu.staged<32x64xf16, axis = 1, swizzle = 128>)>
// CHECK:         tgpu.roles producer warps 1 {
// CHECK:           scf.for %[[K:[a-z0-9]+]] = {{.*}} : i32 {
// CHECK-NOT:         tile.
// CHECK:             tgpu.ring_fill %[[R]] maps(%[[MA]], %[[MB]]) at[%[[K]], %{{.*}}, %{{.*}}, %[[K]]] ranks [2, 2]
// CHECK-NEXT:      }
// CHECK-NEXT:    } consumers {
// CHECK:           %[[S:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK:             %[[AB:.*]]:2 = tgpu.ring_take %[[R]]
// CHECK-NEXT:        %[[P:.*]] = tgpu.wgmma %[[AB]]#0, %[[AB]]#1, %[[ACC]]
// CHECK-NEXT:        %[[W:.*]] = tgpu.wgmma_wait %[[P]] pending 1
// CHECK-NEXT:        tgpu.ring_release %[[R]] keep 1
// CHECK-NEXT:        scf.yield %[[W]]
// CHECK:           %[[LAST:.*]] = tgpu.wgmma_wait %[[S]] pending 0
// CHECK-NEXT:      tgpu.ring_release %[[R]] :
// CHECK:           tile.view_store %[[LAST]]

// CHECK-LABEL: func.func @matmul.launch(
// CHECK-SAME:    %[[A:[a-z0-9]*]]: !tile.ptr<f16>
// CHECK-SAME:    -> (i1, i64, i64, i64, i64, i64, i64, i64, i64)
// CHECK:         %[[AT:.*]] = tile.ptr_to_int %[[A]]
// CHECK:         return %{{.*}}, %[[AT]], %c2147483647
func.func @matmul(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %b: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %c: !tile.ptr<f32>, %k: i32,
                  %sa: i32 {tile.divisibility = 16 : i64},
                  %sb: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.program_id axis 0
  %y = tile.program_id axis 1
  %x1 = arith.extsi %x : i32 to i64
  %m = arith.muli %x1, %c64 : i64
  %y1 = arith.extsi %y : i32 to i64
  %n = arith.muli %y1, %c64 : i64
  %sam = arith.extsi %sa : i32 to i64
  %sbk = arith.extsi %sb : i32 to i64
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %ta = tile.view_load %a[%m, %i1] strides [%sam, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x32xf16>
    %tb = tile.view_load %b[%i1, %n] strides [%sbk, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<32x64xf16>
    %r = tile.dot %ta, %tb, %acc
        : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %c[%m, %n] strides [%c64, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

// What is used more than once is waited for at once. The first factor, which the
// loop does not change, has a slot of its own that is filled once; the second
// product's first factor stays in registers. Bases that move by the head's
// number give the maps a dimension more.

// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    {tgpu.map = {box = array<i64: 64, 64, 1>
// CHECK:         %[[Q:.*]] = tgpu.alloc_ring : <1 x(
// CHECK:         %[[K:.*]] = tgpu.alloc_ring : <5 x(
// CHECK:         %[[V:.*]] = tgpu.alloc_ring : <5 x(
// CHECK:         tgpu.roles
// CHECK:           tgpu.ring_fill %[[Q]] {{.*}} ranks [3]
// CHECK:           scf.for
// CHECK:             tgpu.ring_fill %[[K]]
// CHECK:             tgpu.ring_fill %[[V]]
// CHECK:         consumers
// CHECK:           %[[TQ:.*]] = tgpu.ring_take %[[Q]]
// CHECK:           scf.for
// CHECK:             %[[TK:.*]] = tgpu.ring_take %[[K]]
// CHECK:             %[[TT:.*]] = tgpu.transpose_staged %[[TK]]
// CHECK:             %[[P:.*]] = tgpu.wgmma %[[TQ]], %[[TT]]
// CHECK:             %[[S:.*]] = tgpu.wgmma_wait %[[P]] pending 0
// CHECK-NEXT:        tgpu.ring_release %[[K]]
// CHECK:             %[[H:.*]] = arith.truncf %[[S]]
// CHECK:             %[[TV:.*]] = tgpu.ring_take %[[V]]
// CHECK:             tgpu.wgmma %[[H]], %[[TV]]
// CHECK:             tgpu.wgmma_wait {{.*}} pending 0
// CHECK-NEXT:        tgpu.ring_release %[[V]]
// CHECK:           }
// CHECK-NEXT:      tgpu.ring_release %[[Q]]
func.func @attention(%q: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %k: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %v: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %o: !tile.ptr<f32>, %length: i32,
                     %sh: i32 {tile.divisibility = 16 : i64},
                     %sn: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %first = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %h = tile.program_id axis 1
  %h1 = arith.extsi %h : i32 to i64
  %sh1 = arith.extsi %sh : i32 to i64
  %s = arith.extsi %sn : i32 to i64
  %move = arith.muli %h1, %sh1 : i64
  %qh = tile.addptr %q, %move : !tile.ptr<f16>, i64
  %kh = tile.addptr %k, %move : !tile.ptr<f16>, i64
  %vh = tile.addptr %v, %move : !tile.ptr<f16>, i64
  %tq = tile.view_load %qh[%first, %first] strides [%s, %one] bounds [] axes []
      : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
  %sum = scf.for %i = %c0 to %length step %c64 iter_args(%acc = %zero)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %tk = tile.view_load %kh[%i1, %first] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %tt = tile.permute %tk [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %scores = tile.dot %tq, %tt, %zero
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %p = arith.truncf %scores : tensor<64x64xf32> to tensor<64x64xf16>
    %tv = tile.view_load %vh[%i1, %first] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %twice = arith.addf %acc, %acc : tensor<64x64xf32>
    %r = tile.dot %p, %tv, %twice
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %o[%first, %first] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

// The branch whose rows are gathered puts its factors into shared memory
// itself, in the memory of the ring that stands still; the producer goes past it.

// CHECK-LABEL: func.func @wrapped(
// CHECK:         tgpu.roles
// CHECK:           scf.if
// CHECK:             scf.for
// CHECK:               tgpu.ring_fill
// CHECK:           } else {
// CHECK-NEXT:      }
// CHECK:         consumers
// CHECK:           scf.if
// CHECK:             tgpu.ring_take
// CHECK:           } else {
// CHECK:             scf.for
// CHECK:               %[[A:.*]] = tile.view_load
// CHECK:               %[[B:.*]] = tile.view_load
// CHECK:               %[[SA:.*]] = tgpu.stage %[[A]] into %{{.*}} at 0 : tensor<64x32xf16> -> <64x32xf16, axis = 1, swizzle = 64>
// CHECK:               %[[SB:.*]] = tgpu.stage %[[B]] into %{{.*}} at 4096 : tensor<32x64xf16> -> <32x64xf16, axis = 1, swizzle = 128>
// CHECK:               %[[P:.*]] = tgpu.wgmma %[[SA]], %[[SB]]
// CHECK:               tgpu.wgmma_wait %[[P]] pending 0
func.func @wrapped(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                   %b: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                   %c: !tile.ptr<f32>, %k: i32, %inside: i1,
                   %sa: i32 {tile.divisibility = 16 : i64},
                   %sb: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %first = arith.constant 0 : i64
  %rows = arith.constant dense<0> : tensor<64xi64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sam = arith.extsi %sa : i32 to i64
  %sbk = arith.extsi %sb : i32 to i64
  %sum = scf.if %inside -> tensor<64x64xf32> {
    %s = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero)
        -> (tensor<64x64xf32>) : i32 {
      %i1 = arith.extsi %i : i32 to i64
      %ta = tile.view_load %a[%first, %i1] strides [%sam, %one] bounds [] axes []
          : !tile.ptr<f16>[i64, i64] -> tensor<64x32xf16>
      %tb = tile.view_load %b[%i1, %first] strides [%sbk, %one] bounds [] axes []
          : !tile.ptr<f16>[i64, i64] -> tensor<32x64xf16>
      %r = tile.dot %ta, %tb, %acc
          : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %r : tensor<64x64xf32>
    }
    scf.yield %s : tensor<64x64xf32>
  } else {
    %s = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero)
        -> (tensor<64x64xf32>) : i32 {
      %i1 = arith.extsi %i : i32 to i64
      %ta = tile.view_load %a[%rows, %i1] strides [%sam, %one] bounds [] axes []
          : !tile.ptr<f16>[tensor<64xi64>, i64] -> tensor<64x32xf16>
      %tb = tile.view_load %b[%i1, %rows] strides [%sbk, %one] bounds [] axes []
          : !tile.ptr<f16>[i64, tensor<64xi64>] -> tensor<32x64xf16>
      %r = tile.dot %ta, %tb, %acc
          : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %r : tensor<64x64xf32>
    }
    scf.yield %s : tensor<64x64xf32>
  }
  tile.view_store %sum, %c[%first, %first] strides [%sam, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}
