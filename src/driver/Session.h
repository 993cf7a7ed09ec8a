//===- Session.h - what all kernels of a process share --------------------===//

#ifndef TESELA_DRIVER_SESSION_H
#define TESELA_DRIVER_SESSION_H

#include "driver/DiskCache.h"
#include "support/Diagnostics.h"
#include "support/Options.h"

#include <mutex>
#include <set>

namespace tesela::driver {

struct Session {
  Options options;
  DiskCache cache;

  explicit Session(Options options);

  /// With the options of the environment variables, read at its first use.
  static Session &get();

  /// Keeps a warning about the settings, each once.
  void warn(const std::string &text);
  /// Adds the warnings about cache and settings that nobody has got yet.
  void takeWarnings(Diagnostics &diags);

private:
  std::mutex mutex;
  std::set<std::string> given;
  std::vector<std::string> waiting;
};

} // namespace tesela::driver

#endif // TESELA_DRIVER_SESSION_H
