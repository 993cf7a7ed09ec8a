//===- EvaluateKernelsTest.cpp - memory, control flow, errors -------------===//

#include "unit/TileKernel.h"

#include "interp/Evaluator.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tesela::test;
using testing::Test;

namespace {

std::vector<float> counting(size_t count) {
  std::vector<float> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  return numbers;
}

TEST(EvaluateKernels, EveryInstanceOfTheGrid) {
  const char *text = R"(
    func.func @k(%out: !tile.ptr<i32>) attributes {tile.kernel} {
      %x = tile.program_id axis 0
      %y = tile.program_id axis 1
      %z = tile.program_id axis 2
      %nx = tile.num_programs axis 0
      %ny = tile.num_programs axis 1
      %yz = arith.muli %z, %ny : i32
      %row = arith.addi %yz, %y : i32
      %start = arith.muli %row, %nx : i32
      %i = arith.addi %start, %x : i32
      %p = tile.addptr %out, %i : !tile.ptr<i32>, i32
      tile.store %p, %i : !tile.ptr<i32>, i32
      return
    })";
  std::string error;
  auto module = parseTile(text, error);
  ASSERT_TRUE(module) << error;
  std::vector<int32_t> out(2 * 3 * 4 + 1, -1);
  std::string arguments =
      packArguments(findKernel(*module), {address(out.data())});
  ASSERT_TRUE(tesela::interp::evaluate(findKernel(*module), {4, 3, 2},
                                       arguments.data(), error))
      << error;
  for (int i = 0; i != 24; ++i)
    EXPECT_EQ(out[i], i);
  EXPECT_EQ(out[24], -1);
}

TEST(EvaluateKernels, ArgumentsOfEveryWidth) {
  const char *text = R"(
    func.func @k(%b: i1, %s: i8, %p: !tile.ptr<i64>, %h: f16, %d: f64)
        attributes {tile.kernel} {
      %w = arith.extsi %s : i8 to i64
      %wide = arith.extf %h : f16 to f64
      %sum = arith.addf %wide, %d : f64
      %n = tile.fptosi %sum : f64 -> i64
      %r = arith.select %b, %w, %n : i64
      tile.store %p, %r : !tile.ptr<i64>, i64
      return
    })";
  std::string error;
  auto module = parseTile(text, error);
  ASSERT_TRUE(module) << error;
  auto kernel = findKernel(*module);
  EXPECT_EQ(tesela::interp::argumentLayout(kernel).bytes, 32u);
  uint64_t half = toBits("f16", {1.5})[0], number = toBits("f64", {40})[0];
  for (uint64_t flag : {0, 1}) {
    int64_t out = 0;
    std::string arguments =
        packArguments(kernel, {flag, 0xf0, address(&out), half, number});
    ASSERT_TRUE(
        tesela::interp::evaluate(kernel, {1, 1, 1}, arguments.data(), error));
    EXPECT_EQ(out, flag ? -16 : 41);
  }
}

TEST(EvaluateKernels, MaskedLoadsAndStores) {
  const char *text = R"(
    func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>)
        attributes {tile.kernel} {
      %i = tile.iota 0 : tensor<8xi32>
      %five = arith.constant dense<5> : tensor<8xi32>
      %m = arith.cmpi slt, %i, %five : tensor<8xi32>
      %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
      %px = tile.addptr %xs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
      %minus = arith.constant dense<-2.0> : tensor<8xf32>
      %a = tile.load %px mask %m : tensor<8xi1> other %minus : tensor<8xf32>
          : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
      %b = tile.load %px mask %m : tensor<8xi1>
          : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
      %ys = tile.splat %y : tensor<8x!tile.ptr<f32>>
      %py = tile.addptr %ys, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
      tile.store %py, %a : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
      %zs = tile.splat %z : tensor<8x!tile.ptr<f32>>
      %pz = tile.addptr %zs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
      %t = arith.constant dense<[true, false, true, true, true, true, true,
                                 false]> : tensor<8xi1>
      tile.store %pz, %b mask %t : tensor<8xi1>
          : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
      return
    })";
  std::vector<float> x = counting(8), y(8, 9), z(8, 9);
  evaluateOn(text, {x.data(), y.data(), z.data()});
  EXPECT_EQ(y, (std::vector<float>{0, 1, 2, 3, 4, -2, -2, -2}));
  EXPECT_EQ(z, (std::vector<float>{0, 9, 2, 3, 4, 0, 0, 9}));
}

