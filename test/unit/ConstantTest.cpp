//===- ConstantTest.cpp - compile-time values -----------------------------===//

#include "sema/Constant.h"
#include "emit/Handlers.h"
#include "sema/Builtins.h"

#include <gtest/gtest.h>

using namespace tesela;
using sema::Int;
using sema::Value;
using syntax::BinOpKind;
using syntax::CmpOpKind;

static Int whole(const char *digits) { return *Int::parse(digits); }

static std::string fold(BinOpKind op, const Value &a, const Value &b) {
  std::string error;
  Value result = sema::foldBinary(op, a, b, error);
  return result ? result.repr() : error;
}

TEST(Int, IsUnbounded) {
  Int big = *Int::power(Int(2), 200);
  EXPECT_EQ((big - Int(1)).str(),
            "1606938044258990275541962092341162602522202993782792835301375");
  EXPECT_EQ(Int::shiftRight(big, 198).str(), "4");
  EXPECT_EQ(Int::floorDiv(big, -big).str(), "-1");
  EXPECT_EQ((big - big).str(), "0");
  EXPECT_TRUE(-big < Int(0) && Int(0) < big);
  EXPECT_EQ(whole("-9223372036854775808").asInt64(), INT64_MIN);
  EXPECT_FALSE(whole("9223372036854775808").asInt64());
  EXPECT_EQ((Int(INT64_MIN) * Int(INT64_MIN)).str(),
            "85070591730234615865843651857942052864");
  EXPECT_FALSE(Int::power(Int(3), 1 << 20));
  EXPECT_FALSE(Int::shiftLeft(Int(1), uint64_t(1) << 40));
  EXPECT_FALSE(Int::parse("12x"));
  EXPECT_EQ(Int::fromDouble(-1e20)->str(), "-100000000000000000000");
  EXPECT_EQ(Int::fromDouble(-2.9)->str(), "-2");
}

TEST(Constant, DivisionFloors) {
  auto div = [](int64_t a, int64_t b) {
    return fold(BinOpKind::FloorDiv, Int(a), Int(b)) + " " +
           fold(BinOpKind::Mod, Int(a), Int(b));
  };
  EXPECT_EQ(div(7, 2), "3 1");
  EXPECT_EQ(div(-7, 2), "-4 1");
  EXPECT_EQ(div(7, -2), "-4 -1");
  EXPECT_EQ(div(-7, -2), "3 -1");
  EXPECT_EQ(fold(BinOpKind::Mod, -7.5, 2.0), "0.5");
  EXPECT_EQ(fold(BinOpKind::FloorDiv, -7.5, Int(2)), "-4.0");
  EXPECT_EQ(fold(BinOpKind::Div, Int(1), Int(0)), "division by zero");
}

TEST(Constant, Operators) {
  EXPECT_EQ(fold(BinOpKind::Div, Int(7), Int(2)), "3.5");
  EXPECT_EQ(fold(BinOpKind::Pow, Int(2), Int(-1)), "0.5");
  EXPECT_EQ(fold(BinOpKind::BitAnd, true, false), "False");
  EXPECT_EQ(fold(BinOpKind::BitAnd, true, Int(3)), "1");
  EXPECT_EQ(fold(BinOpKind::Add, std::string("a"), std::string("b")), "'ab'");
  EXPECT_EQ(fold(BinOpKind::Mult, Value::tuple({Int(1)}), Int(2)), "(1, 1)");
  EXPECT_EQ(fold(BinOpKind::Sub, std::string("a"), Int(1)),
            "`-` is not defined for the str `'a'` and the int `1`");
}

TEST(Constant, FloatsPrintAsInPython) {
  auto text = [](double value) { return Value(value).repr(); };
  EXPECT_EQ(text(1.0), "1.0");
  EXPECT_EQ(text(1e-6), "1e-06");
  EXPECT_EQ(text(0.0001), "0.0001");
  EXPECT_EQ(text(1e16), "1e+16");
  EXPECT_EQ(text(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(text(-HUGE_VAL), "-inf");
  EXPECT_EQ(*sema::format(Value(2.5), ".2f"), "2.50");
  EXPECT_EQ(*sema::format(Value::integer(7), "03d"), "007");
  EXPECT_FALSE(sema::format(Value::integer(7), ">10"));
  EXPECT_EQ(sema::parseFloat(" -inf "), -HUGE_VAL);
  EXPECT_FALSE(sema::parseFloat("0x10"));
}

TEST(Constant, Comparison) {
  std::string error;
  auto compare = [&](CmpOpKind op, const Value &a, const Value &b) {
    return sema::foldCompare(op, a, b, error).str();
  };
  EXPECT_EQ(compare(CmpOpKind::Eq, Int(1), true), "True");
  EXPECT_EQ(compare(CmpOpKind::Is, Int(1), true), "False");
  EXPECT_EQ(compare(CmpOpKind::Eq, std::string("a"), Int(1)), "False");
  EXPECT_EQ(compare(CmpOpKind::LtE, Int(1), 1.5), "True");
  EXPECT_EQ(compare(CmpOpKind::In, Int(2), Value::tuple({Int(1), Int(2)})),
            "True");
  EXPECT_EQ(compare(CmpOpKind::Eq, sema::Type(DType::Float32),
                    sema::Type(DType::Float32)),
            "True");
  EXPECT_EQ(compare(CmpOpKind::Is, sema::None(), sema::None()), "True");
}

TEST(Constant, NumbersHaveTypes) {
  auto type = [](Value value) {
    std::optional<DType> found = sema::numberType(value);
    return found ? std::string(signatureName(*found)) : "-";
  };
  EXPECT_EQ(type(true), "i1");
  EXPECT_EQ(type(whole("2147483647")), "i32");
  EXPECT_EQ(type(whole("2147483648")), "u32");
  EXPECT_EQ(type(whole("-2147483649")), "i64");
  EXPECT_EQ(type(whole("9223372036854775808")), "u64");
  EXPECT_EQ(type(whole("18446744073709551616")), "-");
  EXPECT_EQ(type(1.5), "fp32");
  EXPECT_EQ(type(1e300), "fp64");
  EXPECT_EQ(type(1e-300), "fp64");
  EXPECT_EQ(type(HUGE_VAL), "fp32");
}

TEST(Builtins, EveryRowHasAHandlerAndAReadableSignature) {
  for (size_t i = 0; i < size_t(sema::BuiltinId::Count); ++i) {
    auto id = sema::BuiltinId(i);
    EXPECT_NE(emit::handlers()[id], nullptr) << sema::qualifiedName(id);
    for (const sema::Parameter &parameter : sema::signatureOf(id).parameters)
      if (parameter.defaultValue)
        EXPECT_TRUE(sema::accepts(parameter, *parameter.defaultValue) ||
                    parameter.isVariadic)
            << sema::qualifiedName(id) << " " << parameter.name;
  }
}

TEST(Builtins, Names) {
  auto name = [](const char *path) {
    return sema::resolveModule(path).describe();
  };
  EXPECT_EQ(name("tesela.language"), "the module `triton.language`");
  EXPECT_EQ(name("triton.language.load"), "the function `tl.load`");
  EXPECT_EQ(name("triton.language.float16"), "the dtype `float16`");
  EXPECT_EQ(name("triton.language.extra.cuda.libdevice.tanh"),
            "the function `tl.tanh`");
  EXPECT_EQ(name("numpy.linalg"), "the module `numpy.linalg`");
  EXPECT_FALSE(sema::languageAttribute({"triton.language"}, "nonsense"));
  EXPECT_TRUE(sema::isUnsupportedName("extern_elementwise"));
}
