//===- CpuCodeTest.cpp - object code: made, loaded, refused ---------------===//

#include "CpuKernel.h"
#include "Emulator.h"

#include "target/cpu/Machine.h"

#include "llvm/BinaryFormat/ELF.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace tesela;
using namespace tesela::test;

namespace {

/// Adds a constant table, eight at a time: code, constants and relocations.
const char *const addTable = R"(
  func.func @addTable(%from: !llvm.ptr, %to: !llvm.ptr) {
    %x = llvm.load %from : !llvm.ptr -> vector<8xf32>
    %table = arith.constant dense<[1., 2., 3., 4., 5., 6., 7., 8.5]>
        : vector<8xf32>
    %y = arith.addf %x, %table : vector<8xf32>
    llvm.store %y, %to : vector<8xf32>, !llvm.ptr
    return
  }
)";

std::string hostObject(const char *text) {
  std::string error;
  std::string object = compileText(text, cpu::hostFacts(), false, error);
  EXPECT_EQ(error, "");
  return object;
}

TEST(HostFacts, DescribesThisProcessor) {
  TargetFacts facts = cpu::hostFacts();
  EXPECT_NE(facts.triple, "");
  EXPECT_NE(facts.processor, "");
  EXPECT_TRUE(facts.vectorBytes == 16 || facts.vectorBytes == 32 ||
              facts.vectorBytes == 64);
  EXPECT_GE(facts.vectorRegisters, 16u);
}

TEST(HostFacts, FeaturesAreSwitchedOff) {
  TargetFacts facts = cpu::hostFacts(), before = facts;
  EXPECT_EQ(cpu::switchOff(facts, ""), "");
  EXPECT_EQ(facts, before);
  EXPECT_EQ(cpu::switchOff(facts, "fma,avx9"),
            "`avx9` is no feature that LLVM knows here");
  EXPECT_EQ(facts, before);

  facts.triple = "x86_64-unknown-linux-gnu";
  facts.processor = "skylake-avx512";
  facts.features = "+avx512vl";
  before = facts;
  EXPECT_EQ(cpu::switchOff(facts, "sse2"), "every such processor has `sse2`");
  EXPECT_EQ(facts, before);
  EXPECT_EQ(cpu::switchOff(facts, " avx512f , fma"), "");
  EXPECT_EQ(facts.vectorBytes, 32u);
  EXPECT_EQ(facts.vectorRegisters, 16u);
  for (const char *gone : {"avx512f", "avx512vl", "avx512bw", "fma"})
    EXPECT_FALSE(cpu::hasFeature(facts, gone)) << gone;
  EXPECT_TRUE(cpu::hasFeature(facts, "avx2"));
  EXPECT_EQ(cpu::switchOff(facts, "avx"), "");
  EXPECT_FALSE(cpu::hasFeature(facts, "avx2"));
  EXPECT_EQ(facts.vectorBytes, 16u);
}

TEST(LoadedObject, Runs) {
  std::string error;
  auto object = cpu::LoadedObject::load(hostObject(addTable), error);
  ASSERT_TRUE(object) << error;
  auto function = reinterpret_cast<void (*)(const float *, float *)>(
      object->find("addTable"));
  ASSERT_TRUE(function);
  alignas(64) float from[8] = {10, 20, 30, 40, 50, 60, 70, 80};
  alignas(64) float to[8] = {};
  function(from, to);
  EXPECT_EQ(to[0], 11.f);
  EXPECT_EQ(to[7], 88.5f);
  EXPECT_EQ(object->find("subTable"), nullptr);
}

TEST(LoadedObject, CallsTheMathsLibrary) {
  std::string error;
  auto object = cpu::LoadedObject::load(hostObject(R"(
    llvm.func @atan2(f64, f64) -> f64
    func.func @angle(%y: f64, %x: f64) -> f64 {
      %r = llvm.call @atan2(%y, %x) : (f64, f64) -> f64
      return %r : f64
    }
  )"),
                                        error);
  ASSERT_TRUE(object) << error;
  auto function =
      reinterpret_cast<double (*)(double, double)>(object->find("angle"));
  ASSERT_TRUE(function);
  EXPECT_EQ(function(1, -2), std::atan2(1., -2.));
}

TEST(LoadedObject, RefusesNamesOfTheProcess) {
  std::string error;
  auto object = cpu::LoadedObject::load(hostObject(R"(
    llvm.func @system(!llvm.ptr) -> i32
    func.func @run(%p: !llvm.ptr) -> i32 {
      %r = llvm.call @system(%p) : (!llvm.ptr) -> i32
      return %r : i32
    }
  )"),
                                        error);
  EXPECT_FALSE(object);
  EXPECT_NE(error.find("`system`"), std::string::npos) << error;
}

TEST(LoadedObject, RefusesWhatIsNoObject) {
  std::string error;
  EXPECT_FALSE(cpu::LoadedObject::load("", error));
  EXPECT_NE(error, "");
  EXPECT_FALSE(cpu::LoadedObject::load("not an object", error));
  EXPECT_FALSE(cpu::LoadedObject::load(std::string(100000, '\0'), error));
  EXPECT_FALSE(cpu::LoadedObject::load(std::string(100000, '\xff'), error));
}

