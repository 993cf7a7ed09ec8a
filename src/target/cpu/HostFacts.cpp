//===- HostFacts.cpp - the processor that this process runs on ------------===//

#include "target/cpu/Cpu.h"
#include "target/cpu/Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/prctl.h>
#endif

namespace tesela::cpu {

/// Bytes of a scalable register here; 0 where there are none.
static unsigned scalableBytes() {
#if defined(__aarch64__) && defined(__linux__) && defined(PR_SVE_GET_VL)
  int length = prctl(PR_SVE_GET_VL);
  return length < 0 ? 0 : unsigned(length & PR_SVE_VL_LEN_MASK);
#else
  return 0;
#endif
}

/// Chooses the registers to compute in.
static void setVectors(TargetFacts &facts,
                       llvm::function_ref<bool(const char *)> has) {
  if (llvm::Triple(facts.triple).isX86_64()) {
    // 512-bit registers pay also where the processor works on them in halves:
    // twice as many registers, and half as many instructions.
    bool wide =
        has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
    facts.vectorBytes = wide ? 64 : has("avx") ? 32 : 16;
    facts.vectorRegisters = wide ? 32 : 16;
  } else {
    // Scalable registers of 128 bits give nothing over NEON.
    facts.vectorBytes = 16;
    if (has("sve") && scalableBytes() >= 32)
      facts.vectorBytes = scalableBytes() >= 64 ? 64 : 32;
    facts.vectorRegisters = 32;
  }
}

TargetFacts hostFacts() {
  TargetFacts facts;
  facts.kind = "cpu";
  facts.triple = llvm::sys::getProcessTriple();
  facts.processor = llvm::sys::getHostCPUName().str();

  // What is missing is named too: a virtual machine may hide features that its
  // processor's name implies.
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> words;
  for (const auto &feature : features)
    words.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::sort(words.begin(), words.end(),
            [](const std::string &a, const std::string &b) {
              return a.compare(1, a.npos, b, 1, b.npos) < 0;
            });
  facts.features = llvm::join(words, ",");
  setVectors(facts,
             [&](const char *feature) { return features.lookup(feature); });
  return facts;
}

std::string switchOff(TargetFacts &facts, llvm::StringRef features) {
  TargetFacts plain, changed = facts;
  plain.triple = facts.triple;
  for (llvm::StringRef feature : llvm::split(features, ',')) {
    feature = feature.trim();
    if (feature.empty())
      continue;
    if (!isFeature(plain, feature))
      return "`" + feature.str() + "` is no feature that LLVM knows here";
    if (hasFeature(plain, feature))
      return "every such processor has `" + feature.str() + "`";
    // Later words of the list take back what earlier ones said.
    changed.features += ",-" + feature.str();
  }
  setVectors(changed,
             [&](const char *feature) { return hasFeature(changed, feature); });
  facts = changed;
  return "";
}

} // namespace tesela::cpu
