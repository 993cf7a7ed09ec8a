//===- Session.cpp - what all kernels of a process share ------------------===//

#include "driver/Session.h"

namespace tesela::driver {

Session::Session(Options given)
    : options(std::move(given)), cache(DiskCache::folderFor(options),
                                       uint64_t(options.cacheMegabytes) << 20) {
  for (const std::string &problem : options.problems)
    warn(problem);
}

void Session::warn(const std::string &text) {
  std::lock_guard lock(mutex);
  if (given.insert(text).second)
    waiting.push_back(text);
}

void Session::takeWarnings(Diagnostics &diags) {
  if (std::string warning = cache.takeWarning(); !warning.empty())
    diags.warning(DiagId::CacheUnusable, {}, warning);
  std::lock_guard lock(mutex);
  for (const std::string &text : waiting)
    diags.warning(DiagId::BadSetting, {}, text);
  waiting.clear();
}

Session &Session::get() {
  // Never destroyed: kernels of other statics may outlive it.
  static Session &session = *new Session(Options::fromEnvironment());
  return session;
}

} // namespace tesela::driver
