// RUN: tesela-opt %s --split-input-file --verify-diagnostics

// What the hardware would hang on, or compute nonsense with.

!part = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!ring = !tgpu.ring<2 x (!part)>

func.func @take_outside(%r: !ring) {
  // expected-error@+1 {{stands outside consumers}}
  %x = tgpu.ring_take %r : !ring -> !part
  return
}

// -----

!ring = !tgpu.ring<2 x (!tgpu.staged<64x32xf16, axis = 1, swizzle = 64>)>

func.func @fill_by_consumers(%map: !tgpu.tensor_map, %i: i32) {
  %r = tgpu.alloc_ring : !ring
  tgpu.roles producer warps 1 {
  } consumers {
    // expected-error@+1 {{stands outside a producer}}
    tgpu.ring_fill %r maps(%map) at [%i, %i] ranks [2] : !ring
  }
  return
}

// -----

!part = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!ring = !tgpu.ring<2 x (!part)>

func.func @taken_once_filled_in_a_loop(%map: !tgpu.tensor_map, %i: i32) {
  %r = tgpu.alloc_ring : !ring
  // expected-error@+1 {{do not walk a ring in the same way}}
  tgpu.roles producer warps 1 {
    scf.for %k = %i to %i step %i : i32 {
      tgpu.ring_fill %r maps(%map) at [%k, %i] ranks [2] : !ring
    }
  } consumers {
    %x = tgpu.ring_take %r : !ring -> !part
    tgpu.ring_release %r : !ring
  }
  return
}

// -----

!part = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!ring = !tgpu.ring<2 x (!part)>

func.func @never_released(%map: !tgpu.tensor_map, %i: i32) {
  %r = tgpu.alloc_ring : !ring
  tgpu.roles producer warps 1 {
    scf.for %k = %i to %i step %i : i32 {
      tgpu.ring_fill %r maps(%map) at [%k, %i] ranks [2] : !ring
    }
  } consumers {
    scf.for %k = %i to %i step %i : i32 {
      // expected-error@+1 {{may want another slot of 2 while it holds 2}}
      %x = tgpu.ring_take %r : !ring -> !part
    }
  }
  return
}

// -----

!part = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!ring = !tgpu.ring<2 x (!part)>

func.func @last_not_released(%map: !tgpu.tensor_map, %i: i32) {
  %r = tgpu.alloc_ring : !ring
  // expected-error@+1 {{may end without the release of 1 slots}}
  tgpu.roles producer warps 1 {
    scf.for %k = %i to %i step %i : i32 {
      tgpu.ring_fill %r maps(%map) at [%k, %i] ranks [2] : !ring
    }
  } consumers {
    scf.for %k = %i to %i step %i : i32 {
      %x = tgpu.ring_take %r : !ring -> !part
      tgpu.ring_release %r keep 1 : !ring
    }
  }
  return
}

// -----

!a = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!b = !tgpu.staged<32x64xf16, axis = 0, swizzle = 64>

func.func @used_before_a_wait(%a: !a, %b: !b, %acc: tensor<64x64xf32>) {
  // expected-error@+1 {{gives a product that is used before a wait for it}}
  %p = tgpu.wgmma %a, %b, %acc : !a, !b, tensor<64x64xf32>
  // expected-note@+1 {{here}}
  %x = arith.addf %p, %p : tensor<64x64xf32>
  return
}

// -----

!a = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!b = !tgpu.staged<32x64xf16, axis = 0, swizzle = 64>

func.func @still_under_way(%a: !a, %b: !b, %acc: tensor<64x64xf32>) {
  %p = tgpu.wgmma %a, %b, %acc : !a, !b, tensor<64x64xf32>
  // expected-error@+1 {{gives a product that is used before a wait for it}}
  %w = tgpu.wgmma_wait %p pending 1 : tensor<64x64xf32>
  // expected-note@+1 {{here}}
  %x = arith.addf %w, %w : tensor<64x64xf32>
  return
}

