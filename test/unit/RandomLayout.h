//===- RandomLayout.h - layouts for tests ---------------------------------===//

#ifndef TESELA_TEST_UNIT_RANDOMLAYOUT_H
#define TESELA_TEST_UNIT_RANDOMLAYOUT_H

#include "layout/LinearLayout.h"

#include <algorithm>
#include <random>

namespace tesela::test {

/// Up to three axes with this many bits altogether.
inline layout::Shape randomShape(std::mt19937_64 &random, unsigned bits) {
  layout::Shape shape(1 + random() % 3, 1);
  for (unsigned i = 0; i < bits; ++i)
    shape[random() % shape.size()] *= 2;
  return shape;
}

/// Up to three bits of registers, lanes and warps each, to anything.
inline layout::LinearLayout randomLayout(std::mt19937_64 &random,
                                         const layout::Shape &shape) {
  using layout::Dim;
  layout::LinearLayout result(shape);
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
    for (unsigned n = random() % 4; n-- > 0;)
      result.add(dim, random() & ((uint64_t(1) << result.tileBits()) - 1));
  return result;
}

/// Lanes and warps have as many bits as given (at most; the tile may be
/// smaller), registers the rest. Each vector is a unit, or with `mixed` also a
/// sum. Up to `repeats` bits of each dimension repeat elements.
inline layout::LinearLayout
surjectiveLayout(std::mt19937_64 &random, const layout::Shape &shape,
                 unsigned laneBits = 5, unsigned warpBits = 2,
                 bool mixed = true, unsigned repeats = 0) {
  using layout::Dim;
  layout::LinearLayout result(shape);
  unsigned bits = result.tileBits();
  std::vector<uint64_t> vectors;
  for (unsigned bit = 0; bit < bits; ++bit)
    vectors.push_back(uint64_t(1) << bit);
  std::shuffle(vectors.begin(), vectors.end(), random);
  for (unsigned i = 0; mixed && i < bits; ++i)
    if (unsigned j = random() % bits; i != j)
      vectors[i] ^= vectors[j];
  auto give = [&](Dim dim, unsigned count) {
    for (; count > 0; --count) {
      bool repeat = vectors.empty() || (repeats && random() % 4 == 0);
      result.add(dim, repeat ? 0 : vectors.back());
      if (!repeat)
        vectors.pop_back();
      else if (repeats)
        --repeats;
    }
  };
  give(Dim::Lane, laneBits);
  give(Dim::Warp, warpBits);
  give(Dim::Register, unsigned(vectors.size()));
  while (!vectors.empty()) {
    result.add(Dim::Register, vectors.back());
    vectors.pop_back();
  }
  return result;
}

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_RANDOMLAYOUT_H
