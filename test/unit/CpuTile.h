//===- CpuTile.h - a kernel on the CPU beside the reference ---------------===//

#ifndef TESELA_TEST_UNIT_CPUTILE_H
#define TESELA_TEST_UNIT_CPUTILE_H

#include "TileKernel.h"

#include <array>
#include <string>
#include <vector>

namespace tesela::test {

/// An argument of a launch: memory, or the bits of a scalar.
struct LaunchArgument {
  bool isPointer = false;
  std::string type;
  Bits bits;
};

/// `count` elements of `type`: small whole numbers of both signs that follow a
/// pattern, exact in every type.
LaunchArgument pattern(const std::string &type, int64_t count, int seed = 1);
LaunchArgument memory(const std::string &type,
                      const std::vector<double> &numbers);
LaunchArgument scalar(int64_t value);

/// How the kernel is compiled.
struct CpuCompilation {
  /// Raise accesses to views first.
  bool raise = true;
  bool general = false;
  /// Zero takes the host's.
  unsigned vectorBytes = 0;
  unsigned vectorRegisters = 0;
  /// One has all stores that can do so go past the caches.
  uint64_t cacheBytes = 0;
};

/// Runs a kernel on the CPU and gives what its memory holds afterwards. Fails
/// the test, and gives nothing, where it can't be compiled.
std::vector<Bits> runOnCpu(const std::string &text,
                           const std::vector<LaunchArgument> &arguments,
                           std::array<int32_t, 3> grid,
                           const CpuCompilation &how = {});

/// Runs a kernel on the reference evaluator.
std::vector<Bits> runOnReference(const std::string &text,
                                 const std::vector<LaunchArgument> &arguments,
                                 std::array<int32_t, 3> grid);

/// Expects that the CPU and the reference agree, bit for bit (or, of floats, up
/// to `tolerance` relative to 1), with and without views, with short and long
/// vectors, and with stores past the caches.
void expectSame(const std::string &text,
                const std::vector<LaunchArgument> &arguments,
                std::array<int32_t, 3> grid = {1, 1, 1}, double tolerance = 0);

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_CPUTILE_H
