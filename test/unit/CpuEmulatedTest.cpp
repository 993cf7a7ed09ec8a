//===- CpuEmulatedTest.cpp - AArch64 code under an emulator ---------------===//
//
// Links the object of each elementary function with a start that reads numbers,
// applies the function and writes the results; runs it under qemu-aarch64, and
// holds the results to the same bounds as the host's. Skipped where there is no
// emulator, no clang or no lld.
//
//===----------------------------------------------------------------------===//

#include "CpuKernel.h"
#include "MathCases.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <random>

using namespace tesela;
using namespace tesela::test;

namespace {

constexpr size_t mostNumbers = 32768;

/// Reads up to 2^17 bytes, runs the kernel on them, writes as many.
const char *const start = R"(
  typedef long word;
  static char input[1 << 17] __attribute__((aligned(64)));
  static char output[1 << 17] __attribute__((aligned(64)));
  void kernel(const void *x, const void *y, void *out, word count);

  static word call(word number, word a, void *b, word c) {
    register word x8 __asm__("x8") = number;
    register word x0 __asm__("x0") = a;
    register void *x1 __asm__("x1") = b;
    register word x2 __asm__("x2") = c;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2)
                     : "memory");
    return x0;
  }

  void _start(void) {
    word bytes = call(63, 0, input, sizeof(input));
    kernel(input, input, output, bytes / 4);
    call(64, 1, output, bytes);
    call(93, 0, 0, 0);
  }
)";

/// A file that goes with the test.
struct TemporaryFile {
  explicit TemporaryFile(llvm::StringRef suffix) {
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("tesela", suffix, path));
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }

  void write(llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
    EXPECT_FALSE(error);
  }

  llvm::SmallString<64> path;
};

std::string program(const char *name, const char *folder) {
  auto found = llvm::sys::findProgramByName(name, {folder});
  if (!found)
    found = llvm::sys::findProgramByName(name);
  return found ? *found : std::string();
}

class EmulatedMath : public testing::TestWithParam<size_t> {};

TEST_P(EmulatedMath, IsAccurate) {
  std::string clang = program("clang-22", "/usr/lib/llvm-22/bin");
  std::string linker = program("ld.lld", "/usr/lib/llvm-22/bin");
  std::string emulator = program("qemu-aarch64", "/usr/bin");
  if (clang.empty() || linker.empty() || emulator.empty())
    GTEST_SKIP() << "needs clang, lld and qemu-aarch64";

  const Case<float> &test = floats[GetParam()];
  TargetFacts facts;
  facts.triple = "aarch64-unknown-linux-gnu";
  facts.processor = "neoverse-n1";
  facts.vectorBytes = 16;
  facts.vectorRegisters = 32;
  std::string error;
  std::string code =
      compileText(kernelText(opText(test.name), "f32", 4), facts, false, error);
  ASSERT_EQ(error, "");

  TemporaryFile object("o"), source("c"), executable("exe"), input("in"),
      output("out");
  object.write(code);
  source.write(start);
  std::string linkWith = "--ld-path=" + linker;
  std::vector<llvm::StringRef> link = {
      clang,          "--target=aarch64-linux-gnu",
      "-O1",          "-ffreestanding",
      "-nostdlib",    "-static",
      linkWith,       source.path,
      object.path,    "-o",
      executable.path};
  std::string message;
  ASSERT_EQ(
      llvm::sys::ExecuteAndWait(clang, link, std::nullopt, {}, 60, 0, &message),
      0)
      << message;

  std::vector<float> x = specials<float>();
  std::mt19937 random(3);
  std::uniform_real_distribution<float> near(-4, 4), far(-110, 110);
  while (x.size() < mostNumbers) {
    x.push_back(near(random));
    x.push_back(far(random));
    x.push_back(fromBits<float>(random()));
  }
  x.resize(mostNumbers);
  input.write({reinterpret_cast<const char *>(x.data()), x.size() * 4});
  std::vector<llvm::StringRef> run = {emulator, executable.path};
  ASSERT_EQ(
      llvm::sys::ExecuteAndWait(emulator, run, std::nullopt,
                                {llvm::StringRef(input.path),
                                 llvm::StringRef(output.path), std::nullopt},
                                60, 0, &message),
      0)
      << message;

  auto results = llvm::MemoryBuffer::getFile(output.path);
  ASSERT_TRUE(bool(results));
  ASSERT_EQ((*results)->getBufferSize(), x.size() * 4);
  for (size_t i = 0; i < x.size(); ++i) {
    float got;
    std::memcpy(&got, (*results)->getBufferStart() + i * 4, 4);
    ASSERT_LE(ulps(got, test.exact(x[i])), test.bound + 1e-6)
        << test.name << " of " << std::hexfloat << x[i] << " gives " << got;
  }
}

// The last one calls the C library, which is not linked.
INSTANTIATE_TEST_SUITE_P(All, EmulatedMath,
                         testing::Range(size_t(0), std::size(floats) - 1),
                         [](const auto &info) {
                           return std::string(floats[info.param].name);
                         });

} // namespace
