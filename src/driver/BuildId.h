//===- BuildId.h - which build of the library this is ---------------------===//

#ifndef TESELA_DRIVER_BUILDID_H
#define TESELA_DRIVER_BUILDID_H

#include <string>

namespace tesela::driver {

/// Differs between any two builds whose code differs: what the linker noted in
/// the file that holds this code.
const std::string &buildId();

} // namespace tesela::driver

#endif // TESELA_DRIVER_BUILDID_H
