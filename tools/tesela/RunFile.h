//===- RunFile.h - the test lines of a file of kernels --------------------===//
//
//   # run:    add[grid=4](x=f32[1000]:iota, y=f32[1000]:2, out=f32[1024]:-1,
//   #                     n=1000, BLOCK=256) ulp=1
//   # expect: out[0:4]      == 2 3 4 5
//   # expect: out[998:1002] == 1000 1001 -1 -1
//   # expect: error launch-grid
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TOOLS_TESELA_RUNFILE_H
#define TESELA_TOOLS_TESELA_RUNFILE_H

#include "Formula.h"
#include "tesela/tesela.h"

#include <optional>
#include <string>
#include <vector>

namespace tesela::cli {

/// An argument of a run: a buffer, or a scalar or constant.
struct RunArgument {
  std::string name;
  bool isBuffer = false;
  bool readOnly = false;
  std::optional<DType> dtype;
  std::vector<uint64_t> shape;
  /// Of a buffer.
  Formula contents;
  /// Of anything else.
  Object value;

  uint64_t size() const;
  uint64_t columns() const { return shape.empty() ? 1 : shape.back(); }
};

/// `out[0:4] == 1 2 3 4` and its like.
struct Expectation {
  int line = 0;
  std::string text;
  /// The id of the error that the run must end in; empty for a value.
  std::string error;
  std::string buffer;
  /// From, to; one pair an axis. All of the buffer where empty.
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  /// A formula's `iota` counts elements of the buffer, a list those expected.
  Formula values;
  uint64_t ulp = 0;
  /// Absolute and relative; either will do.
  std::optional<double> tolerance;
};

struct RunLine {
  int line = 0;
  std::string text;
  std::string kernel;
  Grid grid;
  LaunchOptions options;
  std::vector<RunArgument> arguments;
  /// How far apart floats of two targets may be.
  uint64_t ulp = 0;
  std::vector<Expectation> expectations;
};

struct RunFile {
  std::string path;
  std::vector<RunLine> runs;
};

/// Nothing, with `FILE:LINE: …` in `error`, where the file can't be read or a
/// line of it makes no sense.
std::optional<RunFile> readRunFile(const std::string &path, std::string &error);

} // namespace tesela::cli

#endif // TESELA_TOOLS_TESELA_RUNFILE_H
