//===- CpuDotOperandsTest.cpp - how products come to their operands -------===//
//
// In place, copied, kept from instance to instance, or read as they go.
//
//===----------------------------------------------------------------------===//

#include "CpuTile.h"

#include <gtest/gtest.h>

#include <tuple>

using namespace tesela::test;

namespace {

void replaceAll(std::string &text, const std::string &from,
                const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
}

/// A product of blocks of ROWS x 32 with a K loop of 16 at a time. The first
/// axis of the grid runs along the rows. BOUNDS_X and the like are all bounds
/// of a view, or none.
const char *const loopText = R"(
func.func @gemm(%a_ptr: !tile.ptr<T>, %b_ptr: !tile.ptr<T>,
                %c_ptr: !tile.ptr<SUM>, %m: i32, %n: i32, %k: i32, %at: i64)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %height = arith.constant ROWS : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %pm = tile.program_id axis 0
  %pn = tile.program_id axis 1
  %m32 = arith.muli %pm, %height : i32
  %n32 = arith.muli %pn, %c32 : i32
  %m64 = arith.extsi %m32 : i32 to i64
  %n64 = arith.extsi %n32 : i32 to i64
  %mm = arith.extsi %m : i32 to i64
  %nn = arith.extsi %n : i32 to i64
  %kk = arith.extsi %k : i32 to i64
  %init = arith.constant dense<ZERO> : tensor<ROWSx32xSUM>
  %acc = scf.for %kb = %c0 to %k step %c16 iter_args(%sum = %init)
      -> (tensor<ROWSx32xSUM>) : i32 {
    %k64 = arith.extsi %kb : i32 to i64
    %a = tile.view_load %a_ptr[%m64, %k64] strides [%kk, %one]
        BOUNDS_A : !tile.ptr<T>[i64, i64] -> tensor<ROWSx16xT>
    %b = tile.view_load %b_ptr[%k64, %n64] strides [%nn, %one]
        BOUNDS_B : !tile.ptr<T>[i64, i64] -> tensor<16x32xT>
    %next = tile.dot %a, %b, %sum
        : tensor<ROWSx16xT>, tensor<16x32xT>, tensor<ROWSx32xSUM>
    scf.yield %next : tensor<ROWSx32xSUM>
  }
  %row = arith.addi %m64, %at : i64
  tile.view_store %acc, TARGET[%row, %n64] strides [%nn, %one]
      BOUNDS_C : tensor<ROWSx32xSUM>, !tile.ptr<SUM>[i64, i64]
  return
}
)";

struct Product {
  int64_t m, n, k;
  int64_t rows = 32;
  std::string type = "f32";
  std::string sum = "f32";
  bool isBounded = true;
  /// Stores to the right operand, from row `at` on.
  bool overwrites = false;
  int64_t at = 0;
};

void expectProduct(const Product &p) {
  SCOPED_TRACE(testing::Message()
               << p.m << " x " << p.n << " x " << p.k << " of " << p.type
               << ", blocks of " << p.rows << " rows"
               << (p.isBounded ? ", bounded" : ""));
  std::string text = loopText;
  auto bounds = [&](const std::string &values) {
    return p.isBounded ? "bounds [" + values + "] axes [0, 1]"
                       : std::string("bounds [] axes []");
  };
  replaceAll(text, "BOUNDS_A", bounds("%mm, %kk"));
  replaceAll(text, "BOUNDS_B", bounds("%kk, %nn"));
  replaceAll(text, "BOUNDS_C",
             p.overwrites ? "bounds [] axes []" : bounds("%mm, %nn"));
  replaceAll(text, "TARGET", p.overwrites ? "%b_ptr" : "%c_ptr");
  replaceAll(text, "ROWS", std::to_string(p.rows));
  replaceAll(text, "ZERO", p.sum[0] == 'i' ? "0" : "0.0");
  replaceAll(text, "xSUM", "x" + p.sum);
  replaceAll(text, "xT", "x" + p.type);
  replaceAll(text, "<SUM>", "<" + p.sum + ">");
  replaceAll(text, "<T>", "<" + p.type + ">");
  // Behind the right operand there is room for what is stored to it.
  int64_t spare = p.overwrites ? (p.at + p.m) * p.n : 0;
  expectSame(
      text,
      {pattern(p.type, p.m * p.k, 1),
       pattern(p.type, std::max(p.k * p.n, spare), 2),
       pattern(p.sum, p.m * p.n, 3), scalar(p.m), scalar(p.n), scalar(p.k),
       scalar(p.at)},
      {int32_t((p.m + p.rows - 1) / p.rows), int32_t((p.n + 31) / 32), 1});
}

