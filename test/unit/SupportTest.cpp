//===- SupportTest.cpp - types, values, hashes, options -------------------===//

#include "support/Hash.h"
#include "support/KernelAbi.h"
#include "support/Options.h"
#include "support/Values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

using namespace tesela;

TEST(Types, NamesAndWidthsOfEveryRow) {
  struct Row {
    DType type;
    unsigned bits;
    const char *language, *signature;
  };
  const Row rows[] = {
      {DType::Int1, 1, "int1", "i1"},
      {DType::Int8, 8, "int8", "i8"},
      {DType::Int16, 16, "int16", "i16"},
      {DType::Int32, 32, "int32", "i32"},
      {DType::Int64, 64, "int64", "i64"},
      {DType::UInt8, 8, "uint8", "u8"},
      {DType::UInt16, 16, "uint16", "u16"},
      {DType::UInt32, 32, "uint32", "u32"},
      {DType::UInt64, 64, "uint64", "u64"},
      {DType::Float8E4M3, 8, "float8e4nv", "fp8e4nv"},
      {DType::Float8E5M2, 8, "float8e5", "fp8e5"},
      {DType::Float16, 16, "float16", "fp16"},
      {DType::BFloat16, 16, "bfloat16", "bf16"},
      {DType::Float32, 32, "float32", "fp32"},
      {DType::Float64, 64, "float64", "fp64"},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(bitWidth(row.type), row.bits);
    EXPECT_EQ(byteWidth(row.type), std::max(row.bits / 8, 1u));
    EXPECT_EQ(languageName(row.type), row.language);
    EXPECT_EQ(signatureName(row.type), row.signature);
    EXPECT_EQ(parseDType(row.language), row.type);
    EXPECT_EQ(parseDType(row.signature), row.type);
  }
  EXPECT_FALSE(parseDType("float31"));
}

TEST(KernelAbi, SlotsAreAlignedAsInAStruct) {
  ArgumentLayout layout;
  EXPECT_EQ(layout.append(false, DType::Int1), 0u);
  EXPECT_EQ(layout.append(false, DType::Int32), 4u);
  EXPECT_EQ(layout.append(false, DType::Int8), 8u);
  EXPECT_EQ(layout.append(true, DType::Int8), 16u);
  EXPECT_EQ(layout.append(false, DType::Float16), 24u);
  EXPECT_EQ(layout.bytes, 26u);
}

TEST(Values, SameTypeAndValue) {
  auto integer = [](int64_t n) { return Object{Integer{n, {}}}; };
  EXPECT_TRUE(sameValue(integer(1), integer(1)));
  EXPECT_FALSE(sameValue(integer(1), integer(2)));
  EXPECT_FALSE(sameValue(integer(1), Object{true}));
  EXPECT_FALSE(sameValue(integer(1), Object{1.0}));
  EXPECT_TRUE(sameValue(integer(5), Object{Integer{0, "+5"}}));
  EXPECT_TRUE(sameValue(Object{NAN}, Object{NAN}));
  EXPECT_FALSE(sameValue(Object{0.0}, Object{-0.0}));
  EXPECT_TRUE(sameValue(Object{Object::Tuple{integer(1), Object{2.0}}},
                        Object{Object::Tuple{integer(1), Object{2.0}}}));
  EXPECT_FALSE(
      sameValue(Object{Object::Tuple{integer(1)}}, Object{Object::Tuple{}}));
  EXPECT_FALSE(sameValue(Object{Object::Unsupported{"a list"}},
                         Object{Object::Unsupported{"a list"}}));
  EXPECT_EQ(quickHash(integer(5)), quickHash(Object{Integer{0, "+5"}}));
  EXPECT_NE(quickHash(integer(1)), quickHash(Object{true}));
}

TEST(Values, PrintedAsInPython) {
  EXPECT_EQ(describe({1.0}), "1.0");
  EXPECT_EQ(describe({1e30}), "1e+30");
  EXPECT_EQ(describe({-INFINITY}), "-inf");
  EXPECT_EQ(describe({std::string("it's")}), "'it\\'s'");
  EXPECT_EQ(describe({Object::Tuple{Object{true}}}), "(True,)");
  EXPECT_EQ(describe({DType::BFloat16}), "bfloat16");
}

TEST(Values, ArgumentsAndBack) {
  const Object values[] = {
      {Object::None{}},  {true},
      {Integer{-3, {}}}, {2.5},
      {DType::Int8},     {std::string("tf32")},
      {Object::Tuple{}}, {Integer{0, "99999999999999999999"}}};
  for (const Object &value : values)
    EXPECT_TRUE(sameValue(objectOf(argumentOf(value)), value))
        << describe(value);
  EXPECT_EQ(describe(objectOf(Argument(uint64_t(-1)))), "18446744073709551615");
}

TEST(Hash, BordersCount) {
  EXPECT_NE(Hasher().add("ab").add("c").hex(),
            Hasher().add("a").add("bc").hex());
  EXPECT_EQ(Hasher().add("ab").add(uint64_t(7)).hex(),
            Hasher().add("ab").add(uint64_t(7)).hex());
  EXPECT_EQ(Hasher().hex().size(), 64u);
}

TEST(Options, UnreadableSettingsKeepTheirDefaults) {
  setenv("TESELA_CACHE", "maybe", 1);
  setenv("TESELA_CACHE_MB", "-3", 1);
  setenv("TESELA_NUM_THREADS", "6", 1);
  Options options = Options::fromEnvironment();
  EXPECT_TRUE(options.cache);
  EXPECT_EQ(options.cacheMegabytes, 1024);
  EXPECT_EQ(options.threads, 6);
  ASSERT_EQ(options.problems.size(), 2u);
  EXPECT_EQ(options.problems[0], "`TESELA_CACHE` is `maybe`, which has no "
                                 "effect; it takes `1` or `0`");
  EXPECT_EQ(options.problems[1], "`TESELA_CACHE_MB` is `-3`, which has no "
                                 "effect; it takes a whole number");
  setenv("TESELA_CACHE", "off", 1);
  EXPECT_FALSE(Options::fromEnvironment().cache);
  unsetenv("TESELA_CACHE");
  unsetenv("TESELA_CACHE_MB");
  unsetenv("TESELA_NUM_THREADS");
}
