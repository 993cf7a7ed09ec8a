// RUN: tesela-opt %s --nvidia-specialise-warps='feed=false explain=true' \
// RUN:   --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tesela-opt %s --nvidia-specialise-warps='store-in-bulk=false' \
// RUN:   --split-input-file | FileCheck %s --check-prefix=OFF

// OFF-NOT: tgpu.bulk_store

// The map of the result follows those of the factors: its boxes are 16 rows of
// a panel, its extents the view's bounds. The tile goes where the first factor
// was.

// CHECK-LABEL: func.func @bounded(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: !tgpu.tensor_map {tgpu.map = {box = array<i64: 64, 16>, dtype = f16, first = 9 : i64, swizzle = 128 : i64}})
// CHECK:         consumers
// CHECK:           %[[C:.*]] = arith.truncf
// CHECK-DAG:       %[[I:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK-DAG:       %[[J:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK:           tgpu.bulk_store %[[C]] to %[[M]] at[%{{.*}}, %{{.*}}] rows 16 swizzle 128 over %{{.*}} part 0 : {{.*}} : tensor<64x128xf16>
// CHECK-NOT:       tile.view_store
// CHECK-LABEL: func.func @bounded.launch(
// CHECK-SAME:    %{{[a-z0-9]*}}: !tile.ptr<f16>{{.*}}, %{{[a-z0-9]*}}: !tile.ptr<f16>{{.*}}, %[[P:[a-z0-9]*]]: !tile.ptr<f16>
// CHECK:         %[[AT:.*]] = tile.ptr_to_int %[[P]]
// CHECK:         return {{.*}}, %[[AT]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : i1
func.func @bounded(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                   %b: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                   %c: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %k: i32,
                   %rows: i64, %columns: i64,
                   %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %m64 = arith.constant 64 : i64
  %m128 = arith.constant 128 : i64
  %init = arith.constant dense<0.0> : tensor<64x128xf32>
  %x = tile.program_id axis 0
  %y = tile.program_id axis 1
  %x1 = arith.extsi %x : i32 to i64
  %m = arith.muli %x1, %m64 : i64
  %y1 = arith.extsi %y : i32 to i64
  %n = arith.muli %y1, %m128 : i64
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x128xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %ta = tile.view_load %a[%m, %i1] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %tb = tile.view_load %b[%i1, %n] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x128xf16>
    %r = tile.dot %ta, %tb, %acc
        : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %r : tensor<64x128xf32>
  }
  %h = arith.truncf %sum : tensor<64x128xf32> to tensor<64x128xf16>
  tile.view_store %h, %c[%m, %n] strides [%s, %one] bounds [%rows, %columns]
      axes [0, 1] : tensor<64x128xf16>, !tile.ptr<f16>[i64, i64]
  return
}

// -----

// The first factor has rows of 64 bytes, whose place would take boxes of half
// the width: the tile gets memory of its own.

// CHECK-LABEL: func.func @shallow(
// CHECK:         tgpu.bulk_store %{{.*}} to %{{.*}} at[%{{.*}}, %{{.*}}] rows 16 swizzle 128 : tensor<64x64xf16>
func.func @shallow(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                   %b: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                   %c: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %k: i32,
                   %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %ta = tile.view_load %a[%zero, %i1] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x32xf16>
    %tb = tile.view_load %b[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<32x64xf16>
    %r = tile.dot %ta, %tb, %acc
        : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  tile.view_store %h, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf16>, !tile.ptr<f16>[i64, i64]
  return
}

// -----

// Each of these differs from one that is stored in bulk in what the remark says.

func.func @unaligned_rows(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                          %c: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                          %k: i32, %u: i64,
                          %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %t, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark@+1 {{a stride is not known to be a multiple of 16 bytes}}
  tile.view_store %h, %c[%zero, %zero] strides [%u, %one] bounds [] axes []
      : tensor<64x64xf16>, !tile.ptr<f16>[i64, i64]
  return
}

// -----

func.func @columns(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                   %c: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                   %k: i32, %u: i64,
                   %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %t, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark@+1 {{its columns are contiguous, not its rows}}
  tile.view_store %h, %c[%zero, %zero] strides [%one, %s] bounds [] axes []
      : tensor<64x64xf16>, !tile.ptr<f16>[i64, i64]
  return
}

// -----

func.func @masked(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %c: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %k: i32, %u: i64,
                  %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %on = arith.constant dense<true> : tensor<64x64xi1>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %t, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark@+1 {{it has a mask}}
  tile.view_store %h, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      mask %on : tensor<64x64xi1> : tensor<64x64xf16>, !tile.ptr<f16>[i64, i64]
  return
}

// -----

func.func @cached(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %c: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %k: i32, %u: i64,
                  %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %t, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark@+1 {{it treats caches in a way of its own}}
  tile.view_store %h, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      {cache = 3 : i32} : tensor<64x64xf16>, !tile.ptr<f16>[i64, i64]
  return
}

// -----

func.func @bound_of_an_instance(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                                %c: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                                %k: i32, %u: i64,
                                %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %p0 = tile.program_id axis 0
  %p = arith.extsi %p0 : i32 to i64
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %t, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark@+1 {{a bound differs between instances}}
  tile.view_store %h, %c[%zero, %zero] strides [%s, %one] bounds [%p] axes [0]
      : tensor<64x64xf16>, !tile.ptr<f16>[i64, i64]
  return
}

// -----

func.func @read_after(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                      %c: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                      %k: i32, %u: i64,
                      %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %t, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark@+1 {{the kernel may touch what it writes otherwise}}
  tile.view_store %h, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf16>, !tile.ptr<f16>[i64, i64]
  %q = tile.load %c : !tile.ptr<f16> -> f16
  tile.store %a, %q : !tile.ptr<f16>, f16
  return
}

// -----

func.func @signalled(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %c: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                     %k: i32, %u: i64,
                     %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %t, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  // expected-remark@+1 {{the kernel may touch what it writes otherwise}}
  tile.view_store %h, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf16>, !tile.ptr<f16>[i64, i64]
  tile.barrier
  return
}
