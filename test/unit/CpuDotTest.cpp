//===- CpuDotTest.cpp - matrix products on the CPU ------------------------===//

#include "CpuTile.h"

#include <gtest/gtest.h>

using namespace tesela::test;

namespace {

std::string dims(std::initializer_list<int64_t> extents) {
  std::string text;
  for (int64_t extent : extents)
    text += std::to_string(extent) + "x";
  return text;
}

/// Loads (with a view over all of it) a row-major matrix.
std::string loadMatrix(const std::string &name, int64_t rows, int64_t columns,
                       const std::string &type) {
  return "  " + name + "_s = arith.constant " + std::to_string(columns) +
         " : i64\n  " + name + " = tile.view_load " + name +
         "_ptr[%zero, %zero] strides [" + name +
         "_s, %one] bounds [] axes [] : !tile.ptr<" + type +
         ">[i64, i64] -> tensor<" + dims({rows, columns}) + type + ">\n";
}

/// c += a * b of whole matrices.
std::string product(int64_t m, int64_t n, int64_t k, const std::string &type,
                    const std::string &sum) {
  return "func.func @kernel(%a_ptr: !tile.ptr<" + type +
         ">, %b_ptr: !tile.ptr<" + type + ">, %c_ptr: !tile.ptr<" + sum +
         ">) attributes {tile.kernel} {\n  %zero = arith.constant 0 : i64\n"
         "  %one = arith.constant 1 : i64\n" +
         loadMatrix("%a", m, k, type) + loadMatrix("%b", k, n, type) +
         loadMatrix("%c", m, n, sum) + "  %r = tile.dot %a, %b, %c : tensor<" +
         dims({m, k}) + type + ">, tensor<" + dims({k, n}) + type +
         ">, tensor<" + dims({m, n}) + sum +
         ">\n  tile.view_store %r, %c_ptr[%zero, %zero] strides [%c_s, %one] "
         "bounds [] axes [] : tensor<" +
         dims({m, n}) + sum + ">, !tile.ptr<" + sum +
         ">[i64, i64]\n  return\n}\n";
}

void expectProduct(int64_t m, int64_t n, int64_t k, const std::string &type,
                   const std::string &sum) {
  SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << " of "
                                  << type << " to " << sum);
  expectSame(product(m, n, k, type, sum),
             {pattern(type, m * k, 1), pattern(type, k * n, 2),
              pattern(sum, m * n, 3)});
}

TEST(CpuDotTest, MultipliesEverySize) {
  for (int64_t m : {1, 6, 40})
    for (int64_t n : {1, 4, 48})
      for (int64_t k : {1, 16})
        expectProduct(m, n, k, "f32", "f32");
}

TEST(CpuDotTest, MultipliesEveryType) {
  expectProduct(16, 16, 16, "f16", "f32");
  expectProduct(16, 16, 16, "bf16", "f32");
  expectProduct(16, 16, 16, "f16", "f16");
  expectProduct(16, 16, 16, "f8E4M3FN", "f32");
  expectProduct(16, 16, 16, "f8E5M2", "f32");
  expectProduct(16, 16, 16, "f64", "f64");
  expectProduct(16, 16, 16, "i8", "i32");
  expectProduct(16, 16, 16, "i32", "i32");
}

