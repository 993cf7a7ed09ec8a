//===- LaunchKeyTest.cpp - binding, keys, tables, packing -----------------===//

#include "runtime/Specialisation.h"
#include "support/Values.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

using namespace tesela;
using namespace tesela::runtime;

namespace {

ParameterRules parameter(const char *name, bool isConstexpr = false) {
  ParameterRules rule;
  rule.name = name;
  rule.isConstexpr = isConstexpr;
  return rule;
}

/// kernel(x, n, BLOCK: constexpr, scale = 0.5)
KernelRules exampleRules() {
  KernelRules rules;
  rules.name = "kernel";
  rules.parameters = {parameter("x"), parameter("n"), parameter("BLOCK", true),
                      parameter("scale")};
  ParameterRules &scale = rules.parameters.back();
  scale.defaultValue = Object{0.5};
  scale.defaultArgument = argumentOf(*scale.defaultValue);
  return rules;
}

class Binding : public testing::Test {
protected:
  std::optional<LaunchProblem> bind(std::vector<Argument> positional,
                                    std::vector<NamedArgument> named = {}) {
    bound.assign(rules.parameters.size(), Argument());
    return bindArguments(rules, positional, named, bound);
  }
  void expectProblem(std::optional<LaunchProblem> problem, DiagId id,
                     int parameter, const std::string &message) {
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->id, id);
    EXPECT_EQ(problem->parameter, parameter);
    EXPECT_EQ(problem->message, message);
  }

  KernelRules rules = exampleRules();
  std::vector<Argument> bound;
  float data[64] = {};
};

/// What one argument makes of a key.
struct KeyOf {
  KernelRules rules;
  std::optional<LaunchProblem> problem;
  ParameterKey key;

  explicit KeyOf(const Argument &argument,
                 ParameterRules rule = parameter("p")) {
    rules.name = "kernel";
    rules.parameters = {std::move(rule)};
    Key whole;
    problem = makeKey(rules, {&argument, 1}, whole);
    key = whole.parameters[0];
  }
};

ParameterRules annotated(DType type) {
  ParameterRules rule = parameter("p");
  rule.annotatedType = type;
  return rule;
}

} // namespace

TEST_F(Binding, PositionalNamedAndDefault) {
  EXPECT_FALSE(bind({data, 7}, {{"BLOCK", 64}}));
  EXPECT_EQ(bound[0].pointer, data);
  EXPECT_EQ(bound[1].integer, 7);
  EXPECT_EQ(bound[2].integer, 64);
  EXPECT_EQ(bound[3].number, 0.5);
}

TEST_F(Binding, TooManyPositional) {
  expectProblem(bind({data, 1, 2, 3, 4}), DiagId::ArgumentCount, -1,
                "5 positional arguments given to `kernel`, which has 4 "
                "parameters");
}

TEST_F(Binding, UnknownName) {
  expectProblem(
      bind({data, 1}, {{"BLOK", 64}}), DiagId::ArgumentName, -1,
      "`kernel` has no parameter `BLOK`; it has `x`, `n`, `BLOCK` and "
      "`scale`");
}

TEST_F(Binding, TwoValues) {
  expectProblem(bind({data, 1}, {{"n", 64}}), DiagId::ArgumentName, 1,
                "`kernel` got two values for `n`");
}

TEST_F(Binding, Missing) {
  expectProblem(bind({data}), DiagId::ArgumentMissing, 1,
                "`kernel` needs arguments for `n` and `BLOCK`");
}

TEST_F(Binding, Grids) {
  EXPECT_FALSE(checkGrid(rules, {INT32_MAX, 65535, 65535}));
  expectProblem(
      checkGrid(rules, {0}), DiagId::LaunchGrid, -1,
      "the grid of `kernel` is 0 along axis 0; it must be at least 1");
  expectProblem(checkGrid(rules, {1, -4}), DiagId::LaunchGrid, -1,
                "the grid of `kernel` is -4 along axis 1; it must be at least "
                "1");
  expectProblem(checkGrid(rules, {int64_t(1) << 31}), DiagId::LaunchGrid, -1,
                "the grid of `kernel` is 2147483648 along axis 0; it may be at "
                "most 2147483647");
  expectProblem(checkGrid(rules, {1, 1, 65536}), DiagId::LaunchGrid, -1,
                "the grid of `kernel` is 65536 along axis 2; it may be at most "
                "65535");
}

