//===- Session.h - what all kernels of a process share --------------------===//

#ifndef TESELA_DRIVER_SESSION_H
#define TESELA_DRIVER_SESSION_H

#include "driver/DiskCache.h"
#include "support/Options.h"

namespace tesela::driver {

struct Session {
  Options options;
  DiskCache cache;

  explicit Session(Options options);

  /// With the options of the environment variables, read at its first use.
  static Session &get();
};

} // namespace tesela::driver

#endif // TESELA_DRIVER_SESSION_H
