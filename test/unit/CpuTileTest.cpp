//===- CpuTileTest.cpp - nests, shapes and control flow on the CPU --------===//

#include "CpuTile.h"

#include <gtest/gtest.h>

using namespace tesela::test;

namespace {

/// x and y and out of n elements, in blocks of 64, through pointers.
std::string elementwise(const std::string &type, const std::string &body) {
  return R"(
func.func @kernel(%x: !tile.ptr<T>, %y: !tile.ptr<T>, %out: !tile.ptr<T>,
                  %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %c64 = arith.constant 64 : i32
  %start = arith.muli %pid, %c64 : i32
  %range = tile.iota 0 : tensor<64xi32>
  %first = tile.splat %start : tensor<64xi32>
  %offs = arith.addi %first, %range : tensor<64xi32>
  %ns = tile.splat %n : tensor<64xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<64xi32>
  %xs = tile.splat %x : tensor<64x!tile.ptr<T>>
  %xp = tile.addptr %xs, %offs : tensor<64x!tile.ptr<T>>, tensor<64xi32>
  %ys = tile.splat %y : tensor<64x!tile.ptr<T>>
  %yp = tile.addptr %ys, %offs : tensor<64x!tile.ptr<T>>, tensor<64xi32>
  %a = tile.load %xp mask %mask : tensor<64xi1>
      : tensor<64x!tile.ptr<T>> -> tensor<64xT>
  %b = tile.load %yp mask %mask : tensor<64xi1>
      : tensor<64x!tile.ptr<T>> -> tensor<64xT>
)" + body +
         R"(
  %os = tile.splat %out : tensor<64x!tile.ptr<T>>
  %op = tile.addptr %os, %offs : tensor<64x!tile.ptr<T>>, tensor<64xi32>
  tile.store %op, %r mask %mask : tensor<64xi1>
      : tensor<64x!tile.ptr<T>>, tensor<64xT>
  return
}
)";
}

/// `text` with a whole word `T` replaced.
std::string with(std::string text, const std::string &type) {
  for (size_t at = 0; (at = text.find('T', at)) != std::string::npos;) {
    auto isWord = [&](size_t i) {
      return i < text.size() && (std::isalpha(text[i]) || text[i] == '_') &&
             text[i] != 'x';
    };
    if (isWord(at - 1) || isWord(at + 1))
      ++at;
    else
      text.replace(at, 1, type);
  }
  return text;
}

void expectElementwise(const std::string &type, const std::string &body,
                       double tolerance = 0) {
  SCOPED_TRACE(type + ": " + body);
  expectSame(with(elementwise(type, body), type),
             {pattern(type, 200, 1), pattern(type, 200, 2), pattern(type, 200),
              scalar(190)},
             {4, 1, 1}, tolerance);
}

TEST(CpuTileTest, AddsVectorsOfEveryType) {
  for (const char *type : {"f32", "f64", "f16", "bf16", "f8E4M3FN", "f8E5M2"})
    expectElementwise(type, "  %r = arith.addf %a, %b : tensor<64xT>");
  for (const char *type : {"i8", "i16", "i32", "i64"})
    expectElementwise(type, "  %r = arith.addi %a, %b : tensor<64xT>");
}

TEST(CpuTileTest, DividesWithoutTraps) {
  for (const char *type : {"i8", "i16", "i32", "i64"})
    for (const char *op :
         {"divsi", "divui", "remsi", "remui", "shli", "shrsi", "shrui"})
      expectElementwise(type, "  %r = tile." + std::string(op) +
                                  " %a, %b : tensor<64xT>");
}

TEST(CpuTileTest, ConvertsBetweenFloatsAndIntegers) {
  for (const char *type : {"f32", "f64", "f16", "bf16", "f8E4M3FN", "f8E5M2"})
    for (const char *integer : {"i8", "i16", "i32", "i64"})
      for (const char *sign : {"s", "u"}) {
        std::string to = sign == std::string("s") ? "fptosi" : "fptoui";
        std::string from = sign == std::string("s") ? "sitofp" : "uitofp";
        std::string tile = "tensor<64x" + std::string(integer) + ">";
        expectElementwise(
            type, "  %q = arith.divf %a, %b : tensor<64xT>\n  %i = tile." + to +
                      " %q : tensor<64xT> -> " + tile + "\n  %r = arith." +
                      from + " %i : " + tile + " to tensor<64xT>");
      }
}

TEST(CpuTileTest, RoundsNarrowFloatsAfterEachOp) {
  for (const char *type : {"f16", "bf16", "f8E4M3FN", "f8E5M2"})
    expectElementwise(type, "  %m = arith.divf %a, %b : tensor<64xT>\n"
                            "  %s = arith.mulf %m, %m : tensor<64xT>\n"
                            "  %r = arith.subf %s, %a : tensor<64xT>");
}

