//===- CpuStreamingTest.cpp - stores past the caches ----------------------===//

#include "CpuTile.h"

#include <gtest/gtest.h>

using namespace tesela::test;

namespace {

/// Twice x, row by row, each in a loop over its first `%n` columns; rows are
/// `%stride` elements apart and start `%shift` elements into the memory.
std::string rows(const std::string &type, const std::string &two) {
  std::string text = R"(
func.func @kernel(%x: !tile.ptr<T>, %out: !tile.ptr<T>, %count: i64,
                  %n: i64, %stride: i64, %shift: i64) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %pid = tile.program_id axis 0
  %block = arith.extsi %pid : i32 to i64
  %skipped = arith.muli %block, %count : i64
  scf.for %i = %zero to %count step %one : i64 {
    %row = arith.addi %skipped, %i : i64
    %before = arith.muli %row, %stride : i64
    %start = arith.addi %before, %shift : i64
    %end = arith.addi %start, %n : i64
    %v = tile.view_load %x[%start] strides [%one] bounds [%end] axes [0]
        : !tile.ptr<T>[i64] -> tensor<256xT>
    %w = )" + two + R"(
    tile.view_store %w, %out[%start] strides [%one] bounds [%end] axes [0]
        : tensor<256xT>, !tile.ptr<T>[i64]
  }
  return
}
)";
  for (size_t at = 0; (at = text.find('T', at)) != std::string::npos;)
    text.replace(at, 1, type);
  return text;
}

/// Starts that are aligned and others, whole rows and parts of them.
void expectRows(const std::string &type, const std::string &two) {
  for (auto [n, stride, shift] : {std::array<int64_t, 3>{256, 256, 0},
                                  {256, 260, 0},
                                  {256, 256, 3},
                                  {255, 256, 0},
                                  {100, 100, 4},
                                  {1, 1, 0},
                                  {0, 7, 1}}) {
    SCOPED_TRACE(testing::Message() << type << ", rows of " << n << ", "
                                    << stride << " apart, from " << shift);
    int64_t total = 6 * stride + shift + 256;
    expectSame(rows(type, two),
               {pattern(type, total, 1), pattern(type, total, 2), scalar(3),
                scalar(n), scalar(stride), scalar(shift)},
               {2, 1, 1});
  }
}

TEST(CpuStreaming, WritesRowsOfAnyStartAndLength) {
  for (const char *type : {"f32", "f64", "bf16", "f16"})
    expectRows(type, "arith.addf %v, %v : tensor<256xT>");
  for (const char *type : {"i8", "i32"})
    expectRows(type, "arith.addi %v, %v : tensor<256xT>");
}

/// What one instance writes past the caches, the next one reads.
TEST(CpuStreaming, IsSeenByWhatComesAfter) {
  expectSame(R"(
func.func @kernel(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c256 = arith.constant 256 : i64
  %v = tile.view_load %x[%zero] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<256xf32>
  tile.view_store %v, %y[%zero] strides [%one] bounds [] axes []
      : tensor<256xf32>, !tile.ptr<f32>[i64]
  %w = tile.view_load %x[%c256] strides [%one] bounds [] axes []
      : !tile.ptr<f32>[i64] -> tensor<256xf32>
  %sum = arith.addf %v, %w : tensor<256xf32>
  tile.view_store %sum, %y[%c256] strides [%one] bounds [] axes []
      : tensor<256xf32>, !tile.ptr<f32>[i64]
  return
}
)",
             {pattern("f32", 512, 1), pattern("f32", 512, 2)}, {3, 1, 1});
}

} // namespace
