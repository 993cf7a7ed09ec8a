// RUN: tesela-opt %s --nvidia-specialise-warps=num-warps=8 | FileCheck %s

// The second product is waited for behind the reduction that the next factor
// needs; what is done for each row comes before that, what is done for each
// element after it. A slot is released right after the wait. The factor of the
// scores is taken out of their maximum, since the launch checks that it is
// positive. Two warpgroups take no turns.

// CHECK-LABEL: func.func @attention(
// CHECK:         tgpu.roles
// CHECK:         consumers
// CHECK-NOT:       tgpu.open_turns
// CHECK:           scf.if
// CHECK:             scf.for
// CHECK:               tgpu.ring_take %[[K:[0-9]+]]
// CHECK:               %[[FIRST:.*]] = tgpu.wgmma
// CHECK-NEXT:          tgpu.ring_take %[[V:[0-9]+]]
// CHECK-NEXT:          %[[SECOND:.*]] = tgpu.wgmma
// CHECK-NEXT:          %[[S:.*]] = tgpu.wgmma_wait %[[FIRST]] pending 1
// CHECK-NEXT:          tgpu.ring_release %[[K]]
// CHECK-NEXT:          %[[MOST:.*]] = tile.reduce %[[S]] axis 1
// CHECK:               arith.mulf %[[MOST]], %{{.*}} : tensor<128xf32>
// CHECK:               math.exp2 {{.*}} : tensor<128xf32>
// CHECK:               %[[O:.*]]:2 = tgpu.wgmma_wait %[[SECOND]], %[[S]] pending 0
// CHECK-NEXT:          tgpu.ring_release %[[V]]
// CHECK:               arith.mulf %[[O]]#1, %{{.*}} : tensor<128x64xf32>
// CHECK:               math.exp2 {{.*}} : tensor<128x64xf32>
// CHECK:               arith.truncf
// CHECK:               arith.mulf %[[O]]#0, %{{.*}} : tensor<128x64xf32>
// CHECK:               scf.yield

// CHECK-LABEL: func.func @attention.launch
// CHECK:         %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[BITS]]
// CHECK:         arith.cmpi sge, %[[WIDE]], %{{.*}}
// CHECK:         arith.cmpi sle, %[[WIDE]], %{{.*}}
func.func @attention(%q: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %k: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %v: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %o: !tile.ptr<f32>, %length: i32, %scale: f32,
                     %sh: i32 {tile.divisibility = 16 : i64},
                     %sn: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %first = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %least = arith.constant dense<-1.0e38> : tensor<128xf32>
  %factor = tile.splat %scale : tensor<128x64xf32>
  %h = tile.program_id axis 1
  %h1 = arith.extsi %h : i32 to i64
  %sh1 = arith.extsi %sh : i32 to i64
  %s = arith.extsi %sn : i32 to i64
  %move = arith.muli %h1, %sh1 : i64
  %qh = tile.addptr %q, %move : !tile.ptr<f16>, i64
  %kh = tile.addptr %k, %move : !tile.ptr<f16>, i64
  %vh = tile.addptr %v, %move : !tile.ptr<f16>, i64
  %tq = tile.view_load %qh[%first, %first] strides [%s, %one] bounds [] axes []
      : !tile.ptr<f16>[i64, i64] -> tensor<128x64xf16>
  %sum, %last = scf.for %i = %c0 to %length step %c64
      iter_args(%acc = %zero, %top = %least)
      -> (tensor<128x64xf32>, tensor<128xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %tk = tile.view_load %kh[%i1, %first] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %tt = tile.permute %tk [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %products = tile.dot %tq, %tt, %zero
        : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %scores = arith.mulf %products, %factor : tensor<128x64xf32>
    %most = tile.reduce %scores axis 1 combine {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<128x64xf32>) -> tensor<128xf32>
    %new = arith.maxnumf %top, %most : tensor<128xf32>
    %column = tile.expand_dims %new axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %tops = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
    %less = arith.subf %scores, %tops : tensor<128x64xf32>
    %p = math.exp2 %less : tensor<128x64xf32>
    %change = arith.subf %top, %new : tensor<128xf32>
    %decay = math.exp2 %change : tensor<128xf32>
    %decays = tile.expand_dims %decay axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %all = tile.broadcast %decays : tensor<128x1xf32> -> tensor<128x64xf32>
    %tv = tile.view_load %vh[%i1, %first] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %half = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %kept = arith.mulf %acc, %all : tensor<128x64xf32>
    %r = tile.dot %half, %tv, %kept
        : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %r, %new : tensor<128x64xf32>, tensor<128xf32>
  }
  tile.view_store %sum, %o[%first, %first] strides [%s, %one] bounds [] axes []
      : tensor<128x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}