/// Rows of a matrix, all of which one instance handles at once.
TEST(CpuTileTest, NormalisesRows) {
  const char *text = R"(
func.func @softmax(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %stride: i32,
                   %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %row = arith.muli %pid, %stride : i32
  %cols = tile.iota 0 : tensor<64xi32>
  %ns = tile.splat %n : tensor<64xi32>
  %mask = arith.cmpi slt, %cols, %ns : tensor<64xi32>
  %xrow = tile.addptr %x, %row : !tile.ptr<f32>, i32
  %xs = tile.splat %xrow : tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %cols : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %ninf = arith.constant dense<0xFF800000> : tensor<64xf32>
  %v = tile.load %xp mask %mask : tensor<64xi1> other %ninf : tensor<64xf32>
      : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %m = tile.reduce %v axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<64xf32>) -> f32
  %ms = tile.splat %m : tensor<64xf32>
  %d = arith.subf %v, %ms : tensor<64xf32>
  %e = math.exp %d : tensor<64xf32>
  %s = tile.reduce %e axis 0 combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<64xf32>) -> f32
  %ss = tile.splat %s : tensor<64xf32>
  %r = arith.divf %e, %ss : tensor<64xf32>
  %orow = tile.addptr %out, %row : !tile.ptr<f32>, i32
  %os = tile.splat %orow : tensor<64x!tile.ptr<f32>>
  %op = tile.addptr %os, %cols : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %op, %r mask %mask : tensor<64xi1>
      : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
)";
  for (int n : {64, 50, 16, 3})
    expectSame(
        text,
        {pattern("f32", 5 * 70), pattern("f32", 5 * 70), scalar(70), scalar(n)},
        {5, 1, 1}, 1e-6);
}

/// A matrix of 16 rows and 32 columns goes through `body`, from %x to %r.
std::string matrix(const std::string &body, const std::string &result,
                   int64_t rows, int64_t columns) {
  std::string shape = std::to_string(rows) + "x" + std::to_string(columns);
  return R"(
func.func @kernel(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %m: i32, %n: i32,
                  %one: i32) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<16xi32>
  %j = tile.iota 0 : tensor<32xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ms = tile.splat %m : tensor<16x1xi32>
  %ns = tile.splat %n : tensor<1x32xi32>
  %im = arith.cmpi slt, %i1, %ms : tensor<16x1xi32>
  %jm = arith.cmpi slt, %j1, %ns : tensor<1x32xi32>
  %imb = tile.broadcast %im : tensor<16x1xi1> -> tensor<16x32xi1>
  %jmb = tile.broadcast %jm : tensor<1x32xi1> -> tensor<16x32xi1>
  %mask = arith.andi %imb, %jmb : tensor<16x32xi1>
  %c32 = arith.constant 32 : i32
  %cs = tile.splat %c32 : tensor<16x1xi32>
  %io = arith.muli %i1, %cs : tensor<16x1xi32>
  %iob = tile.broadcast %io : tensor<16x1xi32> -> tensor<16x32xi32>
  %ones = tile.splat %one : tensor<1x32xi32>
  %jo = arith.muli %j1, %ones : tensor<1x32xi32>
  %job = tile.broadcast %jo : tensor<1x32xi32> -> tensor<16x32xi32>
  %offs = arith.addi %iob, %job : tensor<16x32xi32>
  %ps = tile.splat %in : tensor<16x32x!tile.ptr<f32>>
  %p = tile.addptr %ps, %offs : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  %x = tile.load %p mask %mask : tensor<16x32xi1>
      : tensor<16x32x!tile.ptr<f32>> -> tensor<16x32xf32>
)" + body +
         R"(
  %k = tile.iota 0 : tensor<)" +
         std::to_string(rows * columns) + R"(xi32>
  %kk = tile.reshape %k : tensor<)" +
         std::to_string(rows * columns) + "xi32> -> tensor<" + shape + R"(xi32>
  %os = tile.splat %out : tensor<)" +
         shape + R"(x!tile.ptr<f32>>
  %op = tile.addptr %os, %kk : tensor<)" +
         shape + "x!tile.ptr<f32>>, tensor<" + shape + R"(xi32>
  tile.store %op, )" +
         result + " : tensor<" + shape + "x!tile.ptr<f32>>, tensor<" + shape +
         R"(xf32>
  return
}
)";
}

void expectMatrix(const std::string &body, int64_t rows, int64_t columns,
                  const std::string &result = "%r") {
  SCOPED_TRACE(body);
  for (auto [m, n] : {std::pair(16, 32), std::pair(11, 19), std::pair(3, 2)})
    expectSame(matrix(body, result, rows, columns),
               {pattern("f32", 512), pattern("f32", rows * columns), scalar(m),
                scalar(n), scalar(1)});
}