TEST(LaunchKey, IntegersTakeTheLanguagesTypes) {
  struct Row {
    Argument argument;
    DType type;
    bool divisible;
  };
  const Row rows[] = {
      {7, DType::Int32, false},
      {-16, DType::Int32, true},
      {0, DType::Int32, true},
      {INT32_MIN, DType::Int32, true},
      {int64_t(1) << 31, DType::Int64, true},
      {INT64_MIN, DType::Int64, true},
      {uint64_t(1) << 63, DType::UInt64, true},
      {uint64_t(5), DType::Int32, false},
  };
  for (const Row &row : rows) {
    KeyOf result(row.argument);
    ASSERT_FALSE(result.problem);
    EXPECT_EQ(result.key.kind, ParameterKind::Scalar);
    EXPECT_EQ(result.key.dtype, row.type) << describe(objectOf(row.argument));
    EXPECT_EQ(bool(result.key.divisible), row.divisible);
  }
}

TEST(LaunchKey, OneBecomesAConstantUnlessItsTypeIsGiven) {
  EXPECT_EQ(KeyOf(1).key.kind, ParameterKind::Constant);
  EXPECT_EQ(KeyOf(Argument(1, DType::Int64)).key.dtype, DType::Int64);
  EXPECT_EQ(KeyOf(1, annotated(DType::Int64)).key.kind, ParameterKind::Scalar);
  ParameterRules rule = parameter("p");
  rule.specialiseOne = rule.specialiseAlignment = false;
  EXPECT_EQ(KeyOf(1, rule).key.kind, ParameterKind::Scalar);
  EXPECT_EQ(KeyOf(16, rule).key.divisible, 0);
}

TEST(LaunchKey, OtherScalars) {
  EXPECT_EQ(KeyOf(true).key.dtype, DType::Int1);
  EXPECT_EQ(KeyOf(1.0).key.dtype, DType::Float32);
  EXPECT_EQ(KeyOf(1.0, annotated(DType::Float64)).key.dtype, DType::Float64);
  EXPECT_EQ(KeyOf(3, annotated(DType::BFloat16)).key.dtype, DType::BFloat16);
  EXPECT_EQ(KeyOf(nullptr).key.kind, ParameterKind::Constant);
}

TEST(LaunchKey, Pointers) {
  auto *address = reinterpret_cast<void *>(4096);
  KeyOf aligned(Argument(address, DType::Float16));
  EXPECT_EQ(aligned.key.kind, ParameterKind::Pointer);
  EXPECT_EQ(aligned.key.dtype, DType::Float16);
  EXPECT_TRUE(aligned.key.divisible);
  address = reinterpret_cast<void *>(4104);
  EXPECT_FALSE(KeyOf(Argument(address, DType::Float16)).key.divisible);
}

TEST(LaunchKey, RefusesWhatDoesNotFit) {
  struct Row {
    KeyOf result;
    DiagId id;
    const char *message;
  };
  auto *address = reinterpret_cast<void *>(4096);
  const Row rows[] = {
      {KeyOf(300, annotated(DType::Int8)), DiagId::ArgumentRange,
       "argument `p` of `kernel` is 300, which does not fit int8"},
      {KeyOf(-1, annotated(DType::UInt32)), DiagId::ArgumentRange,
       "argument `p` of `kernel` is -1, which does not fit uint32"},
      {KeyOf(2, annotated(DType::Int1)), DiagId::ArgumentRange,
       "argument `p` of `kernel` is 2, which does not fit int1"},
      {KeyOf(uint64_t(-1), annotated(DType::Int64)), DiagId::ArgumentRange,
       "argument `p` of `kernel` is 18446744073709551615, which does not fit "
       "int64"},
      {KeyOf(1.5, annotated(DType::Int32)), DiagId::ArgumentType,
       "argument `p` of `kernel` is a float; its annotation asks for int32"},
      {KeyOf("text"), DiagId::ArgumentType,
       "argument `p` of `kernel` is str, which only a `tl.constexpr` parameter "
       "takes"},
      {KeyOf(Argument(address, DType::Int8), parameter("p", true)),
       DiagId::ArgumentType,
       "argument `p` of `kernel` is a pointer; a `tl.constexpr` parameter "
       "takes "
       "a compile-time value"},
      {KeyOf(Argument(address, DType::Int8), annotated(DType::Int32)),
       DiagId::ArgumentType,
       "argument `p` of `kernel` is a pointer to int8; its annotation asks for "
       "a scalar int32"},
  };
  for (const Row &row : rows) {
    ASSERT_TRUE(row.result.problem) << row.message;
    EXPECT_EQ(row.result.problem->id, row.id);
    EXPECT_EQ(row.result.problem->parameter, 0);
    EXPECT_EQ(row.result.problem->message, row.message);
  }
}

