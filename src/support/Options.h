//===- Options.h - the settings of the library ----------------------------===//

#ifndef TESELA_SUPPORT_OPTIONS_H
#define TESELA_SUPPORT_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tesela {

/// The values of the rows of Options.def.
struct Options {
#define OPTION(name, variable, type, default, entersKey, help)                 \
  type name = default;
#include "support/Options.def"

  /// What cannot be read: a sentence for each.
  std::vector<std::string> problems;

  /// From the environment variables; what cannot be read as its type keeps its
  /// default, and is one of the `problems`.
  static Options fromEnvironment();

  /// The settings that change machine code, as a text for the caches' keys.
  std::string key() const;

  /// A line of help for each.
  static std::string help();
};

} // namespace tesela

#endif // TESELA_SUPPORT_OPTIONS_H