TEST(CpuDotOperandsTest, ReadsInPlaceAndKeepsOverManyChunks) {
  expectProduct({70, 40, 300});
  expectProduct({96, 64, 512, 32, "f32", "f32", false});
  // More chunks than there are places.
  expectProduct({64, 32, 5000, 32, "f16", "f32", true});
}

TEST(CpuDotOperandsTest, KeepsEveryType) {
  for (const char *type : {"f16", "bf16", "f64"})
    for (bool isBounded : {false, true})
      expectProduct({96, 64, 288, 32, type,
                     type == std::string("f64") ? "f64" : "f32", isBounded});
  expectProduct({65, 33, 290, 32, "i8", "i32"});
}

/// Blocks of more rows than registers hold, and of few.
TEST(CpuDotOperandsTest, MultipliesBlocksOfAnyHeight) {
  for (int64_t rows : {16, 64, 128})
    expectProduct({140, 40, 275, rows});
}

TEST(CpuDotOperandsTest, StreamsForFewRows) {
  for (int64_t rows : {1, 2, 4, 8})
    for (bool isBounded : {false, true})
      expectProduct({rows, 64, 48, rows, "f32", "f32", isBounded});
  for (const char *type : {"f16", "bf16", "f8E5M2"})
    expectProduct({5, 40, 41, 8, type, "f32"});
  expectProduct({3, 70, 41, 4, "i8", "i32"});
  expectProduct({3, 70, 41, 4, "f64", "f64"});
}

/// Each instance changes what the next one multiplies by.
TEST(CpuDotOperandsTest, ForgetsWhatIsOverwritten) {
  expectProduct({64, 32, 32, 32, "f32", "f32", false, true, 0});
  expectProduct({64, 32, 288, 32, "f32", "f32", false, true, 256});
  // Behind it, where nothing was read.
  expectProduct({96, 32, 288, 32, "f32", "f32", false, true, 288});
  // By few rows, which are not kept.
  expectProduct({2, 32, 32, 1, "f32", "f32", false, true, 0});
}

/// The accumulator of a product of few rows that no loop carries, and a right
/// operand with a conversion.
TEST(CpuDotOperandsTest, StreamsOneProduct) {
  expectSame(
      R"(
func.func @kernel(%a_ptr: !tile.ptr<f32>, %b_ptr: !tile.ptr<f16>,
                  %c_ptr: !tile.ptr<f32>) attributes {tile.kernel} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %a = tile.view_load %a_ptr[%z, %z] strides [%c32, %one] bounds [] axes []
      : !tile.ptr<f32>[i64, i64] -> tensor<2x32xf32>
  %b16 = tile.view_load %b_ptr[%z, %z] strides [%c32, %one] bounds [] axes []
      : !tile.ptr<f16>[i64, i64] -> tensor<32x32xf16>
  %b = arith.extf %b16 : tensor<32x32xf16> to tensor<32x32xf32>
  %twice = arith.addf %a, %a : tensor<2x32xf32>
  %p = tile.dot %a, %b, %twice
      : tensor<2x32xf32>, tensor<32x32xf32>, tensor<2x32xf32>
  %q = tile.dot %p, %b, %p
      : tensor<2x32xf32>, tensor<32x32xf32>, tensor<2x32xf32>
  %r = arith.subf %q, %p : tensor<2x32xf32>
  tile.view_store %r, %c_ptr[%z, %z] strides [%c32, %one] bounds [] axes []
      : tensor<2x32xf32>, !tile.ptr<f32>[i64, i64]
  return
}
)",
      {pattern("f32", 64, 1), pattern("f16", 1024, 2), pattern("f32", 64, 3)});
}

