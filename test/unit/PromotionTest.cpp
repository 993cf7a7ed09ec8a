//===- PromotionTest.cpp - the whole table of element types ---------------===//

#include "sema/Promotion.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace tesela;
using sema::Arithmetic;

/// In the order of the tables below.
static const char *const names[] = {"i1",   "i8",   "i16", "i32", "i64",
                                    "u8",   "u16",  "u32", "u64", "fp16",
                                    "bf16", "fp32", "fp64"};

/// One row an operand, one column the other; `-` where they do not go together.
static const char *const plainTable = R"(
i1   i8   i16  i32  i64  u8   u16  u32  u64  fp16 bf16 fp32 fp64
i8   i8   i16  i32  i64  u8   u16  u32  u64  fp16 bf16 fp32 fp64
i16  i16  i16  i32  i64  i16  u16  u32  u64  fp16 bf16 fp32 fp64
i32  i32  i32  i32  i64  i32  i32  u32  u64  fp16 bf16 fp32 fp64
i64  i64  i64  i64  i64  i64  i64  i64  u64  fp16 bf16 fp32 fp64
u8   u8   i16  i32  i64  u8   u16  u32  u64  fp16 bf16 fp32 fp64
u16  u16  u16  i32  i64  u16  u16  u32  u64  fp16 bf16 fp32 fp64
u32  u32  u32  u32  i64  u32  u32  u32  u64  fp16 bf16 fp32 fp64
u64  u64  u64  u64  u64  u64  u64  u64  u64  fp16 bf16 fp32 fp64
fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp32 fp64
bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 fp16 bf16 fp32 fp64
fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp64
fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64
)";

static std::vector<std::vector<std::string>> readTable(const char *text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; words >> word;)
      row.push_back(word);
    if (!row.empty())
      rows.push_back(row);
  }
  return rows;
}

static std::string shown(std::optional<DType> type) {
  return type ? std::string(signatureName(*type)) : "-";
}

TEST(Promotion, TwoTensors) {
  auto rows = readTable(plainTable);
  ASSERT_EQ(rows.size(), std::size(names));
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < rows.size(); ++j) {
      DType a = *parseDType(names[i]), b = *parseDType(names[j]);
      std::string expected = rows[i][j];
      // A bfloat16 with an int is computed in float32.
      if (expected == "bf16" && a != b)
        expected = "fp32";
      EXPECT_EQ(shown(sema::promote({a}, {b}, Arithmetic::Plain)), expected)
          << names[i] << " + " << names[j];

      bool ints = sema::isInt(a) && sema::isInt(b);
      std::string bitwise = ints ? expected : "-";
      EXPECT_EQ(shown(sema::promote({a}, {b}, Arithmetic::Bitwise)), bitwise)
          << names[i] << " & " << names[j];

      std::string division = expected;
      if (expected == "fp16" || expected == "bf16")
        division = "fp32";
      if (ints && sema::isSigned(a) != sema::isSigned(b))
        division = "-";
      EXPECT_EQ(shown(sema::promote({a}, {b}, Arithmetic::Division)), division)
          << names[i] << " / " << names[j];
    }
}

/// With a constant of type i1, i32 or fp32.
static const char *const constantTable = R"(
i1   i32  fp32
i8   i8   fp32
i16  i16  fp32
i32  i32  fp32
i64  i64  fp32
u8   u8   fp32
u16  u16  fp32
u32  u32  fp32
u64  u64  fp32
fp16 fp16 fp16
bf16 bf16 bf16
fp32 fp32 fp32
fp64 fp64 fp64
)";

TEST(Promotion, WithConstants) {
  auto rows = readTable(constantTable);
  DType constants[] = {DType::Int1, DType::Int32, DType::Float32};
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < 3; ++j) {
      DType type = *parseDType(names[i]);
      EXPECT_EQ(
          shown(sema::promote({type}, {constants[j], true}, Arithmetic::Plain)),
          rows[i][j])
          << names[i] << " with " << shown(constants[j]);
      EXPECT_EQ(
          shown(sema::promote({constants[j], true}, {type}, Arithmetic::Plain)),
          rows[i][j]);
    }
}

TEST(Promotion, ReductionsAndDot) {
  auto sum = [](const char *type) {
    return shown(sema::sumType(*parseDType(type)));
  };
  EXPECT_EQ(sum("i1"), "u32");
  EXPECT_EQ(sum("i8"), "i32");
  EXPECT_EQ(sum("u16"), "u32");
  EXPECT_EQ(sum("i64"), "i64");
  EXPECT_EQ(sum("fp16"), "fp16");
  auto extremum = [](const char *type, bool withIndices) {
    return shown(sema::extremumType(*parseDType(type), withIndices));
  };
  EXPECT_EQ(extremum("fp16", false), "fp32");
  EXPECT_EQ(extremum("fp16", true), "fp16");
  EXPECT_EQ(extremum("bf16", true), "fp32");
  EXPECT_EQ(extremum("u8", false), "i32");
  EXPECT_EQ(extremum("fp64", false), "fp64");
  auto dot = [](const char *type, const char *wanted) {
    return shown(sema::dotType(*parseDType(type), *parseDType(wanted)));
  };
  EXPECT_EQ(dot("fp16", "fp32"), "fp32");
  EXPECT_EQ(dot("fp16", "fp16"), "fp16");
  EXPECT_EQ(dot("bf16", "fp16"), "fp32");
  EXPECT_EQ(dot("fp16", "bf16"), "-");
  EXPECT_EQ(dot("fp64", "fp32"), "fp64");
  EXPECT_EQ(dot("i8", "fp32"), "i32");
  EXPECT_EQ(dot("u8", "fp32"), "-");
}