TEST(EvaluateKernels, Views) {
  const char *text = R"(
    func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>)
        attributes {tile.kernel} {
      %minus = arith.constant -1 : i64
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %four = arith.constant 4 : i64
      %six = arith.constant 6 : i64
      %rows = arith.constant dense<[2, 0]> : tensor<2xi64>
      %other = arith.constant 7.5 : f32
      %t = tile.view_load %x[%rows, %minus] strides [%six, %one]
          bounds [%six] axes [1] other %other : f32
          : !tile.ptr<f32>[tensor<2xi64>, i64] -> tensor<2x4xf32>
      tile.view_store %t, %y[%zero, %zero] strides [%four, %one]
          bounds [%one, %four] axes [0, 1]
          : tensor<2x4xf32>, !tile.ptr<f32>[i64, i64]
      %u = tile.permute %t [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
      %m = arith.constant dense<[[true, false], [true, true], [true, true],
                                 [true, true]]> : tensor<4x2xi1>
      tile.view_store %u, %y[%four, %zero] strides [%one, %four]
          bounds [] axes [] mask %m : tensor<4x2xi1>
          : tensor<4x2xf32>, !tile.ptr<f32>[i64, i64]
      return
    })";
  std::vector<float> x = counting(18), y(12, -9);
  evaluateOn(text, {x.data(), y.data()});
  EXPECT_EQ(
      y, (std::vector<float>{7.5, 12, 13, 14, 7.5, 12, 13, 14, -9, 0, 1, 2}));
}

TEST(EvaluateKernels, Shapes) {
  const char *text = R"(
    func.func @k(%y: !tile.ptr<i32>) attributes {tile.kernel} {
      %i = tile.iota 1 : tensor<2xi32>
      %j = tile.iota 0 : tensor<4xi32>
      %c = tile.expand_dims %i axis 1 : tensor<2xi32> -> tensor<2x1xi32>
      %r = tile.expand_dims %j axis 0 : tensor<4xi32> -> tensor<1x4xi32>
      %cs = tile.broadcast %c : tensor<2x1xi32> -> tensor<2x4xi32>
      %rs = tile.broadcast %r : tensor<1x4xi32> -> tensor<2x4xi32>
      %ten = arith.constant dense<10> : tensor<2x4xi32>
      %tens = arith.muli %cs, %ten : tensor<2x4xi32>
      %n = arith.addi %tens, %rs : tensor<2x4xi32>
      %p = tile.permute %n [1, 0] : tensor<2x4xi32> -> tensor<4x2xi32>
      %a, %b = tile.split %p : tensor<4x2xi32> -> tensor<4xi32>
      %d = tile.join %b, %a : tensor<4xi32> -> tensor<4x2xi32>
      %e = tile.reshape %d : tensor<4x2xi32> -> tensor<8xi32>
      %f = tile.cat %e, %j : tensor<8xi32>, tensor<4xi32> -> tensor<12xi32>
      %k = tile.iota 0 : tensor<12xi32>
      %ys = tile.splat %y : tensor<12x!tile.ptr<i32>>
      %py = tile.addptr %ys, %k : tensor<12x!tile.ptr<i32>>, tensor<12xi32>
      tile.store %py, %f : tensor<12x!tile.ptr<i32>>, tensor<12xi32>
      return
    })";
  std::vector<int32_t> y(12, -1);
  evaluateOn(text, {y.data()});
  EXPECT_EQ(y,
            (std::vector<int32_t>{20, 10, 21, 11, 22, 12, 23, 13, 0, 1, 2, 3}));
}

