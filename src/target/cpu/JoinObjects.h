//===- JoinObjects.h - one object file of two -----------------------------===//

#ifndef TESELA_TARGET_CPU_JOINOBJECTS_H
#define TESELA_TARGET_CPU_JOINOBJECTS_H

#include <string>

namespace tesela::cpu {

/// A relocatable object with the sections of two for one processor. A hidden
/// name that one of them defines is the other's too, and nobody else's. Empty,
/// with the reason in `error`, where they do not fit together.
std::string joinObjects(const std::string &first, const std::string &second,
                        std::string &error);

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_JOINOBJECTS_H