TEST(LoadedObject, RefusesTruncatedObjects) {
  std::string object = hostObject(addTable);
  std::string error;
  ASSERT_TRUE(cpu::LoadedObject::load(object, error)) << error;
  // The section table is the file's last part, so that any cut damages it.
  for (size_t length = 0; length < object.size(); ++length) {
    error.clear();
    EXPECT_FALSE(cpu::LoadedObject::load(object.substr(0, length), error))
        << length;
    EXPECT_NE(error, "");
  }
}

TEST(LoadedObject, SurvivesDamagedBytes) {
  std::string object = hostObject(addTable);
  std::string error;
  unsigned refused = 0;
  for (size_t at = 0; at < object.size(); ++at) {
    for (unsigned char value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string damaged = object;
      damaged[at] = char(value);
      error.clear();
      if (!cpu::LoadedObject::load(damaged, error)) {
        ++refused;
        EXPECT_NE(error, "");
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(LoadedObject, RefusesAnotherProcessor) {
#if defined(__x86_64__)
  std::string error;
  std::string object = compileText(addTable, emulatedFacts(), false, error);
  ASSERT_EQ(error, "");
  EXPECT_FALSE(cpu::LoadedObject::load(object, error));
  EXPECT_NE(error.find("another processor"), std::string::npos) << error;
#endif
}

TEST(GenerateCode, MakesAArch64) {
  std::string error;
  std::string object = compileText(addTable, emulatedFacts(), false, error);
  ASSERT_EQ(error, "");
  ASSERT_GT(object.size(), sizeof(llvm::ELF::Elf64_Ehdr));
  llvm::ELF::Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof(header));
  EXPECT_EQ(header.e_machine, llvm::ELF::EM_AARCH64);

  std::string assembly = compileText(addTable, emulatedFacts(), true, error);
  EXPECT_NE(assembly.find("fadd\tv"), std::string::npos) << assembly;
}

TEST(GenerateCode, KeepsWideVectorsWhole) {
  TargetFacts facts;
  facts.triple = "x86_64-unknown-linux-gnu";
  facts.processor = "skylake-avx512";
  facts.vectorBytes = 64;
  std::string error;
  std::string assembly = compileText(R"(
    func.func @add(%p: !llvm.ptr) {
      %x = llvm.load %p : !llvm.ptr -> vector<16xf32>
      %y = arith.addf %x, %x : vector<16xf32>
      llvm.store %y, %p : vector<16xf32>, !llvm.ptr
      return
    }
  )",
                                     facts, true, error);
  EXPECT_EQ(error, "");
  EXPECT_NE(assembly.find("%zmm"), std::string::npos) << assembly;
}

TEST(GenerateCode, ReportsUnknownMachines) {
  TargetFacts facts = emulatedFacts();
  facts.processor = "abacus";
  std::string error;
  EXPECT_EQ(compileText(addTable, facts, false, error), "");
  EXPECT_NE(error.find("`abacus`"), std::string::npos) << error;

  facts.triple = "pdp11-dec-unix";
  EXPECT_EQ(compileText(addTable, facts, false, error), "");
  EXPECT_NE(error.find("`pdp11-dec-unix`"), std::string::npos) << error;

  facts.triple = "aarch64-apple-darwin";
  EXPECT_EQ(compileText(addTable, facts, false, error), "");
  EXPECT_NE(error.find("ELF"), std::string::npos) << error;
}

TEST(GenerateCode, ReportsWhatDoesNotTranslate) {
  mlir::MLIRContext context;
  std::string error;
  auto module = lowerText(context, "module {}", cpu::hostFacts(), error);
  ASSERT_TRUE(module) << error;
  mlir::OpBuilder builder(module->getBodyRegion());
  mlir::func::FuncOp::create(builder, builder.getUnknownLoc(), "f",
                             builder.getFunctionType({}, {}))
      .setPrivate();
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  EXPECT_EQ(cpu::generateCode(*module, cpu::hostFacts(), false, nullptr, error),
            "");
  EXPECT_NE(error, "");
}

TEST(GenerateCode, ShowsItsStages) {
  mlir::MLIRContext context;
  std::string error;
  auto module = lowerText(context, addTable, cpu::hostFacts(), error);
  ASSERT_TRUE(module) << error;
  std::vector<std::string> stages;
  auto observe = [&](const std::string &stage,
                     llvm::function_ref<std::string()> print) {
    stages.push_back(stage);
    std::string text = print();
    EXPECT_NE(text.find("addTable"), std::string::npos) << stage;
    // The lines of the module's text.
    EXPECT_NE(text.find(stage == "llvm" ? "!DILocation(line: 6" : "# -:6:"),
              std::string::npos)
        << text;
  };
  std::string object =
      cpu::generateCode(*module, cpu::hostFacts(), false, observe, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(stages, (std::vector<std::string>{"llvm", "asm"}));
  EXPECT_EQ(object, hostObject(addTable));
}

} // namespace