const char *sum = R"( combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } )";

TEST(CpuTileTest, MovesElements) {
  expectMatrix("  %r = arith.addf %x, %x : tensor<16x32xf32>", 16, 32);
  expectMatrix("  %r = tile.permute %x [1, 0] : tensor<16x32xf32> -> "
               "tensor<32x16xf32>",
               32, 16);
  expectMatrix("  %r = tile.reshape %x : tensor<16x32xf32> -> tensor<64x8xf32>",
               64, 8);
  expectMatrix("  %r = tile.reshape %x : tensor<16x32xf32> -> tensor<8x64xf32>",
               8, 64);
  expectMatrix(
      "  %r = tile.reshape %x : tensor<16x32xf32> -> tensor<256x2xf32>", 256,
      2);
  expectMatrix(
      R"(  %t = tile.reshape %x : tensor<16x32xf32> -> tensor<16x16x2xf32>
  %l, %h = tile.split %t : tensor<16x16x2xf32> -> tensor<16x16xf32>
  %r = arith.subf %l, %h : tensor<16x16xf32>)",
      16, 16);
  expectMatrix(R"(  %y = arith.negf %x : tensor<16x32xf32>
  %t = tile.join %x, %y : tensor<16x32xf32> -> tensor<16x32x2xf32>
  %r = tile.reshape %t : tensor<16x32x2xf32> -> tensor<16x64xf32>)",
               16, 64);
  expectMatrix(R"(  %f = tile.reshape %x : tensor<16x32xf32> -> tensor<512xf32>
  %g = arith.addf %f, %f : tensor<512xf32>
  %t = tile.cat %f, %g : tensor<512xf32>, tensor<512xf32> -> tensor<1024xf32>
  %r = tile.reshape %t : tensor<1024xf32> -> tensor<32x32xf32>)",
               32, 32);
}

/// A tile that is stored for a reshape, and read through it in the same nest.
TEST(CpuTileTest, ReadsWhatItsOwnNestStores) {
  expectMatrix(R"(  %c = arith.constant dense<3> : tensor<16x1xi32>
  %q = tile.remui %i1, %c : tensor<16x1xi32>
  %f = tile.reshape %q : tensor<16x1xi32> -> tensor<16xi32>
  %w = arith.extsi %f : tensor<16xi32> to tensor<16xi64>
  %z = arith.constant 0 : i64
  %l = tile.view_load %in[%w, %z] strides [%z, %z] bounds [] axes []
      : !tile.ptr<f32>[tensor<16xi64>, i64] -> tensor<16x1xf32>
  %t = arith.sitofp %q : tensor<16x1xi32> to tensor<16x1xf32>
  %u = arith.addf %l, %t : tensor<16x1xf32>
  %b = tile.broadcast %u : tensor<16x1xf32> -> tensor<16x32xf32>
  %r = arith.addf %x, %b : tensor<16x32xf32>)",
               16, 32);
}

TEST(CpuTileTest, ReducesAlongEitherAxis) {
  expectMatrix("  %s = tile.reduce %x axis 1" + std::string(sum) +
                   R"(: (tensor<16x32xf32>) -> tensor<16xf32>
  %e = tile.expand_dims %s axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %b = tile.broadcast %e : tensor<16x1xf32> -> tensor<16x32xf32>
  %r = arith.subf %x, %b : tensor<16x32xf32>)",
               16, 32);
  expectMatrix("  %s = tile.reduce %x axis 0" + std::string(sum) +
                   R"(: (tensor<16x32xf32>) -> tensor<32xf32>
  %e = tile.expand_dims %s axis 0 : tensor<32xf32> -> tensor<1x32xf32>
  %b = tile.broadcast %e : tensor<1x32xf32> -> tensor<16x32xf32>
  %r = arith.subf %x, %b : tensor<16x32xf32>)",
               16, 32);
  // Rows of one slice.
  expectMatrix("  %t = tile.reshape %x : tensor<16x32xf32> -> "
               "tensor<128x4xf32>\n  %s = tile.reduce %t axis 0" +
                   std::string(sum) + R"(: (tensor<128x4xf32>) -> tensor<4xf32>
  %e = tile.expand_dims %s axis 0 : tensor<4xf32> -> tensor<1x4xf32>
  %r = tile.broadcast %e : tensor<1x4xf32> -> tensor<128x4xf32>)",
               128, 4);
  expectMatrix("  %s = tile.reduce %x axis 1" + std::string(sum) +
                   R"(: (tensor<16x32xf32>) -> tensor<16xf32>
  %t = tile.reduce %s axis 0)" +
                   std::string(sum) + R"(: (tensor<16xf32>) -> f32
  %r = tile.splat %t : tensor<16x32xf32>)",
               16, 32);
}

