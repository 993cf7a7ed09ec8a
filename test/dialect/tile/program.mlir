// RUN: tesela-opt %s | tesela-opt | FileCheck %s

// CHECK-LABEL: @grid
func.func @grid() -> (i32, i32) {
  // CHECK: tile.program_id axis 2
  %id = tile.program_id axis 2
  // CHECK: tile.num_programs axis 0
  %n = tile.num_programs axis 0
  // CHECK: tile.barrier
  tile.barrier
  return %id, %n : i32, i32
}

// CHECK-LABEL: @pointers
// CHECK-SAME: !tile.ptr<f32>, %{{.*}}: !tile.ptr<!tile.ptr<i8>>
func.func @pointers(%p: !tile.ptr<f32>, %q: !tile.ptr<!tile.ptr<i8>>) {
  return
}
