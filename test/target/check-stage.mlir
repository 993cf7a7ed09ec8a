// RUN: tesela-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(check-stage{stage=math})'

// An elementary function is left; its instruction may stay.

func.func @exp_is_left(%x: vector<8xf32>) -> vector<8xf32> {
  %s = math.sqrt %x : vector<8xf32>
  // expected-error @+1 {{`math.exp` is left after the stage `math`}}
  %y = math.exp %s : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// A tile is left.

func.func @tile_is_left(%x: i32) {
  // expected-error @+1 {{`tile.splat` is left after the stage `math`}}
  %s = tile.splat %x : tensor<8xi32>
  return
}
