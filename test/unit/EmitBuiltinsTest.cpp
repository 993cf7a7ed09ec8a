//===- EmitBuiltinsTest.cpp - what operators and builtins compute ---------===//

#include "unit/EmittedKernel.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tesela::test;
using Numbers = std::vector<double>;

/// i = 0..15, v = x[i] as fp32, w = y[i] as int32 (7 down to -8).
static const std::string loads = "i = tl.arange(0, 16)\n"
                                 "v = tl.load(x + i)\n"
                                 "w = tl.load(y + i)\n";

/// Stores `expression` after the loads, and gives the first elements.
static std::vector<double> elements(size_t count, const std::string &expression,
                                    const std::string &outType = "fp32") {
  return runFirst(count,
                  loads + "r = " + expression +
                      "\ntl.store(out + tl.arange(0, r.numel), "
                      "tl.ravel(r))",
                  outType);
}

static double scalar(const std::string &expression,
                     const std::string &outType = "fp32") {
  auto out = runFirst(1, loads + "tl.store(out, " + expression + ")", outType);
  return out.empty() ? NAN : out[0];
}

/// Asserts that hold while compiling.
static void holds(const std::string &assertions) {
  EXPECT_EQ(bodyError(loads + assertions), "");
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

TEST(Builtins, DivisionTruncatesAtRunTime) {
  EXPECT_EQ(elements(3, "(w - 7) // 2 * 100 + (w - 7) % 2"),
            Numbers({0, -1, -100}));
  EXPECT_EQ(scalar("-n // 3"), -3);
  EXPECT_EQ(scalar("-n % 3"), -1);
  EXPECT_EQ(scalar("n // 0"), 0);
  EXPECT_EQ(scalar("n / 4"), 2.5);
}

TEST(Builtins, ResultTypes) {
  holds("h = v.to(tl.float16)\n"
        "b = v.to(tl.bfloat16)\n"
        "u = w.to(tl.uint8)\n"
        "m = w > 0\n"
        "tl.static_assert((h + 1.5).dtype == tl.float16)\n"
        "tl.static_assert((h / h).dtype == tl.float32)\n"
        "tl.static_assert((h + b).dtype == tl.float16)\n"
        "tl.static_assert((b + w).dtype == tl.float32)\n"
        "tl.static_assert(tl.maximum(b, b).dtype == tl.float32)\n"
        "tl.static_assert((w / w).dtype == tl.float32)\n"
        "tl.static_assert((w + 1.5).dtype == tl.float32)\n"
        "tl.static_assert((u + 1).dtype == tl.uint8)\n"
        "tl.static_assert((u >> 1).dtype == tl.int32)\n"
        "tl.static_assert((u + w).dtype == tl.int32)\n"
        "tl.static_assert((m + 1).dtype == tl.int32)\n"
        "tl.static_assert((v < 1).dtype == tl.int1)\n"
        "tl.static_assert(tl.sum(m).dtype == tl.uint32)\n"
        "tl.static_assert(tl.max(h).dtype == tl.float32)\n"
        "tl.static_assert(tl.sum(h).dtype == tl.float16)\n"
        "tl.static_assert(tl.argmax(v, 0).dtype == tl.int32)\n"
        "tl.static_assert(tl.exp(h).dtype == tl.float16)\n");
}

TEST(Builtins, TypeQueries) {
  holds("tl.static_assert(x.dtype.element_ty == tl.float32)\n"
        "tl.static_assert(x.type.element_ty.is_floating())\n"
        "tl.static_assert(v.type.element_ty == tl.float32)\n"
        "tl.static_assert(v.type.scalar == tl.float32)\n"
        "tl.static_assert(v.dtype.primitive_bitwidth == 32)\n"
        "tl.static_assert(v.shape[0] == 16 and len(v.shape) == 1)\n"
        "tl.static_assert(v.numel == 16)\n"
        "tl.static_assert(v.type.is_block() and not n.type.is_block())\n"
        "tl.static_assert(x.dtype.is_ptr())\n"
        "tl.static_assert(not w.dtype.is_fp8())\n"
        "tl.static_assert(w.dtype.is_int_signed())\n"
        "tl.static_assert(w.dtype != tl.float8e4b15)\n"
        "tl.static_assert(tl.core.get_int_dtype(16, False) == tl.uint16)\n"
        "tl.static_assert(isinstance(v, tl.tensor) and "
        "isinstance(1, (int, float)))\n"
        "tl.static_assert(v is not None)\n"
        "tl.static_assert(str(v.dtype) == 'float32')\n");
}

TEST(Builtins, PointersAndBooleans) {
  EXPECT_EQ(runFirst(4, "p = out.to(tl.pointer_type(tl.int1))\n"
                        "i = tl.arange(0, 4)\n"
                        "tl.store(p + i, i % 2 == 0)\n"
                        "b = tl.load(p + i)\n"
                        "tl.static_assert(b.dtype == tl.int1)\n"
                        "tl.store(out + i, b)"),
            Numbers({1, 0, 1, 0}));
  EXPECT_EQ(scalar("tl.load((x + 3).to(tl.int64).to("
                   "tl.pointer_type(tl.float32)))"),
            3);
  EXPECT_EQ(scalar("tl.load(x + n.to(tl.uint8) - 4)"), 6);
}

TEST(Builtins, MaskedLoads) {
  EXPECT_EQ(elements(4, "tl.load(x + i, mask=i > 1, other=9)"),
            Numbers({9, 9, 2, 3}));
  EXPECT_EQ(elements(3, "tl.load(x + i, i > 1)"), Numbers({0, 0, 2}));
  EXPECT_EQ(scalar("tl.load(x + 5, n < 4, other=2.5)"), 2.5);
  EXPECT_EQ(elements(4, "tl.load((x + tl.arange(0, 2))[:, None] + "
                        "tl.zeros((2, 2), tl.int32), "
                        "mask=(tl.arange(0, 2) > 0)[None, :], other=7)"),
            Numbers({7, 0, 7, 1}));
}

TEST(Builtins, Conversions) {
  EXPECT_EQ(elements(3, "(v * 300).to(tl.uint8)", "u8").size(), 3u);
  EXPECT_EQ(elements(3, "(w * 100).to(tl.int8)"), Numbers({-68, 88, -12}));
  EXPECT_EQ(
      scalar("tl.full([], 1.0, tl.float32).to(tl.int32, bitcast=True)", "i32"),
      double(0x3f800000));
  EXPECT_EQ(scalar("(-n).to(tl.uint32).to(tl.float32)"),
            double(float(4294967286.0)));
  EXPECT_EQ(scalar("tl.cast(2.7, tl.int32)"), 2);
  EXPECT_EQ(scalar("(n - 10).to(tl.int1)"), 0);
  EXPECT_EQ(scalar("(1).to(tl.int64) + n"), 11);
}

TEST(Builtins, Elementwise) {
  EXPECT_EQ(scalar("tl.maximum(n, 12) + min(n, 3) + abs(-n)"), 25);
  EXPECT_EQ(elements(3, "tl.clamp(v, 0.5, 1.5)"), Numbers({.5, 1, 1.5}));
  EXPECT_EQ(elements(3, "tl.where(i > 0, v, -5)"), Numbers({-5, 1, 2}));
  EXPECT_EQ(scalar("tl.cdiv(n, 4) + tl.cdiv(9, 4)"), 6);
  EXPECT_EQ(scalar("triton.next_power_of_2(9)"), 16);
  EXPECT_NEAR(scalar("tl.sigmoid(tl.full([], 1.0, tl.float32))"),
              1 / (1 + std::exp(-1)), 1e-6);
  EXPECT_NEAR(scalar("libdevice.tanh(tl.load(x + 1))"), std::tanh(1), 1e-6);
  EXPECT_NEAR(scalar("tl.math.exp2(tl.load(x + 3)) + tl.erf(tl.load(x + 1))"),
              8 + std::erf(1), 1e-5);
  EXPECT_EQ(scalar("tl.fma(tl.load(x + 3), 2.0, n)"), 16);
  EXPECT_EQ(scalar("~n ^ (n << 2) | 1"), double((~10 ^ 40) | 1));
  EXPECT_EQ(scalar("tl.floor(tl.load(x + 5) / 2)"), 2);
  EXPECT_EQ(scalar("math.sqrt(16) + math.floor(2.5)"), 6);
  EXPECT_EQ(scalar("tl.umulhi(n * 1000000000, 4)"), 1);
}

TEST(Builtins, Reductions) {
  EXPECT_EQ(scalar("tl.sum(v)"), 120);
  EXPECT_EQ(scalar("tl.max(w) - tl.min(w)"), 15);
  EXPECT_EQ(scalar("tl.argmin(w, 0)"), 15);
  EXPECT_EQ(scalar("tl.argmax(v * 0, axis=0)"), 0);
  EXPECT_EQ(scalar("tl.xor_sum(i)"), 0);
  EXPECT_EQ(elements(4, "tl.sum(tl.reshape(v, (4, 4)), axis=1)"),
            Numbers({6, 22, 38, 54}));
  EXPECT_EQ(elements(4, "tl.max(v.reshape(4, 4), 0, keep_dims=True)"),
            Numbers({12, 13, 14, 15}));
  EXPECT_EQ(scalar("tl.max(v, 0, return_indices=True)[1]"), 15);
  auto soft = elements(16, "tl.softmax(v)");
  ASSERT_EQ(soft.size(), 16u);
  EXPECT_NEAR(soft[15], 0.6321207, 1e-5);
}

TEST(Builtins, ReduceWithAFunction) {
  const char *before = "@triton.jit\ndef combine(a, b, c, d):\n"
                       "    return a + c, tl.maximum(b, d)\n"
                       "@triton.jit\ndef product(a, b):\n    return a * b\n";
  EXPECT_EQ(runFirst(3,
                     loads + "s, m = tl.reduce((v, w), 0, combine)\n"
                             "tl.store(out, s)\ntl.store(out + 1, m)\n"
                             "tl.store(out + 2, tl.reduce(tl.where(i < 4, v + "
                             "1, 1), 0, product))",
                     "fp32", before),
            Numbers({120, 7, 24}));
}

TEST(Builtins, Shapes) {
  EXPECT_EQ(elements(4, "v.reshape(4, 4).T"), Numbers({0, 4, 8, 12}));
  EXPECT_EQ(elements(4, "tl.permute(tl.reshape(v, 2, 2, 4), (2, 0, 1))"),
            Numbers({0, 4, 8, 12}));
  EXPECT_EQ(scalar("tl.permute(n, ())"), 10);
  EXPECT_EQ(elements(4, "tl.join(v, w)"), Numbers({0, 7, 1, 6}));
  EXPECT_EQ(elements(4, "tl.interleave(v, v + 100)"),
            Numbers({0, 100, 1, 101}));
  EXPECT_EQ(elements(3, "tl.split(v.reshape(8, 2))[1]"), Numbers({1, 3, 5}));
  EXPECT_EQ(elements(3, "tl.flip(v)"), Numbers({15, 14, 13}));
  EXPECT_EQ(elements(3, "tl.flip(v.reshape(8, 2), 0)"), Numbers({14, 15, 12}));
  EXPECT_EQ(elements(2, "tl.cat(v + 50, v)"), Numbers({50, 51}));
  EXPECT_EQ(elements(3, "tl.broadcast_to(v[None, :], (2, 16))"),
            Numbers({0, 1, 2}));
  EXPECT_EQ(elements(3, "tl.expand_dims(v, [0, 2])"), Numbers({0, 1, 2}));
  EXPECT_EQ(scalar("v.reshape(2, 8)[:, :, None].shape[1]"), 8);
}

TEST(Builtins, Dot) {
  EXPECT_EQ(elements(4, "tl.dot(v.reshape(4, 4), v.reshape(4, 4))"),
            Numbers({56, 62, 68, 74}));
  EXPECT_EQ(elements(2, "tl.dot(v.reshape(4, 4), v.reshape(4, 4), "
                        "acc=tl.full((4, 4), 1.0, tl.float32), "
                        "allow_tf32=False)"),
            Numbers({57, 63}));
  EXPECT_EQ(elements(2, "tl.dot(v.reshape(2, 2, 4), v.reshape(2, 4, 2))"),
            Numbers({28, 34}));
  EXPECT_EQ(elements(1, "tl.dot(w.to(tl.int8).reshape(4, 4), "
                        "w.to(tl.int8).reshape(4, 4), "
                        "out_dtype=tl.int32)"),
            Numbers({49 + 18 - 5 - 20}));
}

TEST(Builtins, Hints) {
  EXPECT_EQ(scalar("tl.sum(tl.max_contiguous(tl.multiple_of(v, 16), 16))"),
            120);
  EXPECT_EQ(bodyError("tl.assume(n > 0)\ntl.device_assert(n > 0, 'x')\n"
                      "tl.debug_barrier()"),
            "");
  EXPECT_EQ(bodyError("tl.device_print('n', n)"),
            "`tl.device_print` prints nothing [no-effect]");
  // Rows of 5 in groups of 2 rows, over 3 columns.
  EXPECT_EQ(runFirst(2, "a, b = tl.swizzle2d(n // 10, n - 8, 5, 3, 2)\n"
                        "tl.store(out, a)\ntl.store(out + 1, b)"),
            Numbers({1, 2}));
}
