// RUN: tesela-opt %s -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(nvidia-llvm,emit-ptx)' | FileCheck %s

// Loads of 16 bytes stay whole, products and sums fuse, tensor maps are read
// where they are, and the kernel's attributes are directives.

// CHECK:      .target sm_90a
// CHECK-NOT:  debug
// CHECK:      .visible .entry add(
// CHECK:      .param .u64 .ptr .global .align 16 add_param_0
// CHECK:      .param .align 64 .b8 add_param_4[128]
// CHECK:      .reqntid 128
// CHECK-NOT:  .local
// CHECK:      .loc
// CHECK:      ld.global.v4.b32
// CHECK:      ld.global.v4.b32
// CHECK-COUNT-4: fma.rn.f32
// CHECK:      st.global.v4.b32
// CHECK:      bar.sync
func.func @add(%x: !llvm.ptr<1> {llvm.align = 16 : i64}, %y: !llvm.ptr<1>,
               %o: !llvm.ptr<1>, %n: i32,
               %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>,
                                llvm.align = 64 : i64})
    attributes {tile.kernel, nvvm.reqntid = array<i32: 128>} {
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %c4 = arith.constant 4 : i32
  %c512 = arith.constant 512 : i32
  %start = arith.muli %block, %c512 : i32
  %own = arith.muli %thread, %c4 : i32
  %at = arith.addi %start, %own : i32
  %inside = arith.cmpi slt, %at, %n : i32
  %px = llvm.getelementptr %x[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %py = llvm.getelementptr %y[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %po = llvm.getelementptr %o[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  scf.if %inside {
    %a = llvm.load %px {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %b = llvm.load %py {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %m = arith.mulf %a, %a : vector<4xf32>
    %s = arith.addf %m, %b : vector<4xf32>
    llvm.store %s, %po {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
  }
  nvvm.barrier0
  return
}
