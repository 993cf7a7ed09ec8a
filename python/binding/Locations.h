//===- Locations.h - which device a launch runs on ------------------------===//
//
// A launch runs where its arrays are: on the CPU for those of NumPy and the
// like, on a GPU for those in its memory, then on the stream that their library
// works on. `use_device` names one device for all, and then arrays have to be
// there.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_PYTHON_LOCATIONS_H
#define TESELA_PYTHON_LOCATIONS_H

#include "Arrays.h"

namespace tesela::python {

/// Where the arrays of one call are.
class Locations {
public:
  void add(const Array &array, const Receiver &receiver);

  /// Whether some are in the host's memory and some on a GPU.
  bool isMixed() const { return host && gpu; }
  bool hasHost() const { return host; }
  /// Takes all arrays of the host's for pinned ones.
  void dropHost() { host = nullptr; }

  /// Where a launch runs; null, and an exception that names an array, where
  /// they are on different devices or on another than the chosen one.
  const Device *launchDevice() const;
  /// Where a compilation is for: the chosen device whatever the arrays are on.
  const Device *compileDevice() const;

  /// Says which stream a launch on a GPU goes to. Waits for the device where
  /// arrays were made on another stream.
  bool pickStream(const Device &device, LaunchOptions &options) const;

private:
  const Device *followed() const;
  bool refuse(const Receiver &one, const std::string &where,
              const std::string &rule) const;

  /// The first of each kind.
  const Receiver *host = nullptr;
  const Receiver *gpu = nullptr;
  /// On another GPU than `gpu`.
  const Receiver *otherGpu = nullptr;
  int ordinal = 0;
  int otherOrdinal = 0;
  /// Of the first array that names one.
  std::optional<uintptr_t> stream;
  bool hasUnnamedStream = false;
  bool hasSeveralStreams = false;
};

/// The GPU that the last call was for; null where none was.
const Device *usedGpu();

/// PyTorch's current stream on a GPU; nothing where it is not imported or has
/// no CUDA.
std::optional<uintptr_t> torchStream(int ordinal);

} // namespace tesela::python

#endif // TESELA_PYTHON_LOCATIONS_H
