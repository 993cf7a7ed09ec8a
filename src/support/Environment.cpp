//===- Environment.cpp - what an environment does unless told otherwise ---===//

#include "tesela/environment.h"

#include <cstdio>

namespace tesela {

Environment::~Environment() = default;

uint64_t Environment::identity(const std::string &) { return 0; }

uint64_t Environment::identity(const ModuleName &, const std::string &) {
  return 0;
}

void Environment::unlock() {}

void Environment::lock() {}

void Environment::print(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void Environment::warn(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

} // namespace tesela