TEST(LaunchKey, BoundariesOfNarrowIntegersFit) {
  for (int value : {-128, 127})
    EXPECT_FALSE(KeyOf(value, annotated(DType::Int8)).problem);
  for (int value : {0, 255})
    EXPECT_FALSE(KeyOf(value, annotated(DType::UInt8)).problem);
  for (int value : {-129, 128})
    EXPECT_TRUE(KeyOf(value, annotated(DType::Int8)).problem);
}

TEST(SpecialisationTable, TellsConstantsApartByValue) {
  KernelRules rules;
  rules.name = "kernel";
  rules.parameters = {parameter("c", true)};
  const Object values[] = {
      {Integer{1, {}}},
      {Integer{2, {}}},
      {true},
      {1.0},
      {Object::None{}},
      {DType::Float32},
      {DType::Float16},
      {std::string("a")},
      {std::string("b")},
      {Object::Tuple{Object{Integer{1, {}}}}},
      {Object::Tuple{Object{Integer{2, {}}}}},
  };
  SpecialisationTable table;
  std::vector<Specialisation *> found;
  // Enough of them that the table grows.
  for (int round = 0; round < 2; ++round)
    for (const Object &value : values) {
      Argument argument(value);
      Key key;
      ASSERT_FALSE(makeKey(rules, {&argument, 1}, key));
      found.push_back(&table.get(key, {&argument, 1}));
      EXPECT_EQ(table.find(key, {&argument, 1}), found.back());
    }
  size_t count = std::size(values);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(found[i], found[i + count]);
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(found[i], found[j]) << i << " " << j;
  }
  // The same text from another place.
  std::string text = "a";
  Argument argument(text);
  Key key;
  ASSERT_FALSE(makeKey(rules, {&argument, 1}, key));
  EXPECT_EQ(table.find(key, {&argument, 1}), found[7]);
}