TEST(EvaluateKernels, Reductions) {
  const char *text = R"(
    func.func @k(%x: !tile.ptr<f32>, %s: !tile.ptr<f32>, %m: !tile.ptr<i32>)
        attributes {tile.kernel} {
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %four = arith.constant 4 : i64
      %t = tile.view_load %x[%zero, %zero] strides [%four, %one]
          bounds [] axes [] : !tile.ptr<f32>[i64, i64] -> tensor<2x4xf32>
      %columns = tile.reduce %t axis 0 combine {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tile.yield %c : f32
      } : (tensor<2x4xf32>) -> tensor<4xf32>
      tile.view_store %columns, %s[%zero] strides [%one] bounds [] axes []
          : tensor<4xf32>, !tile.ptr<f32>[i64]
      // The largest of each row and where it stands.
      %j = tile.iota 0 : tensor<4xi32>
      %r = tile.expand_dims %j axis 0 : tensor<4xi32> -> tensor<1x4xi32>
      %js = tile.broadcast %r : tensor<1x4xi32> -> tensor<2x4xi32>
      %best:2 = tile.reduce %t, %js axis 1 combine {
      ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
        %gt = arith.cmpf ogt, %b, %a : f32
        %v = arith.select %gt, %b, %a : f32
        %vi = scf.if %gt -> i32 {
          scf.yield %bi : i32
        } else {
          scf.yield %ai : i32
        }
        tile.yield %v, %vi : f32, i32
      } : (tensor<2x4xf32>, tensor<2x4xi32>) -> (tensor<2xf32>, tensor<2xi32>)
      tile.view_store %best#1, %m[%zero] strides [%one] bounds [] axes []
          : tensor<2xi32>, !tile.ptr<i32>[i64]
      // A vector gives a scalar.
      %total = tile.reduce %columns axis 0 combine {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tile.yield %c : f32
      } : (tensor<4xf32>) -> f32
      %p = tile.addptr %s, %four : !tile.ptr<f32>, i64
      tile.store %p, %total : !tile.ptr<f32>, f32
      return
    })";
  std::vector<float> x = {1, 9, 3, 9, 5, 6, 8, 7}, s(5, 0);
  std::vector<int32_t> m(2, -1);
  evaluateOn(text, {x.data(), s.data(), m.data()});
  EXPECT_EQ(s, (std::vector<float>{6, 15, 11, 16, 48}));
  EXPECT_EQ(m, (std::vector<int32_t>{1, 2}));
}

TEST(EvaluateKernels, Products) {
  const char *text = R"(
    func.func @k(%x: !tile.ptr<i8>, %y: !tile.ptr<i32>)
        attributes {tile.kernel} {
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %two = arith.constant 2 : i64
      %four = arith.constant 4 : i64
      %a = tile.view_load %x[%zero, %zero, %zero] strides [%four, %two, %one]
          bounds [] axes [] : !tile.ptr<i8>[i64, i64, i64] -> tensor<2x2x2xi8>
      %b = arith.constant dense<[[[1, 2], [3, 4]], [[-1, 0], [0, 100]]]>
          : tensor<2x2x2xi8>
      %c = arith.constant dense<1000> : tensor<2x2x2xi32>
      %d = tile.dot %a, %b, %c
          : tensor<2x2x2xi8>, tensor<2x2x2xi8>, tensor<2x2x2xi32>
      tile.view_store %d, %y[%zero, %zero, %zero] strides [%four, %two, %one]
          bounds [] axes [] : tensor<2x2x2xi32>, !tile.ptr<i32>[i64, i64, i64]
      return
    })";
  std::vector<int8_t> x = {1, 2, 3, 4, 5, 6, 7, -128};
  std::vector<int32_t> y(8, 0);
  evaluateOn(text, {x.data(), y.data()});
  EXPECT_EQ(y, (std::vector<int32_t>{1007, 1010, 1015, 1022, 995, 1600, 993,
                                     1000 - 12800}));
}

