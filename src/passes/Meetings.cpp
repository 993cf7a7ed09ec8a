//===- Meetings.cpp - which accesses stand together -----------------------===//

#include "passes/Meetings.h"

#include "dialect/tile/Tile.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tesela {

static bool feedsDot(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return isa<tile::DotOp>(user) ||
           (isa<tile::PermuteOp>(user) && feedsDot(user));
  });
}

/// Two ops share a loop where they share the outermost one.
static Operation *outermostLoop(Operation *op) {
  Operation *outermost = nullptr;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    outermost = loop;
  return outermost;
}

static void append(std::vector<int64_t> &numbers,
                   const analysis::Polynomial &polynomial) {
  numbers.push_back(int64_t(polynomial.size()));
  for (auto &[monomial, coefficient] : polynomial.getTerms()) {
    numbers.push_back(int64_t(monomial.size()));
    numbers.insert(numbers.end(), monomial.begin(), monomial.end());
    numbers.push_back(coefficient);
  }
}

Meetings::Meetings(ArrayRef<Access> accesses) : accesses(accesses) {
  for (auto [number, access] : llvm::enumerate(accesses)) {
    Coordinates &own = coordinates.emplace_back();
    if (access.plan) {
      append(own, access.plan->shift);
      for (const ViewPlan::Axis &axis : access.plan->axes) {
        own.push_back(axis.size);
        own.push_back(axis.isIndexed);
        append(own, axis.offset);
        append(own, axis.stride);
      }
    }
    add(access.op->getBlock(), /*isLoop=*/false, number);
    if (access.isStore || feedsDot(access.op))
      if (Operation *loop = outermostLoop(access.op))
        add(loop, /*isLoop=*/true, number);
  }
}

void Meetings::add(const void *where, bool isLoop, unsigned number) {
  Place &place = places[where];
  place.isLoop = isLoop;
  Family &family = place.families[coordinates[number]];
  if (accesses[number].isStore) {
    place.hasStore = true;
    family.stores.push_back(number);
  } else {
    place.hasLoad = true;
    family.loads.push_back(number);
  }
}

bool Meetings::meet(const Place &a, const Place &b) {
  return (a.hasStore && b.hasLoad) || (a.hasLoad && b.hasStore) ||
         (!a.isLoop && a.hasStore && b.hasStore);
}

bool Meetings::meet(const Meetings &other) const {
  return llvm::any_of(places, [&](auto &entry) {
    auto found = other.places.find(entry.first);
    return found != other.places.end() && meet(entry.second, found->second);
  });
}

bool Meetings::allPairs(
    const Meetings &other,
    function_ref<bool(const Access &, const Access &)> holds) const {
  for (auto &[where, place] : places) {
    auto found = other.places.find(where);
    if (found == other.places.end() || !meet(place, found->second))
      continue;
    auto test = [&](const std::vector<unsigned> &ours,
                    const std::vector<unsigned> &theirs) {
      return ours.empty() || theirs.empty() ||
             holds(accesses[ours.front()], other.accesses[theirs.front()]);
    };
    for (auto &[left, ours] : place.families)
      for (auto &[right, theirs] : found->second.families)
        if (!test(ours.stores, theirs.loads) ||
            !test(ours.loads, theirs.stores) ||
            (!place.isLoop && !test(ours.stores, theirs.stores)))
          return false;
  }
  return true;
}

std::vector<unsigned> Meetings::alikeOnes() const {
  std::vector<bool> isAlike(accesses.size(), false);
  for (auto &[where, place] : places)
    for (auto &[numbers, family] : place.families) {
      size_t count = family.stores.size() + family.loads.size();
      bool meets = place.isLoop
                       ? !family.stores.empty() && !family.loads.empty()
                       : !family.stores.empty() && count > 1;
      if (numbers.empty() || !meets)
        continue;
      for (const auto &members : {family.stores, family.loads})
        for (unsigned number : members)
          isAlike[number] = true;
    }
  std::vector<unsigned> result;
  for (unsigned number = 0; number != accesses.size(); ++number)
    if (isAlike[number])
      result.push_back(number);
  return result;
}

} // namespace tesela
