//===- TargetFacts.h - what passes need to know of a target ---------------===//

#ifndef TESELA_SUPPORT_TARGETFACTS_H
#define TESELA_SUPPORT_TARGETFACTS_H

#include <string>

namespace tesela {

/// Plain numbers and names; no pass asks a target anything else.
struct TargetFacts {
  /// "cpu", "interp", "cuda".
  std::string kind = "cpu";
  /// What LLVM calls the processor and its features ("+avx2,+fma").
  std::string triple;
  std::string processor;
  std::string features;
  /// Of one vector register, and how many there are.
  unsigned vectorBytes = 32;
  unsigned vectorRegisters = 16;
  /// Program instances may be computed by this many threads in lock step.
  unsigned warpSize = 1;
  /// Multiply and add may become one fused operation.
  bool fpFusion = true;

  bool operator==(const TargetFacts &) const = default;
};

} // namespace tesela

#endif // TESELA_SUPPORT_TARGETFACTS_H