TEST(EvaluateKernels, FloatProductsAccumulateInTheAccumulatorsType) {
  auto product = [](const char *acc) {
    std::string type(acc);
    // 1 + 2048 ones: a half sticks at 2048.
    return R"(
      func.func @k(%y: !tile.ptr<f32>) attributes {tile.kernel} {
        %a = arith.constant dense<1.0> : tensor<1x4096xf16>
        %b = arith.constant dense<1.0> : tensor<4096x1xf16>
        %c = arith.constant dense<0.0> : tensor<1x1x)" +
           type + R"(>
        %d = tile.dot %a, %b, %c
            : tensor<1x4096xf16>, tensor<4096x1xf16>, tensor<1x1x)" +
           type + R"(>
        %e = tile.reshape %d : tensor<1x1x)" +
           type + "> -> tensor<1x" + type + ">\n" +
           (type == "f32" ? "%r = tile.reshape %e : tensor<1xf32> -> "
                            "tensor<1xf32>\n"
                          : "%r = arith.extf %e : tensor<1x" + type +
                                "> to tensor<1xf32>\n") +
           R"(
        %zero = arith.constant 0 : i64
        tile.view_store %r, %y[%zero] strides [%zero] bounds [] axes []
            : tensor<1xf32>, !tile.ptr<f32>[i64]
        return
      })";
  };
  float y = 0;
  evaluateOn(product("f32"), {&y});
  EXPECT_EQ(y, 4096);
  evaluateOn(product("f16"), {&y});
  EXPECT_EQ(y, 2048);
  evaluateOn(product("bf16"), {&y});
  EXPECT_EQ(y, 256);
}

TEST(EvaluateKernels, LoopsAndBranches) {
  const char *text = R"(
    func.func @k(%y: !tile.ptr<i32>) attributes {tile.kernel} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %c10 = arith.constant 10 : i32
      %u = arith.constant dense<1> : tensor<4xi32>
      %v = tile.iota 0 : tensor<4xi32>
      // Swaps what it carries, in 4 rounds: 0, 3, 6, 9.
      %a:2 = scf.for %i = %c0 to %c10 step %c3 iter_args(%p = %u, %q = %v)
          -> (tensor<4xi32>, tensor<4xi32>) : i32 {
        %s = tile.splat %i : tensor<4xi32>
        %t = arith.addi %q, %s : tensor<4xi32>
        scf.yield %t, %p : tensor<4xi32>, tensor<4xi32>
      }
      // Doubles until it passes 100.
      %w:2 = scf.while (%n = %c1, %k = %c0) : (i32, i32) -> (i32, i32) {
        %h = arith.constant 100 : i32
        %more = arith.cmpi slt, %n, %h : i32
        scf.condition(%more) %n, %k : i32, i32
      } do {
      ^bb0(%n: i32, %k: i32):
        %n2 = arith.addi %n, %n : i32
        %k2 = arith.addi %k, %c1 : i32
        scf.yield %n2, %k2 : i32, i32
      }
      %big = arith.cmpi sgt, %w#0, %c10 : i32
      %b = scf.if %big -> (tensor<4xi32>) {
        %s = tile.splat %w#1 : tensor<4xi32>
        scf.yield %s : tensor<4xi32>
      } else {
        scf.yield %u : tensor<4xi32>
      }
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %four = arith.constant 4 : i64
      %eight = arith.constant 8 : i64
      tile.view_store %a#0, %y[%zero] strides [%one] bounds [] axes []
          : tensor<4xi32>, !tile.ptr<i32>[i64]
      tile.view_store %a#1, %y[%four] strides [%one] bounds [] axes []
          : tensor<4xi32>, !tile.ptr<i32>[i64]
      tile.view_store %b, %y[%eight] strides [%one] bounds [] axes []
          : tensor<4xi32>, !tile.ptr<i32>[i64]
      return
    })";
  std::vector<int32_t> y(12, -1);
  evaluateOn(text, {y.data()});
  EXPECT_EQ(y, (std::vector<int32_t>{13, 13, 13, 13, 6, 7, 8, 9, 7, 7, 7, 7}));
}

