// RUN: tesela-opt %s --split-input-file --verify-diagnostics -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(nvidia-llvm,emit-ptx)'

// No library computes what we have no code for.

func.func @wide(%p: !llvm.ptr<1>) attributes {tile.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f80
  // expected-error @+1 {{'math.acos' op has no code for 'f80'}}
  %y = math.acos %x : f80
  llvm.store %y, %p : f80, !llvm.ptr<1>
  return
}

// -----

// expected-error @+1 {{`helper` is called, which no GPU has}}
module {
  func.func private @helper(f32) -> f32
  func.func @calls(%p: !llvm.ptr<1>) attributes {tile.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = func.call @helper(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    return
  }
}

// -----

// expected-error @+1 {{is called, which no GPU has}}
module {
  llvm.func @intrinsic(%p: !llvm.ptr<1>) attributes {tile.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
