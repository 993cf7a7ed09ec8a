//===- UsableCpus.h - how many processors this process may use ------------===//

#ifndef TESELA_RUNTIME_USABLECPUS_H
#define TESELA_RUNTIME_USABLECPUS_H

#include <string>

namespace tesela::runtime {

/// Processors in the affinity mask, but no more than what the control groups
/// allow; at least 1.
int usableCpus();

/// The processors' worth of time that the contents of `cpu.max` allow, rounded
/// up; 0 where there is no limit.
int cpusOfQuota(const std::string &text);

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_USABLECPUS_H
