//===- EmitLanguageTest.cpp - what statements and expressions mean --------===//

#include "unit/EmittedKernel.h"

#include <gtest/gtest.h>

using namespace tesela::test;
using Numbers = std::vector<double>;

static const std::string loadX = "i = tl.arange(0, 16)\n"
                                 "v = tl.load(x + i)\n";

//===----------------------------------------------------------------------===//
// Conditions and returns
//===----------------------------------------------------------------------===//

TEST(Emit, KnownConditionsDisappear) {
  EmittedKernel kernel =
      emitText("import triton, triton.language as tl\n@triton.jit\n"
               "def kernel(x, F: tl.constexpr):\n"
               "    if F:\n"
               "        tl.store(x, 1)\n"
               "    else:\n"
               "        nonsense()\n",
               {"x=*fp32", "F=True"});
  ASSERT_TRUE(kernel.emitted) << kernel.error();
  EXPECT_EQ(kernel.ir().find("scf.if"), std::string::npos);
}

TEST(Emit, RuntimeConditionsMerge) {
  EXPECT_EQ(runFirst(2, "if n > 4:\n  a = n\n  b = 1\n"
                        "else:\n  a = 3\n  b = 2\n"
                        "tl.store(out, a)\ntl.store(out + 1, b)"),
            Numbers({10, 1}));
  EXPECT_EQ(runFirst(1, "a = 5\nif n < 4:\n  a = n\ntl.store(out, a)"),
            Numbers({5}));
  EXPECT_EQ(runFirst(1, "a = (1, 2)\nif n > 4:\n  a = (n, 2)\n"
                        "tl.static_assert(a[1] == 2)\ntl.store(out, a[0])"),
            Numbers({10}));
}

TEST(Emit, EarlyReturn) {
  EXPECT_EQ(runFirst(2, "if n > 4:\n  return\ntl.store(out, 1)"),
            Numbers({-1, -1}));
  EXPECT_EQ(runFirst(2, "if n < 4:\n  return\ntl.store(out, 1)"),
            Numbers({1, -1}));
  EXPECT_EQ(runFirst(3, "if n > 4:\n"
                        "  tl.store(out, 1)\n"
                        "  if n > 8:\n    return\n"
                        "  tl.store(out + 1, 1)\n"
                        "tl.store(out + 2, 1)"),
            Numbers({1, -1, -1}));
}

TEST(Emit, ValuesReturnedFromBranches) {
  const char *pick = "@triton.jit\ndef pick(n, a):\n"
                     "    if n > a:\n        return n * 2\n"
                     "    if n == a:\n        return 0\n"
                     "    n += 1\n"
                     "    return n - a\n";
  EXPECT_EQ(runFirst(3,
                     "tl.store(out, pick(n, 4))\n"
                     "tl.store(out + 1, pick(n, 10))\n"
                     "tl.store(out + 2, pick(n, 20))",
                     "fp32", pick),
            Numbers({20, 0, -9}));
}

TEST(Emit, ReturnInAnUnrolledLoop) {
  const char *find = "@triton.jit\ndef find(n):\n"
                     "    for k in tl.static_range(5):\n"
                     "        if k * 4 > n:\n            return k\n"
                     "    return -7\n";
  EXPECT_EQ(runFirst(2,
                     "tl.store(out, find(n))\n"
                     "tl.store(out + 1, find(n + 20))",
                     "fp32", find),
            Numbers({3, -7}));
}

TEST(Emit, ReturnInARuntimeLoop) {
  const char *find = "@triton.jit\ndef find(p, n, wanted):\n"
                     "    seen = 0\n"
                     "    for k in range(n):\n"
                     "        if tl.load(p + k) == wanted:\n"
                     "            return k, seen\n"
                     "        seen += 2\n"
                     "    return -1, seen\n";
  EXPECT_EQ(runFirst(4,
                     "a, b = find(x, n, 3.0)\n"
                     "tl.store(out, a)\ntl.store(out + 1, b)\n"
                     "a, b = find(x, n, 99.0)\n"
                     "tl.store(out + 2, a)\ntl.store(out + 3, b)",
                     "fp32", find),
            Numbers({3, 6, -1, 20}));
  EXPECT_EQ(runFirst(2, "for k in range(n):\n"
                        "  if k > 3:\n    return\n"
                        "  tl.store(out, k)\n"
                        "tl.store(out + 1, 5)"),
            Numbers({3, -1}));
}