/// Two products an iteration, as attention has them: of rows by 16 columns that
/// are the same for all rows of the grid, and of the result by 16 rows. The
/// first axis of the grid runs along the rows.
const char *const keysText = R"(
func.func @attend(%q_ptr: !tile.ptr<f32>, %k_ptr: !tile.ptr<T>,
                  %v_ptr: !tile.ptr<T>, %o_ptr: !tile.ptr<f32>, %n: i32,
                  %at: i64) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %c64 = arith.constant 64 : i64
  %pm = tile.program_id axis 0
  %m32 = arith.muli %pm, %c32 : i32
  %m = arith.extsi %m32 : i32 to i64
  %nn = arith.extsi %n : i32 to i64
  %head = tile.program_id axis 1
  %head64 = arith.extsi %head : i32 to i64
  %rows = arith.muli %head64, %nn : i64
  %elements = arith.muli %rows, %c8 : i64
  %k_head = tile.addptr %k_ptr, %elements : !tile.ptr<T>, i64
  %q = tile.view_load %q_ptr[%m, %z] strides [%c8, %one] bounds [] axes []
      : !tile.ptr<f32>[i64, i64] -> tensor<32x8xf32>
  %none = arith.constant dense<0.0> : tensor<32x32xf32>
  %init = arith.constant dense<1.0> : tensor<32x64xf32>
  %acc = scf.for %kb = FROM to %n step %c32 iter_args(%sum = %init)
      -> (tensor<32x64xf32>) : i32 {
    %kb64 = arith.extsi %kb : i32 to i64
    %k = tile.view_load %k_head[%kb64, %z] strides [%c8, %one]
        BOUNDS : !tile.ptr<T>[i64, i64] -> tensor<32x8xT>
    %kt = tile.permute %k [1, 0] : tensor<32x8xT> -> tensor<8x32xT>
    KEYS
    %s = tile.dot %q, %keys, %none
        : tensor<32x8xf32>, tensor<8x32xf32>, tensor<32x32xf32>
    %p = arith.negf %s : tensor<32x32xf32>
    %v = tile.view_load %v_ptr[%kb64, %z] strides [%c64, %one]
        BOUNDS : !tile.ptr<T>[i64, i64] -> tensor<32x64xT>
    VALUES
    %old = arith.negf %sum : tensor<32x64xf32>
    %next = tile.dot %p, %values, %old
        : tensor<32x32xf32>, tensor<32x64xf32>, tensor<32x64xf32>
    scf.yield %next : tensor<32x64xf32>
  }
  %row = arith.addi %m, %at : i64
  %minus = arith.negf %init : tensor<32x64xf32>
  %up = arith.cmpf ogt, %acc, %init : tensor<32x64xf32>
  %sign = arith.select %up, %init, %minus
      : tensor<32x64xi1>, tensor<32x64xf32>
  tile.view_store RESULT, TARGET[%row, %z] strides [%c64, %one]
      bounds [] axes [] : tensor<32x64xf32>, !tile.ptr<f32>[i64, i64]
  return
}
)";

struct Keys {
  int64_t blocks, count;
  int32_t heads = 1;
  std::string type = "f32";
  bool isBounded = false;
  std::string from = "%c0";
  /// Stores the signs of the results to the values, from row `at` on.
  bool overwrites = false;
  int64_t at = 0;
};

void expectAttended(const Keys &k) {
  SCOPED_TRACE(testing::Message()
               << k.blocks << " blocks, " << k.count << " keys of " << k.type);
  std::string text = keysText;
  replaceAll(text, "BOUNDS",
             k.isBounded ? "bounds [%nn] axes [0]" : "bounds [] axes []");
  for (auto [name, from, to, shape] :
       {std::tuple("KEYS", "%kt", "%keys", "8x32x"),
        std::tuple("VALUES", "%v", "%values", "32x64x")}) {
    std::string source = std::string("tensor<") + shape + k.type + ">";
    std::string target = std::string("tensor<") + shape + "f32>";
    if (k.type == "f32")
      replaceAll(text, to, from);
    replaceAll(text, name,
               k.type == "f32" ? std::string()
                               : std::string(to) + " = arith.extf " + from +
                                     " : " + source + " to " + target);
  }
  replaceAll(text, "FROM", k.from);
  replaceAll(text, "TARGET", k.overwrites ? "%v_ptr" : "%o_ptr");
  replaceAll(text, "RESULT", k.overwrites ? "%sign" : "%acc");
  replaceAll(text, "xT", "x" + k.type);
  replaceAll(text, "<T>", "<" + k.type + ">");
  int64_t rows = 32 * k.blocks;
  int64_t spare = k.overwrites ? k.at + rows : 0;
  expectSame(text,
             {pattern("f32", rows * 8, 1),
              pattern(k.type, k.count * 8 * k.heads, 2),
              pattern(k.type, std::max(k.count, spare) * 64, 3),
              pattern("f32", rows * 64, 4), scalar(k.count), scalar(k.at)},
             {int32_t(k.blocks), k.heads, 1});
}

TEST(CpuDotOperandsTest, KeepsWhatEachIterationMultipliesBy) {
  expectAttended({3, 96});
  expectAttended({3, 96, 2});
  expectAttended({3, 70, 2, "f32", true});
  // From elsewhere on, and more iterations than there are places.
  expectAttended({2, 96, 1, "f32", false, "%c32"});
  expectAttended({2, 32 * 70, 1});
  for (const char *type : {"f16", "bf16"})
    for (bool isBounded : {false, true})
      expectAttended({2, 96, 2, type, isBounded});
}

/// Each instance changes what the next one multiplies by.
TEST(CpuDotOperandsTest, ForgetsWhatIterationsMultiplyBy) {
  expectAttended({3, 96, 1, "f32", false, "%c0", true, 0});
  expectAttended({3, 96, 1, "f32", true, "%c0", true, 70});
  // Behind it, where nothing was read.
  expectAttended({3, 96, 1, "f32", false, "%c0", true, 96});
}

} // namespace