TEST(EvaluateKernels, Preconditions) {
  const char *text = R"(
    func.func @k.precondition(%p: !tile.ptr<f32>, %n: i64, %x: i32, %y: i32,
                              %z: i32) -> i1 {
      %wide = arith.extsi %x : i32 to i64
      %less = arith.cmpi slt, %wide, %n : i64
      return %less : i1
    })";
  std::string error;
  auto module = parseTile(text, error);
  ASSERT_TRUE(module) << error;
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  struct {
    const void *p;
    int64_t n;
  } arguments = {nullptr, 10};
  EXPECT_TRUE(tesela::interp::evaluatePrecondition(function, &arguments,
                                                   {9, 1, 1}, error));
  EXPECT_FALSE(tesela::interp::evaluatePrecondition(function, &arguments,
                                                    {10, 1, 1}, error));
  EXPECT_EQ(error, "");
}

//===----------------------------------------------------------------------===//
// What cannot be evaluated is an error, never a crash
//===----------------------------------------------------------------------===//

/// The error of a kernel with this body and one argument `%n: i32`.
std::string errorOf(const std::string &body, int32_t argument = 0) {
  return evaluationError("func.func @k(%n: i32) attributes {tile.kernel} {\n" +
                             body + "\nreturn\n}",
                         {uint32_t(argument)});
}

TEST(EvaluateKernels, Errors) {
  EXPECT_EQ(errorOf("%a = arith.divsi %n, %n : i32"),
            "kernel.mlir:2:6: `arith.divsi` is undefined for 0 and 0");
  EXPECT_EQ(errorOf("%a = arith.addi %n, %n overflow<nsw> : i32", 1 << 30),
            "kernel.mlir:2:6: `arith.addi` overflows in spite of `nsw`: "
            "1073741824 and 1073741824");
  EXPECT_EQ(errorOf("%a = arith.shli %n, %n : i32", 32),
            "kernel.mlir:2:6: `arith.shli` is undefined for 32 and 32");
  EXPECT_EQ(errorOf("%e = arith.constant 1 : i32\n"
                    "scf.for %i = %n to %e step %n : i32 {\n}"),
            "kernel.mlir:3:1: `scf.for` has a step that is not positive");
  // Without an iteration the step does not matter.
  EXPECT_EQ(errorOf("scf.for %i = %n to %n step %n : i32 {\n}"), "");
  EXPECT_EQ(errorOf("%a = arith.extsi %n : i32 to i128"),
            "kernel.mlir:2:6: `arith.extsi` has the type i128, which cannot be "
            "evaluated");
  EXPECT_EQ(errorOf("func.call @g() : () -> ()\nreturn\n}\n"
                    "func.func private @g() {"),
            "kernel.mlir:2:1: `func.call` has no rule in the evaluator");
  EXPECT_EQ(errorOf("%p = arith.constant 16 : i64\n"
                    "%q = tile.int_to_ptr %p : i64 -> !tile.ptr<f32>\n"
                    "%a = tile.load %q : !tile.ptr<f32> -> f32"),
            "kernel.mlir:4:6: `tile.load` reads 4 bytes at 0x10, where nothing "
            "is, in program (0, 0, 0)");
}

TEST(EvaluateKernels, AccessesOutsideTheGivenMemory) {
  const char *text = R"(
    func.func @k(%p: !tile.ptr<i32>, %i: i32) attributes {tile.kernel} {
      %q = tile.addptr %p, %i : !tile.ptr<i32>, i32
      tile.store %q, %i : !tile.ptr<i32>, i32
      return
    })";
  std::string error;
  auto module = parseTile(text, error);
  ASSERT_TRUE(module) << error;
  auto kernel = findKernel(*module);
  int32_t memory[4] = {0, 0, 0, 0};
  tesela::interp::MemoryRange middle{memory + 1, 8};
  for (uint32_t i = 0; i != 4; ++i) {
    std::string arguments = packArguments(kernel, {address(memory), i});
    EXPECT_EQ(tesela::interp::evaluate(kernel, {1, 1, 1}, arguments.data(),
                                       error, middle),
              i == 1 || i == 2);
  }
  EXPECT_EQ(memory[1], 1);
  EXPECT_EQ(memory[3], 0);
}

} // namespace
