//===- Manifest.h - what compiled code was found to depend on -------------===//
//
// The key of a binary has two levels. The first is known before compiling: the
// kernel's text, the types of its arguments, its constants, the target. What
// the kernel takes from outside is known only afterwards; a manifest lists it:
// the names, by the function that sees them, and a hash of each value. A later
// process looks the names up and compares; where all agree, the second key, of
// both, names the binary.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_DRIVER_MANIFEST_H
#define TESELA_DRIVER_MANIFEST_H

#include "emit/Emit.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tesela::driver {

/// A hash of a value that is the same in every process. A function counts with
/// its text; what it depends on are captures of their own.
std::string contentHash(const Object &value);

/// The first key. `settings` says everything about target and options.
std::string firstKey(const emit::Request &request, const std::string &settings);

struct Manifest {
  struct Entry {
    /// Which function sees the name: the kernel is 0, and then come those in
    /// the constants and in the captured values, in order of appearance.
    uint64_t function = 0;
    std::optional<std::string> module;
    std::string name;
    std::string valueHash;
  };
  std::vector<Entry> entries;

  /// The name of the binary.
  std::string binaryKey(const std::string &firstKey) const;

  /// Nothing where a function of a capture cannot be numbered.
  static std::optional<Manifest> of(const emit::Request &request,
                                    const std::vector<emit::Capture> &captures);

  /// Looks everything up; the captures, where all values agree.
  std::optional<std::vector<emit::Capture>>
  replay(const emit::Request &request) const;
};

std::string encodeManifests(const std::vector<Manifest> &manifests);
/// Empty where the bytes are no manifests.
std::vector<Manifest> decodeManifests(std::string_view bytes);

} // namespace tesela::driver

#endif // TESELA_DRIVER_MANIFEST_H