TEST(Emit, ConditionalExpressions) {
  EXPECT_EQ(runFirst(2, "a = n if n > 4 else 4\n"
                        "tl.store(out, a)\n"
                        "tl.store(out + 1, 2 if n > 40 else 3)"),
            Numbers({10, 3}));
}

TEST(Emit, BooleanOperators) {
  EXPECT_EQ(runFirst(5, "tl.store(out, n > 4 and n < 8)\n"
                        "tl.store(out + 1, n > 4 or n < 8)\n"
                        "tl.store(out + 2, not n > 4)\n"
                        "tl.store(out + 3, 4 < n < 12)\n"
                        "tl.store(out + 4, n > 4 and 0 < 1)"),
            Numbers({0, 1, 0, 1, 1}));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// How many statements are interpreted for loops in loops, where each changes a
/// number of its own and one that all share.
static uint64_t statementsOfNest(unsigned depth, const std::string &innermost) {
  std::string text = "import triton, triton.language as tl\n@triton.jit\n"
                     "def kernel(x, n):\n    a = 0\n";
  auto indent = [](unsigned level) { return std::string(4 + level, ' '); };
  for (unsigned i = 0; i != depth; ++i) {
    std::string name = std::to_string(i);
    text += indent(i) + "b" + name + " = 0\n" + indent(i) + "for i" + name +
            " in range(n):\n";
  }
  text += indent(depth) + innermost + "\n";
  for (unsigned i = depth; i-- > 0;)
    text += indent(i + 1) + "b" + std::to_string(i) + " += 1\n" + indent(i) +
            "a += b" + std::to_string(i) + "\n";
  EmittedKernel kernel =
      emitText(text + "    tl.store(x, a)\n", {"x=*i32", "n=i32"});
  EXPECT_TRUE(kernel.emitted) << kernel.error();
  return kernel.emitted ? kernel.emitted->statements : 0;
}

TEST(Emit, NestsAreInterpretedAFewTimes) {
  for (const char *innermost : {"a += 1", "if a > 5: return"}) {
    uint64_t few = statementsOfNest(3, innermost);
    uint64_t many = statementsOfNest(12, innermost);
    // Each body again for each loop around it, and not twice as often.
    EXPECT_LE(many, 16 * few) << innermost;
    EXPECT_LE(many, 1200u) << innermost;
  }
}

TEST(Emit, WhatLoopsFindIsOfTheirPlace) {
  // The first call changes its number, the second does not, wherever a loop
  // around them is interpreted again.
  EXPECT_EQ(runFirst(2,
                     "a = 0\n"
                     "for i in range(n):\n"
                     "  a += step(3, True)\n"
                     "  a += step(4, False)\n"
                     "tl.store(out, a)",
                     "fp32",
                     "@triton.jit\n"
                     "def step(m, GROWS: tl.constexpr):\n"
                     "  SIZE = 4\n"
                     "  t = 0\n"
                     "  for j in range(m):\n"
                     "    if GROWS:\n"
                     "      SIZE += 1\n"
                     "    else:\n"
                     "      t += tl.sum(tl.full((SIZE,), 1, tl.int32))\n"
                     "  return SIZE + t\n"),
            Numbers({10 * (7 + 4 + 16), -1}));
}

TEST(Emit, RangeLoops) {
  EXPECT_EQ(runFirst(1, "a = 0\nfor k in range(n):\n  a += k\n"
                        "tl.store(out, a)"),
            Numbers({45}));
  EXPECT_EQ(runFirst(1,
                     "a = 0\nfor k in range(n, 0, -3):\n"
                     "  a = a * 10 + k\ntl.store(out, a, n > 0)",
                     "i32"),
            Numbers({10 * 1000 + 7 * 100 + 4 * 10 + 1}));
  EXPECT_EQ(runFirst(1, "a = 0\nfor k in tl.range(2, n, 2, num_stages=3):\n"
                        "  a += k\ntl.store(out, a)"),
            Numbers({20}));
  EXPECT_EQ(runFirst(1, "a = 7\nfor k in range(n, 2):\n  a += k\n"
                        "tl.store(out, a)"),
            Numbers({7}));
  EXPECT_EQ(runFirst(1, "a = 1.0\nfor k in range(3):\n"
                        "  for l in range(2):\n    a *= 2\n"
                        "tl.store(out, a)"),
            Numbers({64}));
}

TEST(Emit, UnsignedAndWideBounds) {
  EXPECT_EQ(runFirst(2, "m = n.to(tl.uint32)\na = 0\n"
                        "for k in range(0, m):\n"
                        "  tl.static_assert(k.dtype == tl.uint32)\n  a += 1\n"
                        "tl.store(out, a)\nb = 0\n"
                        "for k in range(n.to(tl.int64)):\n"
                        "  tl.static_assert(k.dtype == tl.int64)\n  b += 1\n"
                        "tl.store(out + 1, b)"),
            Numbers({10, 10}));
}

TEST(Emit, ConstantsStayConstantInALoopThatKeepsThem) {
  EXPECT_EQ(runFirst(1, "B = 4\nF = True\na = tl.zeros((4,), tl.float32)\n"
                        "for k in range(n):\n"
                        "  B = 4\n"
                        "  if F:\n    a += tl.arange(0, B)\n"
                        "tl.store(out, tl.sum(a))"),
            Numbers({60}));
}

TEST(Emit, LoopsCarryWhatChangesAlone) {
  EmittedKernel kernel =
      emitText("import triton, triton.language as tl\n@triton.jit\n"
               "def kernel(x, n):\n"
               "    a = tl.load(x)\n    b = tl.load(x + 1)\n"
               "    for k in range(n):\n"
               "        a, b = a + b, b\n"
               "    tl.store(x, a)\n",
               {"x=*fp32", "n=i32"});
  ASSERT_TRUE(kernel.emitted) << kernel.error();
  EXPECT_NE(kernel.ir().find("-> (f32)"), std::string::npos);
}

TEST(Emit, TuplesAreCarried) {
  EXPECT_EQ(runFirst(2, "t = (n, 1.0)\nfor k in range(3):\n"
                        "  t = (t[0] + 1, t[1] * 2)\n"
                        "tl.store(out, t[0])\ntl.store(out + 1, t[1])"),
            Numbers({13, 8}));
}

TEST(Emit, WhileLoops) {
  EXPECT_EQ(runFirst(2, "a = n\nc = 0\nwhile a > 1:\n"
                        "  if a % 2 == 0:\n    a = a // 2\n"
                        "  else:\n    a = 3 * a + 1\n"
                        "  c += 1\n"
                        "tl.store(out, a)\ntl.store(out + 1, c)"),
            Numbers({1, 6}));
}

TEST(Emit, UnrolledLoops) {
  EXPECT_EQ(runFirst(3, "a = 0\nfor k in tl.static_range(1, 9, 2):\n"
                        "  if k == 5:\n    continue\n"
                        "  if k == 7:\n    break\n"
                        "  a += k\n"
                        "tl.static_assert(a == 4)\n"
                        "for f in (1, 2.5):\n  a += f\n"
                        "tl.store(out, a)\n"
                        "b = 0\nfor k in tl.static_range(3, 0, -1):\n"
                        "  b = b * 10 + k\n"
                        "tl.store(out + 1, b)"),
            Numbers({7.5, 321, -1}));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

TEST(Emit, CallsOfOtherFunctions) {
  const char *before =
      "K = 3\n"
      "@triton.jit\ndef twice(f, v, *, s: tl.constexpr = K):\n"
      "    return f(f(v, s), s), s\n"
      "@triton.jit\ndef scale(v, s):\n    return v * s\n"
      "@triton.jit\ndef nothing(p):\n    tl.store(p, 5)\n"
      "@triton.jit\ndef total(*vs):\n"
      "    r = 0\n    for v in vs:\n        r += v\n    return r\n";
  EXPECT_EQ(runFirst(4,
                     "a, s = twice(scale, n)\ntl.store(out, a + s)\n"
                     "b, _ = twice(v=n, f=scale, s=2)\n"
                     "tl.store(out + 1, b)\nnothing(out + 2)\n"
                     "tl.store(out + 3, total(n, 1, *(2, 3)))",
                     "fp32", before),
            Numbers({93, 40, 5, 16}));
}

TEST(Emit, Tuples) {
  EXPECT_EQ(runFirst(1, "t = (1, 2, n, 4)\na, (b, c) = t[0], t[1:3]\n"
                        "tl.static_assert(len(t) == 4)\n"
                        "tl.static_assert(t[-1] == 4)\n"
                        "tl.static_assert([k * 2 for k in (1, 2)] == [2, 4])\n"
                        "tl.store(out, a + b + c)"),
            Numbers({13}));
}

TEST(Emit, LocationsNameTheCall) {
  EmittedKernel kernel = emitText("import triton, triton.language as tl\n"
                                  "@triton.jit\n"
                                  "def inner(p):\n"
                                  "    tl.store(p, 1)\n"
                                  "@triton.jit\n"
                                  "def kernel(x):\n"
                                  "    inner(x)\n",
                                  {"x=*fp32"});
  ASSERT_TRUE(kernel.emitted) << kernel.error();
  kernel.emitted->module->walk([&](mlir::Operation *op) {
    if (op->getName().getStringRef() != "tile.store")
      return;
    auto places =
        tesela::emit::userLocations(op->getLoc(), kernel.emitted->sources);
    ASSERT_EQ(places.size(), 2u);
    EXPECT_EQ(places[0].line, 4);
    EXPECT_EQ(places[0].col, 4);
    EXPECT_EQ(places[0].endCol, 18);
    EXPECT_EQ(places[1].line, 7);
  });
  ASSERT_EQ(kernel.emitted->captures.size(), 2u);
  EXPECT_EQ(kernel.emitted->captures[0].name, "inner");
}

TEST(Emit, SignatureOfAKernel) {
  auto source = tesela::Function{"kernel",
                                 "kernel.py",
                                 10,
                                 "    @jit(do_not_specialize=['n', 0])\n"
                                 "    def kernel(a, n, d: 'i64', B: "
                                 "'tl.constexpr' = 4, s=-1.5, *, k=None):\n"
                                 "        pass\n",
                                 nullptr,
                                 false,
                                 {},
                                 {}};
  tesela::Diagnostics diags;
  auto signature = tesela::emit::readSignature(source, diags);
  ASSERT_TRUE(signature) << diags.render();
  const auto &p = signature->parameters;
  ASSERT_EQ(p.size(), 6u);
  EXPECT_TRUE(p[0].doNotSpecialize && p[1].doNotSpecialize);
  EXPECT_FALSE(p[2].doNotSpecialize);
  EXPECT_EQ(p[2].annotatedType, tesela::DType::Int64);
  EXPECT_TRUE(p[3].isConstexpr);
  EXPECT_EQ(std::get<tesela::Integer>(p[3].defaultValue->value).small, 4);
  EXPECT_EQ(std::get<double>(p[4].defaultValue->value), -1.5);
  EXPECT_TRUE(
      std::holds_alternative<tesela::Object::None>(p[5].defaultValue->value));
}

TEST(Emit, TextWithoutAFunction) {
  tesela::Function source{"kernel", "kernel.py", 3,  "x = 1\n",
                          nullptr,  false,       {}, {}};
  tesela::Diagnostics diags;
  EXPECT_FALSE(tesela::emit::readSignature(source, diags));
  EXPECT_EQ(diags.render(),
            "kernel.py:3:1: error: the text of `kernel` does not begin with a "
            "`def` [no-function]\n    x = 1\n    ^\n");
}

TEST(Emit, OtherFunctionsThanDef) {
  tesela::Function lambda{"<lambda>", "kernel.py", 3,  "k = f(lambda x: x,\n",
                          nullptr,    false,       {}, {}};
  tesela::Diagnostics diags;
  EXPECT_FALSE(tesela::emit::readSignature(lambda, diags));
  EXPECT_EQ(diags.render(),
            "kernel.py:3:1: error: a kernel is a `def`, and this is a `lambda` "
            "[no-function]\n    k = f(lambda x: x,\n    ^\n");
  tesela::Function async{
      "k",     "kernel.py", 3,  "@triton.jit\nasync def k(x):\n    pass\n",
      nullptr, false,       {}, {}};
  tesela::Diagnostics others;
  EXPECT_FALSE(tesela::emit::readSignature(async, others));
  EXPECT_EQ(others.render(),
            "kernel.py:4:1: error: a kernel is a plain `def`, and `k` is an "
            "`async def` [no-function]\n    async def k(x):\n    ^\n");
}

TEST(Emit, StaticPrint) {
  EmittedKernel kernel = emitText(
      "import triton, triton.language as tl\n@triton.jit\n"
      "def kernel(x, B: tl.constexpr):\n"
      "    tl.static_print('B', B, f'{B * 2:03d} {x.dtype}', sep=',')\n"
      "    print('done')\n",
      {"x=*fp32", "B=4"});
  ASSERT_TRUE(kernel.emitted) << kernel.error();
  EXPECT_EQ(kernel.emitted->printed, "B,4,008 pointer<float32>\ndone\n");
}