/// The seeds' matrix product, with sizes that end within a block.
std::string gemm(const std::string &type, bool transposeB) {
  std::string b = transposeB ? "[%n64, %k64] strides [%sb, %one] bounds [%nn, "
                               "%kk] axes [0, 1] : !tile.ptr<T>[i64, i64] -> "
                               "tensor<32x16xT>"
                             : "[%k64, %n64] strides [%sb, %one] bounds [%kk, "
                               "%nn] axes [0, 1] : !tile.ptr<T>[i64, i64] -> "
                               "tensor<16x32xT>";
  std::string operand =
      transposeB ? "    %b = tile.view_load %b_ptr" + b +
                       "\n    %bt = tile.permute %b [1, 0] : tensor<32x16xT> "
                       "-> tensor<16x32xT>\n"
                 : "    %bt = tile.view_load %b_ptr" + b + "\n";
  std::string text = R"(
func.func @gemm(%a_ptr: !tile.ptr<T>, %b_ptr: !tile.ptr<T>,
                %c_ptr: !tile.ptr<f32>, %m: i32, %n: i32, %k: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %pm = tile.program_id axis 0
  %pn = tile.program_id axis 1
  %m32 = arith.muli %pm, %c32 : i32
  %n32 = arith.muli %pn, %c32 : i32
  %m64 = arith.extsi %m32 : i32 to i64
  %n64 = arith.extsi %n32 : i32 to i64
  %mm = arith.extsi %m : i32 to i64
  %nn = arith.extsi %n : i32 to i64
  %kk = arith.extsi %k : i32 to i64
)";
  text += transposeB ? "  %sb = arith.addi %kk, %c0_64 : i64\n"
                     : "  %sb = arith.addi %nn, %c0_64 : i64\n";
  text.insert(text.find("  %one ="), "  %c0_64 = arith.constant 0 : i64\n");
  text += R"(  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %acc = scf.for %kb = %c0 to %k step %c16 iter_args(%sum = %init)
      -> (tensor<32x32xf32>) : i32 {
    %k64 = arith.extsi %kb : i32 to i64
    %a = tile.view_load %a_ptr[%m64, %k64] strides [%kk, %one]
        bounds [%mm, %kk] axes [0, 1] : !tile.ptr<T>[i64, i64]
        -> tensor<32x16xT>
)" + operand +
          R"(    %next = tile.dot %a, %bt, %sum
        : tensor<32x16xT>, tensor<16x32xT>, tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  tile.view_store %acc, %c_ptr[%m64, %n64] strides [%nn, %one]
      bounds [%mm, %nn] axes [0, 1]
      : tensor<32x32xf32>, !tile.ptr<f32>[i64, i64]
  return
}
)";
  for (size_t at = 0; (at = text.find("T", at)) != std::string::npos;)
    text.replace(at, 1, type);
  return text;
}

TEST(CpuDotTest, MultipliesLargeMatrices) {
  for (const char *type : {"f32", "f16", "bf16", "f8E5M2"})
    for (bool transposeB : {false, true}) {
      SCOPED_TRACE(type);
      int64_t m = 50, n = 75, k = 41;
      expectSame(gemm(type, transposeB),
                 {pattern(type, m * k, 1), pattern(type, k * n, 2),
                  pattern("f32", m * n, 3), scalar(m), scalar(n), scalar(k)},
                 {2, 3, 1});
    }
}

/// Batches, a fused accumulator, and results that are read several times.
TEST(CpuDotTest, MultipliesBatches) {
  const char *text = R"(
func.func @kernel(%a_ptr: !tile.ptr<f32>, %b_ptr: !tile.ptr<f32>,
                  %c_ptr: !tile.ptr<f32>) attributes {tile.kernel} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %c64 = arith.constant 64 : i64
  %a = tile.view_load %a_ptr[%z, %z, %z] strides [%c64, %c8, %one] bounds []
      axes [] : !tile.ptr<f32>[i64, i64, i64] -> tensor<4x8x8xf32>
  %b = tile.view_load %b_ptr[%z, %z, %z] strides [%c64, %c8, %one] bounds []
      axes [] : !tile.ptr<f32>[i64, i64, i64] -> tensor<4x8x8xf32>
  %twice = arith.addf %a, %a : tensor<4x8x8xf32>
  %p = tile.dot %a, %b, %twice
      : tensor<4x8x8xf32>, tensor<4x8x8xf32>, tensor<4x8x8xf32>
  %q = tile.dot %p, %p, %p
      : tensor<4x8x8xf32>, tensor<4x8x8xf32>, tensor<4x8x8xf32>
  %r = arith.subf %q, %p : tensor<4x8x8xf32>
  tile.view_store %r, %c_ptr[%z, %z, %z] strides [%c64, %c8, %one] bounds []
      axes [] : tensor<4x8x8xf32>, !tile.ptr<f32>[i64, i64, i64]
  return
}
)";
  expectSame(text, {pattern("f32", 256, 1), pattern("f32", 256, 2),
                    pattern("f32", 256, 3)});
}

} // namespace
