//===- RandomKernel.h - valid kernels from a seed -------------------------===//
//
// Kernels as emission would write them: coordinates from program ids, masked
// loads and stores through pointers of several forms, elementwise arithmetic,
// reductions, products, shape ops, loops that carry tiles and pointers,
// branches, buffers that are read and written through several arguments. Every
// result is exact whatever the order of additions and whether or not they are
// fused: the generator keeps a bound and a scale for each float and takes only
// ops whose result its type holds. No zero is negative when it is stored. So
// any two right implementations agree in every bit.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TEST_GENERATE_RANDOMKERNEL_H
#define TESELA_TEST_GENERATE_RANDOMKERNEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tesela::test {

/// Memory behind a pointer argument.
struct Buffer {
  /// Of its elements, as in IR.
  std::string type;
  /// What stands in it before the launch.
  std::string bytes;
  /// Starts at a multiple of 64; else at one element after it.
  bool isAligned = true;
};

/// A pointer into a buffer, or the bits of a scalar.
struct Argument {
  bool isPointer = false;
  /// Its index among the buffers. Several arguments may share one.
  size_t buffer = 0;
  uint64_t bits = 0;
  /// Which element of the buffer it points at.
  int64_t offset = 0;
};

struct RandomKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::array<int32_t, 3> grid = {1, 1, 1};
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
  /// Steps that it was made of, before the stores at its end.
  unsigned steps = 0;
};

struct RandomKernelOptions {
  /// At most that many steps: a prefix of the kernel of this seed.
  unsigned maxSteps = ~0u;
  /// Some accesses are views already.
  bool views = false;
};

/// The kernel of this seed, the same in every run on every machine.
RandomKernel generateKernel(mlir::MLIRContext &context, uint64_t seed,
                            RandomKernelOptions options = {});

} // namespace tesela::test

#endif // TESELA_TEST_GENERATE_RANDOMKERNEL_H