TEST(SpecialisationTable, ManyThreadsAgree) {
  KernelRules rules;
  rules.name = "kernel";
  rules.parameters = {parameter("c", true)};
  SpecialisationTable table;
  constexpr int count = 500;
  std::vector<std::vector<Specialisation *>> seen(4);
  std::vector<std::thread> threads;
  for (auto &mine : seen)
    threads.emplace_back([&] {
      for (int i = 0; i < count; ++i) {
        Argument argument(i);
        Key key;
        makeKey(rules, {&argument, 1}, key);
        mine.push_back(&table.get(key, {&argument, 1}));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &mine : seen)
    EXPECT_EQ(mine, seen[0]);
}

TEST(Pack, EveryKindOfArgument) {
  KernelRules rules;
  rules.name = "kernel";
  std::vector<Argument> arguments = {true,
                                     -2,
                                     Argument(uint64_t(-1)),
                                     1.5f,
                                     Argument(0.1, DType::Float64),
                                     Argument(1.0, DType::Float16),
                                     Argument(-2.0, DType::BFloat16),
                                     Argument(3, DType::Float32)};
  const DType types[] = {DType::Int1,     DType::Int32,   DType::UInt64,
                         DType::Float32,  DType::Float64, DType::Float16,
                         DType::BFloat16, DType::Float32};
  PackPlan plan;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    rules.parameters.push_back(parameter("p"));
    plan.slots.push_back({i, i * 8, types[i], uint8_t(byteWidth(types[i])),
                          false, false, false});
  }
  char buffer[64] = {};
  ASSERT_FALSE(packArguments(rules, plan, arguments, buffer));
  auto read = [&](int slot, auto value) {
    std::memcpy(&value, buffer + slot * 8, sizeof value);
    return value;
  };
  EXPECT_EQ(read(0, uint8_t()), 1);
  EXPECT_EQ(read(1, int32_t()), -2);
  EXPECT_EQ(read(2, uint64_t()), UINT64_MAX);
  EXPECT_EQ(read(3, float()), 1.5f);
  EXPECT_EQ(read(4, double()), 0.1);
  EXPECT_EQ(read(5, uint16_t()), 0x3C00);
  EXPECT_EQ(read(6, uint16_t()), 0xC000);
  EXPECT_EQ(read(7, float()), 3.0f);
}

TEST(Pack, RefusesNullAndReadOnly) {
  KernelRules rules;
  rules.name = "kernel";
  rules.parameters = {parameter("out")};
  PackPlan plan = {{{0, 0, DType::Float32, 8, true, true, false}}, 8};
  char buffer[8];
  float data[4];
  auto pack = [&](Argument argument) {
    return packArguments(rules, plan, {&argument, 1}, buffer);
  };
  EXPECT_FALSE(pack(data));
  auto null = pack(static_cast<float *>(nullptr));
  ASSERT_TRUE(null);
  EXPECT_EQ(null->id, DiagId::NullPointer);
  EXPECT_EQ(null->message, "argument `out` of `kernel` is a null pointer");
  // Of an empty array nothing can be read.
  EXPECT_FALSE(pack(std::span<float>()));
  auto readOnly = pack(static_cast<const float *>(data));
  ASSERT_TRUE(readOnly);
  EXPECT_EQ(readOnly->id, DiagId::ReadOnlyArgument);
  EXPECT_EQ(readOnly->message, "argument `out` of `kernel` is read-only, and "
                               "the kernel writes to it");
  plan.slots[0].isWritten = false;
  EXPECT_FALSE(pack(static_cast<const float *>(data)));
}

namespace {
/// One global, `g`, that changes.
struct ChangingEnvironment final : Environment {
  Object value;
  uint64_t number = 0;
  int lookups = 0;

  std::optional<Object> lookup(const std::string &name) override {
    ++lookups;
    return name == "g" ? std::optional(value) : std::nullopt;
  }
  std::optional<Object> attribute(const ModuleName &,
                                  const std::string &) override {
    return std::nullopt;
  }
  uint64_t identity(const std::string &) override { return number; }
  uint64_t identity(const ModuleName &, const std::string &) override {
    return 0;
  }
};
} // namespace

TEST(Captures, ComparedByIdentityThenByValue) {
  auto environment = std::make_shared<ChangingEnvironment>();
  auto function = std::make_shared<Function>();
  function->environment = environment;
  environment->value = {Integer{1, {}}};
  environment->number = 10;
  CapturedName captured(function, std::nullopt, "g", environment->value);
  EXPECT_TRUE(captured.holds());
  EXPECT_EQ(environment->lookups, 1);
  EXPECT_TRUE(captured.holds());
  EXPECT_EQ(environment->lookups, 1); // the identity was enough
  environment->number = 11;           // another object of the same value
  EXPECT_TRUE(captured.holds());
  EXPECT_EQ(environment->lookups, 2);
  environment->value = {Integer{2, {}}};
  environment->number = 12;
  EXPECT_FALSE(captured.holds());
  CapturedName gone(function, std::nullopt, "h", Object{true});
  EXPECT_FALSE(gone.holds());
  CapturedName absent(function, std::nullopt, "h", std::nullopt);
  EXPECT_TRUE(absent.holds());
}

TEST(LaunchKey, ArgumentsThatDoNotHoldWhatTheySay) {
  float data[1];
  std::vector<Argument> arguments(7);
  arguments[0] = Argument(data, DType(200));
  arguments[1] = Argument(data);
  arguments[1].dtype.reset();
  arguments[2] = Argument(0.5, DType(15));
  arguments[3].kind = Argument::Kind(77);
  arguments[4].kind = Argument::Kind::Type;
  arguments[5].kind = Argument::Kind::Value;
  arguments[5].object = nullptr;
  Object noFunction{Object::FunctionRef()};
  arguments[6] = Argument(noFunction);
  for (bool isConstexpr : {false, true}) {
    for (const Argument &argument : arguments) {
      KeyOf seen(argument, parameter("p", isConstexpr));
      ASSERT_TRUE(seen.problem) << &argument - arguments.data();
      EXPECT_EQ(seen.problem->id, DiagId::ArgumentType);
    }
  }
}
