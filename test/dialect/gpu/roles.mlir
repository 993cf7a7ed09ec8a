// RUN: tesela-opt %s | tesela-opt | FileCheck %s

// A product stays under way from one iteration to the next: two slots are held
// at once, the older one is released.

!part = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!ring = !tgpu.ring<2 x (!part, !part)>

// CHECK-LABEL: @pipelined
// CHECK:         tgpu.roles producer warps 4 registers [40, 232] {
// CHECK:           tgpu.ring_fill {{.*}} maps({{.*}}) at[{{.*}}] ranks [2, 2]
// CHECK:         consumers {
// CHECK:           tgpu.ring_take
// CHECK:           tgpu.transpose_staged
// CHECK:           tgpu.wgmma
// CHECK:           tgpu.wgmma_wait {{.*}} pending 1
// CHECK:           tgpu.ring_release {{.*}} keep 1
// CHECK:         tgpu.wgmma_wait {{.*}} pending 0
// CHECK:         tgpu.ring_release %{{[0-9]+}} :
func.func @pipelined(%a: !tgpu.tensor_map, %b: !tgpu.tensor_map, %n: i32,
                     %acc: tensor<64x64xf32>) {
  %r = tgpu.alloc_ring : !ring
  tgpu.roles producer warps 4 registers [40, 232] {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    scf.for %k = %c0 to %n step %c32 : i32 {
      tgpu.ring_fill %r maps(%a, %b) at [%k, %c0, %k, %c0] ranks [2, 2] : !ring
    }
  } consumers {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %sum = scf.for %k = %c0 to %n step %c32 iter_args(%s = %acc)
        -> (tensor<64x64xf32>) : i32 {
      %x, %y = tgpu.ring_take %r : !ring -> !part, !part
      %t = tgpu.transpose_staged %y : !part
          -> !tgpu.staged<32x64xf16, axis = 0, swizzle = 64>
      %p = tgpu.wgmma %x, %t, %s : !part,
          !tgpu.staged<32x64xf16, axis = 0, swizzle = 64>, tensor<64x64xf32>
      %w = tgpu.wgmma_wait %p pending 1 : tensor<64x64xf32>
      tgpu.ring_release %r keep 1 : !ring
      scf.yield %w : tensor<64x64xf32>
    }
    %last = tgpu.wgmma_wait %sum pending 0 : tensor<64x64xf32>
    tgpu.ring_release %r : !ring
    %y = arith.addf %last, %last : tensor<64x64xf32>
  }
  return
}

// Of two products, the first is finished when one may be under way.

// CHECK-LABEL: @older_first
func.func @older_first(%a: !part, %b: !tgpu.staged<32x64xf16, axis = 0, swizzle = 64>,
                       %acc: tensor<64x64xf32>) {
  %p = tgpu.wgmma %a, %b, %acc : !part,
      !tgpu.staged<32x64xf16, axis = 0, swizzle = 64>, tensor<64x64xf32>
  %q = tgpu.wgmma %a, %b, %acc : !part,
      !tgpu.staged<32x64xf16, axis = 0, swizzle = 64>, tensor<64x64xf32>
  %x = tgpu.wgmma_wait %p pending 1 : tensor<64x64xf32>
  %y = arith.addf %x, %x : tensor<64x64xf32>
  %z = tgpu.wgmma_wait %q pending 0 : tensor<64x64xf32>
  return
}

// Without a producer, the consumers feed the ring.

// CHECK-LABEL: @fed
// CHECK:         tgpu.roles producer warps 0 {
// CHECK-NEXT:    } consumers {
// CHECK:           tgpu.ring_feed {{.*}} maps({{.*}}) at[{{.*}}] ranks [2, 2] when
func.func @fed(%a: !tgpu.tensor_map, %b: !tgpu.tensor_map, %n: i32, %more: i1) {
  %r = tgpu.alloc_ring : !ring
  tgpu.roles producer warps 0 {
  } consumers {
    tgpu.ring_feed %r maps(%a, %b) at [%n, %n, %n, %n] ranks [2, 2] when %more
        : !ring
    %x, %y = tgpu.ring_take %r : !ring -> !part, !part
    tgpu.ring_release %r : !ring
  }
  return
}

// A tile of two panels takes the place of two slots' first part.

// CHECK-LABEL: @stored
// CHECK:         tgpu.bulk_store %{{.*}} to %{{.*}} at[%{{.*}}, %{{.*}}] rows 16 swizzle 64 : tensor<64x64xf16>
// CHECK:         tgpu.bulk_store {{.*}} rows 16 swizzle 64 over %{{.*}} part 0 : !tgpu.ring<2 x({{.*}})> : tensor<64x64xf16>
func.func @stored(%map: !tgpu.tensor_map, %i: i32, %x: tensor<64x64xf16>) {
  %r = tgpu.alloc_ring : !ring
  tgpu.roles producer warps 0 {
  } consumers {
    tgpu.bulk_store %x to %map at [%i, %i] rows 16 swizzle 64
        : tensor<64x64xf16>
    tgpu.bulk_store %x to %map at [%i, %i] rows 16 swizzle 64 over %r part 0
        : !ring : tensor<64x64xf16>
  }
  return
}
