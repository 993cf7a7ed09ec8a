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

void Environment::warn(const Message &warning) {
  std::fwrite(warning.rendered.data(), 1, warning.rendered.size(), stderr);
}

} // namespace tesela
