//===- Meetings.h - which accesses stand together -------------------------===//
//
// Two accesses meet where a target could want to do them slice by slice
// together: one block holds both, and one of them writes. Or to load ahead of a
// store, what a product eats in the iterations of a loop around both.
//
// A kernel may have very many accesses. They are gathered by their block, or by
// the outermost loop around them, and there by their coordinates, so that what
// is asked of all pairs is asked of few.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_PASSES_MEETINGS_H
#define TESELA_PASSES_MEETINGS_H

#include "passes/ViewPlan.h"

#include "llvm/ADT/MapVector.h"

#include <map>
#include <vector>

namespace tesela {

/// A load or store through an argument; without a plan where the launch does
/// not bound where it goes.
struct Access {
  const ViewPlan *plan;
  bool isStore;
  mlir::Operation *op;
};

/// The accesses through one argument.
class Meetings {
public:
  explicit Meetings(llvm::ArrayRef<Access> accesses);

  bool meet(const Meetings &other) const;

  /// Whether `holds` for all pairs that meet, of accesses with plans; pairs
  /// with the coordinates of an earlier one are left out.
  bool allPairs(
      const Meetings &other,
      llvm::function_ref<bool(const Access &, const Access &)> holds) const;

  /// Those that meet another one with the same coordinates and strides, by
  /// number, in order.
  std::vector<unsigned> alikeOnes() const;

private:
  /// What tells the addresses of two plans apart.
  using Coordinates = std::vector<int64_t>;
  /// Accesses with the same coordinates. Of loads in a loop only those that a
  /// product eats.
  struct Family {
    std::vector<unsigned> stores, loads;
  };
  /// One block or loop.
  struct Place {
    bool isLoop = false;
    bool hasStore = false, hasLoad = false;
    std::map<Coordinates, Family> families;
  };

  void add(const void *place, bool isLoop, unsigned number);
  static bool meet(const Place &a, const Place &b);

  llvm::ArrayRef<Access> accesses;
  std::vector<Coordinates> coordinates;
  llvm::MapVector<const void *, Place> places;
};

} // namespace tesela

#endif // TESELA_PASSES_MEETINGS_H
