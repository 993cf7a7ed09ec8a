// RUN: tesela-opt %s --verify-diagnostics --split-input-file

func.func @axis() {
  // expected-error @+1 {{'axis' failed to satisfy constraint}}
  %id = tile.program_id axis 3
  return
}

// -----

func.func @axis_of_extent() {
  // expected-error @+1 {{'axis' failed to satisfy constraint}}
  %n = tile.num_programs axis -1
  return
}

// -----

// expected-error @+1 {{nothing of type 'i1' lies in memory}}
func.func @pointer_to_boolean(%p: !tile.ptr<i1>) {
  return
}

// -----

// expected-error @+1 {{nothing of type 'i24' lies in memory}}
func.func @pointer_to_odd_integer(%p: !tile.ptr<i24>) {
  return
}

// -----

// expected-error @+1 {{nothing of type 'tensor<4xf32>' lies in memory}}
func.func @pointer_to_tile(%p: !tile.ptr<tensor<4xf32>>) {
  return
}
