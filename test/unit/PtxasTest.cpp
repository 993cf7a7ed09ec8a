//===- PtxasTest.cpp - NVIDIA's assembler, as far as it is installed ------===//

#include "target/nvidia/Ptxas.h"
#include "target/nvidia/Nvidia.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <optional>

using namespace tesela;
using namespace tesela::nvidia;

namespace {

/// Sets a variable of the environment for as long as this lives.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    setenv(name, value, /*overwrite=*/1);
  }
  ~Variable() { before ? setenv(name, before->c_str(), 1) : unsetenv(name); }

private:
  const char *name;
  std::optional<std::string> before;
};

} // namespace

static const char *const emptyKernel = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [k_param_0];
  st.global.b64 [%rd1], %rd1;
  ret;
}
)";

TEST(Ptxas, ReportIsRead) {
  KernelResources found = parseResources(
      "ptxas info    : (C7519) Potential Performance Loss: x\n"
      "ptxas info    : Function properties for k\n"
      "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 3 barriers, 1024 bytes smem\n");
  EXPECT_EQ(found.registers, 168u);
  EXPECT_EQ(found.stackBytes, 16u);
  EXPECT_EQ(found.spillStoreBytes, 8u);
  EXPECT_EQ(found.spillLoadBytes, 12u);
  EXPECT_EQ(found.sharedBytes, 1024u);
  EXPECT_NE(found.remarks.find("C7519"), std::string::npos);
  EXPECT_EQ(parseResources("registers\nUsed registers\n").registers, 0u);
}

TEST(Ptxas, MissingProgramIsNamed) {
  Variable gone("TESELA_PTXAS", "/nowhere/ptxas");
  std::string error;
  EXPECT_EQ(assemblePtx(emptyKernel, "sm_80", error), "");
  EXPECT_NE(error.find("/nowhere/ptxas"), std::string::npos) << error;
}

TEST(Ptxas, ProgramsOffThePathAreNamed) {
  Variable path("PATH", "/nowhere");
  Variable unset("TESELA_CUOBJDUMP", "");
  std::string error;
  if (disassembleCubin("x", error).empty())
    EXPECT_FALSE(error.empty());
}

TEST(Ptxas, AssemblesOrSaysWhy) {
  std::string error;
  KernelResources resources;
  std::string cubin = assemblePtx(emptyKernel, "sm_80", error, &resources);
  if (error.find("TESELA_PTXAS") != std::string::npos)
    GTEST_SKIP() << error;
  ASSERT_EQ(error, "");
  EXPECT_EQ(cubin.substr(1, 3), "ELF");
  EXPECT_GT(resources.registers, 0u);
  EXPECT_EQ(resources.remarks, "");
  EXPECT_EQ(assemblePtx(".version 8.0\nnonsense", "sm_80", error), "");
  EXPECT_NE(error.find("failed"), std::string::npos) << error;
}

TEST(Ptxas, ArchitecturesHaveFacts) {
  std::optional<TargetFacts> hopper = factsFor("90a");
  ASSERT_TRUE(hopper);
  EXPECT_EQ(hopper->kind, "cuda");
  EXPECT_EQ(hopper->processor, "sm_90a");
  EXPECT_EQ(hopper->warpSize, 32u);
  EXPECT_FALSE(factsFor("75"));
  EXPECT_FALSE(factsFor(""));
  EXPECT_NE(supportedArchitectures().find("80, "), std::string::npos);
}
