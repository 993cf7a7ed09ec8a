//===- Architectures.cpp - the GPUs that code is made for -----------------===//
//
// Each with the oldest version of PTX that has all its instructions that are
// used, so that old drivers take the code too.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/Nvidia.h"

namespace tesela::nvidia {

namespace {

struct Architecture {
  llvm::StringLiteral number;
  llvm::StringLiteral ptx;
};

} // namespace

static const Architecture architectures[] = {
    {"80", "+ptx80"}, {"86", "+ptx80"}, {"87", "+ptx80"},
    {"89", "+ptx81"}, {"90", "+ptx86"}, {"90a", "+ptx86"},
};

std::optional<TargetFacts> factsFor(llvm::StringRef architecture) {
  for (const Architecture &known : architectures) {
    if (known.number != architecture)
      continue;
    TargetFacts facts;
    facts.kind = "cuda";
    facts.triple = "nvptx64-nvidia-cuda";
    facts.processor = ("sm_" + architecture).str();
    facts.features = known.ptx.str();
    facts.vectorBytes = 16;
    facts.vectorRegisters = 0;
    facts.warpSize = 32;
    return facts;
  }
  return std::nullopt;
}

std::string supportedArchitectures() {
  std::string list;
  for (const Architecture &known : architectures)
    list += (list.empty() ? "" : ", ") + known.number.str();
  return list;
}

} // namespace tesela::nvidia
