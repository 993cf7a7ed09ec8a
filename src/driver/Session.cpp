//===- Session.cpp - what all kernels of a process share ------------------===//

#include "driver/Session.h"

namespace tesela::driver {

Session::Session(Options given)
    : options(std::move(given)), cache(DiskCache::folderFor(options),
                                       uint64_t(options.cacheMegabytes) << 20) {
}

Session &Session::get() {
  // Never destroyed: kernels of other statics may outlive it.
  static Session &session = *new Session(Options::fromEnvironment());
  return session;
}

} // namespace tesela::driver
