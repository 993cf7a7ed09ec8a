//===- HostProgramTest.cpp - formulas that a launch evaluates -------------===//

#include "support/GpuLaunch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace tesela;
using Op = HostInstruction::Op;

namespace {

/// What one operation of two numbers gives, after a constant each.
int64_t compute(Op op, int64_t a, int64_t b) {
  HostProgram program{{{Op::Constant, 0, 0, 0, a},
                       {Op::Constant, 0, 0, 0, b},
                       {op, 0, 1, 0, 0}}};
  EXPECT_TRUE(program.isValid({}));
  int64_t values[3];
  const int32_t grid[3] = {1, 1, 1};
  program.evaluate(nullptr, {}, grid, values);
  return values[2];
}

int64_t extend(Op op, int64_t a, int64_t bits) {
  HostProgram program{{{Op::Constant, 0, 0, 0, a}, {op, 0, 0, 0, bits}}};
  EXPECT_TRUE(program.isValid({}));
  int64_t values[2];
  const int32_t grid[3] = {1, 1, 1};
  program.evaluate(nullptr, {}, grid, values);
  return values[1];
}

} // namespace

TEST(HostProgram, WrapsAround) {
  EXPECT_EQ(compute(Op::Add, INT64_MAX, 1), INT64_MIN);
  EXPECT_EQ(compute(Op::Sub, INT64_MIN, 1), INT64_MAX);
  EXPECT_EQ(compute(Op::Mul, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(compute(Op::Mul, int64_t(1) << 40, int64_t(1) << 40), 0);
}

TEST(HostProgram, DividesEverything) {
  EXPECT_EQ(compute(Op::DivSigned, -7, 2), -3);
  EXPECT_EQ(compute(Op::RemSigned, -7, 2), -1);
  EXPECT_EQ(compute(Op::DivSigned, 5, 0), 0);
  EXPECT_EQ(compute(Op::RemSigned, 5, 0), 5);
  EXPECT_EQ(compute(Op::DivSigned, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(compute(Op::RemSigned, INT64_MIN, -1), 0);
}

TEST(HostProgram, ShiftsByAnyAmount) {
  EXPECT_EQ(compute(Op::ShiftLeft, 1, 63), INT64_MIN);
  EXPECT_EQ(compute(Op::ShiftLeft, 1, 64), 0);
  EXPECT_EQ(compute(Op::ShiftRight, -1, 60), 15);
  EXPECT_EQ(compute(Op::ShiftRight, -1, 64), 0);
  EXPECT_EQ(compute(Op::ShiftRight, -1, -1), 0);
  EXPECT_EQ(compute(Op::ShiftRightSigned, -8, 1), -4);
  EXPECT_EQ(compute(Op::ShiftRightSigned, -8, 64), -1);
  EXPECT_EQ(compute(Op::ShiftRightSigned, 8, -1), 0);
}

TEST(HostProgram, ComparesWithAndWithoutSigns) {
  EXPECT_EQ(compute(Op::LessSigned, -1, 1), 1);
  EXPECT_EQ(compute(Op::LessUnsigned, -1, 1), 0);
  EXPECT_EQ(compute(Op::LessEqualSigned, 3, 3), 1);
  EXPECT_EQ(compute(Op::LessEqualUnsigned, 3, -3), 1);
  EXPECT_EQ(compute(Op::Equal, 3, 3), 1);
  EXPECT_EQ(compute(Op::NotEqual, 3, 3), 0);
  EXPECT_EQ(compute(Op::MinSigned, -1, 1), -1);
  EXPECT_EQ(compute(Op::MaxSigned, -1, 1), 1);
  EXPECT_EQ(compute(Op::MinUnsigned, -1, 1), 1);
  EXPECT_EQ(compute(Op::MaxUnsigned, -1, 1), -1);
}

TEST(HostProgram, Extends) {
  EXPECT_EQ(extend(Op::ExtendSign, 0xff, 8), -1);
  EXPECT_EQ(extend(Op::ExtendSign, 0x17f, 8), 0x7f);
  EXPECT_EQ(extend(Op::ExtendZero, -1, 8), 0xff);
  EXPECT_EQ(extend(Op::ExtendSign, -5, 64), -5);
  EXPECT_EQ(extend(Op::ExtendZero, -5, 64), -5);
  EXPECT_EQ(extend(Op::ExtendSign, 1, 1), -1);
}

TEST(HostProgram, ReadsArgumentsAndTheGrid) {
  ArgumentLayout layout;
  layout.append(false, DType::Int1);
  layout.append(false, DType::Int8);
  layout.append(false, DType::UInt16);
  layout.append(false, DType::Int32);
  layout.append(false, DType::UInt32);
  layout.append(true, DType::Float32);
  layout.append(false, DType::Float32);
  alignas(8) char buffer[64] = {};
  buffer[0] = 1;
  buffer[1] = char(-3);
  uint16_t sixteen = 65535;
  int32_t negative = -7;
  uint32_t large = 0xfffffff0;
  uint64_t address = 0xfedcba9876543210;
  std::memcpy(buffer + layout.slots[2].offset, &sixteen, 2);
  std::memcpy(buffer + layout.slots[3].offset, &negative, 4);
  std::memcpy(buffer + layout.slots[4].offset, &large, 4);
  std::memcpy(buffer + layout.slots[5].offset, &address, 8);
  float minusTwo = -2;
  std::memcpy(buffer + layout.slots[6].offset, &minusTwo, 4);
  HostProgram program;
  for (uint32_t slot = 0; slot < 7; ++slot)
    program.instructions.push_back({Op::Argument, slot, 0, 0, 0});
  for (uint32_t axis = 0; axis < 3; ++axis)
    program.instructions.push_back({Op::Grid, axis, 0, 0, 0});
  program.instructions.push_back({Op::Select, 0, 3, 4, 0});
  ASSERT_TRUE(program.isValid(layout));
  int64_t values[11];
  const int32_t grid[3] = {5, 6, 7};
  program.evaluate(buffer, layout, grid, values);
  const int64_t wanted[] = {
      1, -3, 65535, -7, 0xfffffff0, int64_t(address), int32_t(0xc0000000),
      5, 6,  7,     -7};
  for (int i = 0; i < 11; ++i)
    EXPECT_EQ(values[i], wanted[i]) << i;
}

TEST(HostProgram, RefusesWhatMakesNoSense) {
  ArgumentLayout layout;
  layout.append(false, DType::Int32);
  layout.append(false, DType::Float16);
  auto isValid = [&](HostInstruction last) {
    return HostProgram{{{Op::Constant, 0, 0, 0, 1}, last}}.isValid(layout);
  };
  EXPECT_TRUE(isValid({Op::Argument, 0, 0, 0, 0}));
  EXPECT_FALSE(isValid({Op::Argument, 1, 0, 0, 0})); // a float
  EXPECT_FALSE(isValid({Op::Argument, 2, 0, 0, 0}));
  EXPECT_FALSE(isValid({Op::Grid, 3, 0, 0, 0}));
  EXPECT_FALSE(isValid({Op::Add, 0, 1, 0, 0})); // itself
  EXPECT_TRUE(isValid({Op::Add, 0, 0, 9, 0}));
  EXPECT_FALSE(isValid({Op::Select, 0, 0, 1, 0}));
  EXPECT_FALSE(isValid({Op::ExtendSign, 0, 0, 0, 0}));
  EXPECT_FALSE(isValid({Op::ExtendZero, 0, 0, 0, 65}));
  EXPECT_FALSE(isValid({Op(200), 0, 0, 0, 0}));
  layout.bytes = 3; // the buffer ends inside an argument
  EXPECT_FALSE(isValid({Op::Argument, 0, 0, 0, 0}));
}

// Whatever a file says: a program that is found valid can be evaluated.
TEST(HostProgram, RandomProgramsStayInBounds) {
  std::mt19937_64 random(7);
  ArgumentLayout layout;
  layout.append(true, DType::Float32);
  layout.append(false, DType::Int64);
  layout.append(false, DType::UInt8);
  int numValid = 0;
  for (int round = 0; round < 20000; ++round) {
    HostProgram program;
    for (size_t i = 0, size = random() % 6 + 1; i < size; ++i) {
      auto operand = [&] { return uint32_t(random() % (i + 1)); };
      program.instructions.push_back({Op(random() % 28), operand(), operand(),
                                      operand(), int64_t(random() % 70) - 2});
    }
    if (!program.isValid(layout))
      continue;
    ++numValid;
    std::vector<char> buffer(layout.bytes, char(random()));
    std::vector<int64_t> values(program.instructions.size());
    const int32_t grid[3] = {int32_t(random()), 1, 2};
    program.evaluate(buffer.data(), layout, grid, values);
    std::vector<int64_t> again(values.size());
    program.evaluate(buffer.data(), layout, grid, again);
    EXPECT_EQ(values, again);
  }
  EXPECT_GT(numValid, 500);
}

TEST(GpuLaunch, RefusesNumbersOutOfRange) {
  GpuLaunch good;
  good.host.instructions = {{Op::Constant, 0, 0, 0, 64}};
  good.precondition = 0;
  good.tensorMaps = {{DType::Float16, 128, 0, {{0, 0, 64}, {0, 0, 128}}}};
  ASSERT_TRUE(good.isValid({}));
  auto refuses = [&](auto change) {
    GpuLaunch bad = good;
    change(bad);
    return !bad.isValid({});
  };
  EXPECT_TRUE(refuses([](GpuLaunch &l) { l.threads = 0; }));
  EXPECT_TRUE(refuses([](GpuLaunch &l) { l.threads = 1025; }));
  EXPECT_TRUE(refuses([](GpuLaunch &l) { l.cluster = 0; }));
  EXPECT_TRUE(refuses([](GpuLaunch &l) { l.sharedBytes = UINT32_MAX; }));
  EXPECT_TRUE(refuses([](GpuLaunch &l) { l.crowdedBytes = UINT32_MAX; }));
  EXPECT_TRUE(refuses([](GpuLaunch &l) { l.precondition = 1; }));
  EXPECT_TRUE(refuses([](GpuLaunch &l) { l.tensorMaps.resize(25); }));
  EXPECT_TRUE(
      refuses([](GpuLaunch &l) { l.tensorMaps[0].dimensions.clear(); }));
  EXPECT_TRUE(refuses(
      [](GpuLaunch &l) { l.tensorMaps[0].dimensions.resize(6, {0, 0, 1}); }));
  EXPECT_TRUE(refuses([](GpuLaunch &l) { l.tensorMaps[0].swizzleBytes = 16; }));
  EXPECT_TRUE(refuses([](GpuLaunch &l) { l.tensorMaps[0].address = 1; }));
  EXPECT_TRUE(
      refuses([](GpuLaunch &l) { l.tensorMaps[0].dimensions[1].stride = 1; }));
  EXPECT_TRUE(
      refuses([](GpuLaunch &l) { l.tensorMaps[0].dimensions[0].box = 257; }));
}