/// Value and position of the largest element of each row.
TEST(CpuTileTest, ReducesPairs) {
  for (int axis : {0, 1}) {
    std::string length = axis == 0 ? "32" : "16";
    std::string a = std::to_string(axis);
    expectMatrix(R"(  %col = tile.broadcast %)" +
                     std::string(axis == 0 ? "i1 : tensor<16x1xi32>"
                                           : "j1 : tensor<1x32xi32>") +
                     R"( -> tensor<16x32xi32>
  %v:2 = tile.reduce %x, %col axis )" +
                     a + R"( combine {
  ^bb0(%a: f32, %ia: i32, %b: f32, %ib: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %eq = arith.cmpf oeq, %a, %b : f32
    %lt = arith.cmpi slt, %ia, %ib : i32
    %tie = arith.andi %eq, %lt : i1
    %left = arith.ori %gt, %tie : i1
    %c = arith.select %left, %a, %b : f32
    %ic = arith.select %left, %ia, %ib : i32
    tile.yield %c, %ic : f32, i32
  } : (tensor<16x32xf32>, tensor<16x32xi32>) -> (tensor<)" +
                     length + "xf32>, tensor<" + length + R"(xi32>)
  %fi = arith.sitofp %v#1 : tensor<)" +
                     length + "xi32> to tensor<" + length + R"(xf32>
  %q = arith.addf %fi, %v#0 : tensor<)" +
                     length + R"(xf32>
  %e = tile.expand_dims %q axis )" +
                     a + " : tensor<" + length + "xf32> -> tensor<" +
                     (axis == 0 ? "1x32" : "16x1") + R"(xf32>
  %r = tile.broadcast %e : tensor<)" +
                     (axis == 0 ? "1x32" : "16x1") +
                     "xf32> -> tensor<16x32xf32>",
                 16, 32);
  }
}

TEST(CpuTileTest, CarriesTilesThroughControlFlow) {
  // Two carried tiles change places and one is updated in place.
  expectMatrix(R"(  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant dense<2.0> : tensor<16x32xf32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %o:3 = scf.for %it = %c0 to %m step %c1
      iter_args(%u = %x, %v = %two, %w = %zero)
      -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) : i32 {
    %f = arith.sitofp %it : i32 to f32
    %fs = tile.splat %f : tensor<16x32xf32>
    %w1 = arith.addf %w, %u : tensor<16x32xf32>
    %w2 = arith.addf %w1, %fs : tensor<16x32xf32>
    scf.yield %v, %u, %w2
        : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
  }
  %q = arith.subf %o#0, %o#1 : tensor<16x32xf32>
  %r = arith.addf %q, %o#2 : tensor<16x32xf32>)",
               16, 32);
  expectMatrix(R"(  %c5 = arith.constant 5 : i32
  %cond = arith.cmpi sgt, %m, %c5 : i32
  %r = scf.if %cond -> tensor<16x32xf32> {
    %y = arith.addf %x, %x : tensor<16x32xf32>
    scf.yield %y : tensor<16x32xf32>
  } else {
    scf.yield %x : tensor<16x32xf32>
  })",
               16, 32);
  expectMatrix(R"(  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r, %end = scf.while (%u = %x, %it = %c0)
      : (tensor<16x32xf32>, i32) -> (tensor<16x32xf32>, i32) {
    %more = arith.cmpi slt, %it, %m : i32
    scf.condition(%more) %u, %it : tensor<16x32xf32>, i32
  } do {
  ^bb0(%u: tensor<16x32xf32>, %it: i32):
    %u1 = arith.addf %u, %x : tensor<16x32xf32>
    %next = arith.addi %it, %c1 : i32
    scf.yield %u1, %next : tensor<16x32xf32>, i32
  })",
               16, 32);
}

/// What is stored before a load is seen by it, and what after is not.
TEST(CpuTileTest, KeepsTheOrderOfMemory) {
  expectMatrix(R"(  %y = arith.addf %x, %x : tensor<16x32xf32>
  %rev = arith.constant 511 : i32
  %revs = tile.splat %rev : tensor<16x32xi32>
  %ro = arith.subi %revs, %offs : tensor<16x32xi32>
  %rp = tile.addptr %ps, %ro : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  tile.store %rp, %y mask %mask : tensor<16x32xi1>
      : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xf32>
  %z = tile.load %p : tensor<16x32x!tile.ptr<f32>> -> tensor<16x32xf32>
  %r = arith.subf %z, %x : tensor<16x32xf32>)",
               16, 32);
}

} // namespace
