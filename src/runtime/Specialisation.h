//===- Specialisation.h - the code of a kernel for one key ----------------===//
//
// A kernel has a table of specialisations, one for each key that it was
// launched with. Code may depend on names outside the kernel too, whose values
// are known only by compiling. So a specialisation has variants, each with the
// values it was compiled for; a launch takes the first whose values still hold.
//
// Readers take no lock: entries and variants are added, never changed or
// removed, until the kernel dies.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_RUNTIME_SPECIALISATION_H
#define TESELA_RUNTIME_SPECIALISATION_H

#include "runtime/Captures.h"
#include "runtime/Code.h"
#include "runtime/Key.h"

#include <atomic>
#include <mutex>

namespace tesela::runtime {

/// A run-time argument's place in the buffer.
struct PackedSlot {
  uint32_t parameter;
  uint32_t offset;
  DType dtype;
  uint8_t bytes;
  bool isPointer;
  /// The kernel may write through the pointer.
  bool isWritten;
  /// A loop counts by it.
  bool isStep;
};

struct PackPlan {
  std::vector<PackedSlot> slots;
  uint32_t bytes = 0;
};

struct Variant {
  CapturedNames captures;
  PackPlan plan;
  /// Assumes what its precondition checks.
  std::unique_ptr<const Code> fast;
  /// Assumes nothing; compiled where `fast` first refuses a launch.
  std::unique_ptr<const Code> generalOwner;
  std::atomic<const Code *> general = nullptr;
  /// The next older one.
  Variant *next = nullptr;
};

class Specialisation {
public:
  Specialisation(const Key &key, std::span<const Argument> bound);
  ~Specialisation();

  bool matches(const Key &key, std::span<const Argument> bound) const;
  /// The variant whose captured values hold; null where there is none.
  Variant *find() const;
  void add(std::unique_ptr<Variant> variant);

  uint64_t hash() const { return key.hash; }
  const std::vector<ParameterKey> &parameters() const { return owned; }
  /// The constant of parameter `i`.
  const Object &constant(size_t i) const { return constants[i]; }

  /// Held while compiling for this key.
  std::mutex compiling;

private:
  Key key;
  std::vector<ParameterKey> owned;
  std::vector<Object> constants;
  std::atomic<Variant *> newest = nullptr;
};

class SpecialisationTable {
public:
  SpecialisationTable();
  ~SpecialisationTable();

  Specialisation *find(const Key &key, std::span<const Argument> bound) const;
  /// Finds it, or adds it.
  Specialisation &get(const Key &key, std::span<const Argument> bound);

private:
  using Slots = std::vector<std::atomic<Specialisation *>>;

  static void insert(Slots &slots, Specialisation *specialisation);

  std::mutex adding;
  std::vector<std::unique_ptr<Specialisation>> all;
  /// Open addressing, a power of two long. Outgrown ones are kept for readers
  /// that are still in them.
  std::vector<std::unique_ptr<Slots>> generations;
  std::atomic<const Slots *> current;
};

/// Writes the arguments into `buffer`, which has `plan.bytes` bytes. Refuses
/// null pointers, read-only memory that the kernel may write, and steps of
/// loops that are not positive.
std::optional<LaunchProblem> packArguments(const KernelRules &rules,
                                           const PackPlan &plan,
                                           std::span<const Argument> bound,
                                           char *buffer);

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_SPECIALISATION_H
