// RUN: tesela-opt %s --nvidia-specialise-warps=explain=true \
// RUN:   --split-input-file --verify-diagnostics

// Each kernel differs from one that is specialised in what the remark says.

func.func @unaligned_stride(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                            %c: !tile.ptr<f32>, %k: i32, %s: i64)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    // expected-remark@+1 {{a stride is not known to be a multiple of 16 bytes}}
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %x, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

func.func @unaligned_base(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %k: i32,
                          %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    // expected-remark@+1 {{its base is not known to be a multiple of 16 bytes}}
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %x, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

func.func @written_before(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                          %c: !tile.ptr<f32>, %k: i32,
                          %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  tile.view_store %init, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    // expected-remark@+1 {{the kernel may have written what it reads}}
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %x, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

func.func @bound_of_an_instance(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                                %c: !tile.ptr<f32>, %k: i32,
                                %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %pid = tile.program_id axis 0
  %n = arith.extsi %pid : i32 to i64
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    // expected-remark@+1 {{a bound differs between instances}}
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [%n] axes [0]
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %x, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

func.func @coordinate_from_memory(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                                  %table: !tile.ptr<i32>,
                                  %c: !tile.ptr<f32>, %k: i32,
                                  %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %at = tile.load %table : !tile.ptr<i32> -> i32
    %i1 = arith.extsi %at : i32 to i64
    // expected-remark@+1 {{a coordinate may be out of a tensor map's reach}}
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %r = tile.dot %x, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}

// -----

func.func @used_otherwise(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                          %c: !tile.ptr<f16>, %k: i32,
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
    // expected-remark@+1 {{not only products use it}}
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f16>[i64, i64] -> tensor<64x64xf16>
    %x = arith.addf %t, %t : tensor<64x64xf16>
    %r = tile.dot %x, %t, %acc
        : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  tile.view_store %half, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf16>, !tile.ptr<f16>[i64, i64]
  return
}

// -----

func.func @few_rows(%a: tensor<32x64xf16>, %b: tensor<64x64xf16>,
                    %c: tensor<32x64xf32>) attributes {tile.kernel} {
  // expected-remark@+1 {{its rows are no multiple of 64}}
  %r = tile.dot %a, %b, %c
      : tensor<32x64xf16>, tensor<64x64xf16>, tensor<32x64xf32>
  return
}

// -----

func.func @exact(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>,
                 %c: tensor<64x64xf32>) attributes {tile.kernel} {
  // expected-remark@+1 {{no asynchronous product has these element types}}
  %r = tile.dot %a, %b, %c precision ieee
      : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

func.func @across_the_depth(%a: !tile.ptr<f32> {tile.divisibility = 16 : i64},
                            %c: !tile.ptr<f32>, %k: i32,
                            %s: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<64x64xf32>
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %init)
      -> (tensor<64x64xf32>) : i32 {
    %i1 = arith.extsi %i : i32 to i64
    // expected-remark@+1 {{only elements of 16 bits may be contiguous across}}
    %t = tile.view_load %a[%i1, %zero] strides [%s, %one] bounds [] axes []
        : !tile.ptr<f32>[i64, i64] -> tensor<64x64xf32>
    %r = tile.dot %x, %t, %acc
        : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  tile.view_store %sum, %c[%zero, %zero] strides [%s, %one] bounds [] axes []
      : tensor<64x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}