// -----

!a = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!b = !tgpu.staged<32x64xf16, axis = 0, swizzle = 64>

func.func @odd_rows(%a: !tgpu.staged<32x32xf16, axis = 1, swizzle = 64>, %b: !b,
                    %acc: tensor<32x64xf32>) {
  // expected-error@+1 {{needs rows by 64 and columns by 8}}
  %p = tgpu.wgmma %a, %b, %acc : !tgpu.staged<32x32xf16, axis = 1, swizzle = 64>,
      !b, tensor<32x64xf32>
  return
}

// -----

// expected-error@+1 {{has rows of 16 bytes, which are no whole panels}}
func.func @narrow(%x: !tgpu.staged<64x8xf16, axis = 1, swizzle = 32>) {
  return
}

// -----

!part = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!ring = !tgpu.ring<2 x (!part)>

func.func @fed_beside_a_producer(%map: !tgpu.tensor_map, %i: i32, %more: i1) {
  %r = tgpu.alloc_ring : !ring
  tgpu.roles producer warps 1 {
    tgpu.ring_fill %r maps(%map) at [%i, %i] ranks [2] : !ring
  } consumers {
    // expected-error@+1 {{stands beside a producer}}
    tgpu.ring_feed %r maps(%map) at [%i, %i] ranks [2] when %more : !ring
    %x = tgpu.ring_take %r : !ring -> !part
    tgpu.ring_release %r : !ring
  }
  return
}

// -----

!part = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!ring = !tgpu.ring<2 x (!part)>

func.func @producer_of_no_warps(%map: !tgpu.tensor_map, %i: i32) {
  %r = tgpu.alloc_ring : !ring
  // expected-error@+1 {{has a producer of no warps}}
  tgpu.roles producer warps 0 {
    tgpu.ring_fill %r maps(%map) at [%i, %i] ranks [2] : !ring
  } consumers {
    %x = tgpu.ring_take %r : !ring -> !part
    tgpu.ring_release %r : !ring
  }
  return
}

// -----

func.func @stored_outside(%map: !tgpu.tensor_map, %i: i32, %x: tensor<64x64xf16>) {
  // expected-error@+1 {{stands outside consumers}}
  tgpu.bulk_store %x to %map at [%i, %i] rows 16 swizzle 128 : tensor<64x64xf16>
  return
}

// -----

func.func @boxes_of_five(%map: !tgpu.tensor_map, %i: i32, %x: tensor<64x64xf16>) {
  tgpu.roles producer warps 0 {
  } consumers {
    // expected-error@+1 {{cuts 64 rows into boxes of 5}}
    tgpu.bulk_store %x to %map at [%i, %i] rows 5 swizzle 128 : tensor<64x64xf16>
  }
  return
}

// -----

func.func @wide_panels(%map: !tgpu.tensor_map, %i: i32, %x: tensor<64x32xf16>) {
  tgpu.roles producer warps 0 {
  } consumers {
    // expected-error@+1 {{has rows of 64 bytes, which are no whole panels}}
    tgpu.bulk_store %x to %map at [%i, %i] rows 16 swizzle 128 : tensor<64x32xf16>
  }
  return
}

// -----

!part = !tgpu.staged<64x32xf16, axis = 1, swizzle = 64>
!ring = !tgpu.ring<2 x (!part)>

func.func @more_than_slots(%map: !tgpu.tensor_map, %i: i32, %x: tensor<64x128xf16>) {
  %r = tgpu.alloc_ring : !ring
  tgpu.roles producer warps 0 {
  } consumers {
    // expected-error@+1 {{takes the place of '!tgpu.staged<64x32xf16, axis = 1, swizzle = 64>'}}
    tgpu.bulk_store %x to %map at [%i, %i] rows 16 swizzle 64 over %r part 0
        : !ring : tensor<64x128xf16>
  }
  return
}
