//===- LayoutAlgebraTest.cpp - layouts against enumeration ----------------===//
//
// The laws on every matrix of at most 3 × 3 and every split of its columns into
// registers and lanes; on random layouts up to 20 bits.
//
//===----------------------------------------------------------------------===//

#include "RandomLayout.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

using namespace tesela::layout;
using namespace tesela::test;

namespace {

/// Calls `test` with all matrices of up to `most` rows and columns.
template <typename Function>
void forEachMatrix(unsigned most, Function test) {
  for (unsigned rows = 0; rows <= most; ++rows)
    for (unsigned columns = 0; columns <= most; ++columns)
      for (uint64_t all = 0; all >> (rows * columns) == 0; ++all) {
        std::vector<uint64_t> entries;
        for (unsigned i = 0; i < columns; ++i)
          entries.push_back(all >> (i * rows) & ((1u << rows) - 1));
        test(BitMatrix(rows, entries));
      }
}

/// Everything that a matrix says, against going through all vectors.
void checkMatrix(const BitMatrix &matrix) {
  std::map<uint64_t, uint64_t> least;
  uint64_t zeros = 0;
  for (uint64_t vector = 0; vector >> matrix.columns() == 0; ++vector) {
    least.emplace(matrix(vector), vector);
    zeros += matrix(vector) == 0;
  }
  ASSERT_EQ(uint64_t(1) << matrix.rank(), least.size());
  std::vector<uint64_t> kernel = matrix.kernel();
  ASSERT_EQ(uint64_t(1) << kernel.size(), zeros);
  ASSERT_EQ(Span(kernel).size(), kernel.size());
  for (uint64_t vector : kernel)
    ASSERT_EQ(matrix(vector), 0u);
  for (uint64_t image = 0; image >> matrix.rows() == 0; ++image) {
    auto solution = matrix.solve(image);
    ASSERT_EQ(solution.has_value(), least.count(image) == 1);
    if (solution)
      ASSERT_EQ(*solution, least[image]);
  }
  for (const auto &[image, vector] : least)
    ASSERT_EQ(vector & matrix.freeColumns(), 0u);
  ASSERT_EQ(std::popcount(matrix.freeColumns()), int(kernel.size()));

  auto right = matrix.rightInverse();
  ASSERT_EQ(right.has_value(), matrix.rank() == matrix.rows());
  if (right)
    ASSERT_EQ(matrix * *right, BitMatrix::identity(matrix.rows()));
  auto inverse = matrix.inverse();
  ASSERT_EQ(inverse.has_value(), matrix.rank() == matrix.rows() &&
                                     matrix.rows() == matrix.columns());
  if (inverse)
    ASSERT_EQ(*inverse * matrix, BitMatrix::identity(matrix.rows()));
}

TEST(LayoutAlgebra, EverySmallMatrix) { forEachMatrix(3, checkMatrix); }

TEST(LayoutAlgebra, RandomMatrices) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    unsigned rows = random() % 8, columns = random() % 9;
    std::vector<uint64_t> entries;
    for (unsigned c = 0; c < columns; ++c)
      entries.push_back(random() & ((1u << rows) - 1));
    checkMatrix(BitMatrix(rows, entries));
  }
}

TEST(LayoutAlgebra, SpansAndIntersections) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    Span spans[2];
    for (Span &span : spans)
      for (unsigned n = random() % 5; n-- > 0;)
        span.add(random() & 63);
    Span both(intersection(spans[0].basis(), spans[1].basis()));
    for (uint64_t vector = 0; vector < 64; ++vector) {
      ASSERT_EQ(both.contains(vector),
                spans[0].contains(vector) && spans[1].contains(vector));
      // The rest is the least of all that differ by something in the span.
      uint64_t least = vector;
      for (uint64_t other = 0; other < 64; ++other)
        if (spans[0].contains(vector ^ other))
          least = std::min(least, other);
      ASSERT_EQ(spans[0].reduce(vector).rest, least);
    }
  }
}

/// All layouts of tiles of up to 8 elements in one axis, with up to three bits
/// of registers and lanes.
template <typename Function>
void forEachLayout(Function test) {
  forEachMatrix(3, [&](const BitMatrix &matrix) {
    for (unsigned lanes = 0; lanes <= matrix.columns(); ++lanes) {
      LinearLayout layout({int64_t(1) << matrix.rows()});
      for (unsigned i = 0; i < matrix.columns(); ++i)
        layout.add(i < lanes ? Dim::Lane : Dim::Register, matrix.column(i));
      test(layout);
    }
  });
}

void checkLayout(const LinearLayout &layout) {
  PlaceSpace space = layout.space();
  std::map<uint64_t, std::set<uint64_t>> holders;
  for (uint64_t flat = 0; flat >> space.totalBits() == 0; ++flat) {
    Place place = space.unflatten(flat);
    ASSERT_EQ(space.flatten(place), flat);
    uint64_t element = layout(place);
    ASSERT_EQ(element, layout.matrix()(flat));
    ASSERT_EQ(layout.flatten(layout.at(place)), element);
    holders[element].insert(flat);
  }
  uint64_t elements = uint64_t(1) << layout.tileBits();
  EXPECT_EQ(layout.isSurjective(), holders.size() == elements);
  EXPECT_EQ(layout.isInjective(), holders.size() == uint64_t(1)
                                                        << space.totalBits());
  // Exactly one place of each element has no free bit.
  uint64_t free = space.flatten(layout.freeBits());
  for (const auto &[element, places] : holders) {
    size_t chosen = 0;
    for (uint64_t place : places)
      chosen += (place & free) == 0;
    ASSERT_EQ(chosen, 1u);
  }

  std::string error;
  EXPECT_EQ(LinearLayout::parse(layout.str(), error), layout) << error;

  LinearLayout once = layout.withoutRepeatedRegisters();
  EXPECT_TRUE(once.restrict({Dim::Register}).isInjective());
  EXPECT_EQ(once.matrix().rank(), layout.matrix().rank());

  LinearLayout joined = layout.join();
  EXPECT_EQ(joined({.reg = 1}), 1u);
  auto split = joined.split();
  ASSERT_TRUE(split);
  EXPECT_EQ(split->layout, layout);
  EXPECT_EQ(split->registerBit, 0u);
}

TEST(LayoutAlgebra, EverySmallLayout) { forEachLayout(checkLayout); }

TEST(LayoutAlgebra, RandomLayouts) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i)
    checkLayout(randomLayout(random, randomShape(random, random() % 8)));
}

/// `locate` gives a place with the same element, the nearest.
void checkLocate(const LinearLayout &layout, const LinearLayout &other) {
  auto map = locate(layout, other);
  std::map<uint64_t, std::set<uint64_t>> holders;
  PlaceSpace to = other.space(), from = layout.space();
  for (uint64_t flat = 0; flat >> to.totalBits() == 0; ++flat)
    holders[other(to.unflatten(flat))].insert(flat);
  bool lacks = false;
  for (uint64_t flat = 0; flat >> from.totalBits() == 0; ++flat)
    lacks |= !holders.count(layout(from.unflatten(flat)));
  ASSERT_EQ(map.has_value(), !lacks);
  if (!map)
    return;
  EXPECT_EQ(other.compose(*map), layout);
  if (from != to)
    return;
  // For each bit, nothing is nearer.
  for (unsigned bit = 0; bit < from.totalBits(); ++bit) {
    uint64_t self = uint64_t(1) << bit, best = ~uint64_t(0);
    for (uint64_t place : holders[layout.matrix().column(bit)])
      best = std::min(best, place ^ self);
    ASSERT_EQ(map->matrix.column(bit) ^ self, best);
  }
}

TEST(LayoutAlgebra, LocateAmongSmallLayouts) {
  std::vector<LinearLayout> all;
  forEachLayout([&](const LinearLayout &layout) {
    if (layout.tileBits() == 2)
      all.push_back(layout);
  });
  for (const LinearLayout &layout : all)
    for (const LinearLayout &other : all)
      if (layout.space().totalBits() + other.space().totalBits() <= 5)
        checkLocate(layout, other);
}

TEST(LayoutAlgebra, LocateAmongRandomLayouts) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) {
    Shape shape = randomShape(random, random() % 9);
    LinearLayout other = surjectiveLayout(random, shape);
    checkLocate(randomLayout(random, shape), other);
    // There and back, a bijection is the identity.
    auto there = locate(other, other);
    ASSERT_TRUE(there);
    EXPECT_TRUE(there->keeps(Dim::Lane) && there->keeps(Dim::Register));
  }
  EXPECT_FALSE(locate(LinearLayout({2, 2}), LinearLayout({4})));
}

TEST(LayoutAlgebra, InversesOfLargeLayouts) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    Shape shape = randomShape(random, 20);
    LinearLayout a = surjectiveLayout(random, shape);
    LinearLayout b = surjectiveLayout(random, shape);
    auto map = locate(a, b);
    ASSERT_TRUE(map);
    EXPECT_EQ(b.compose(*map), a);
    auto right = a.matrix().rightInverse();
    ASSERT_TRUE(right);
    EXPECT_EQ(a.matrix() * *right, BitMatrix::identity(20));
  }
}

TEST(LayoutAlgebra, ProductsAndQuotients) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 40; ++i) {
    Shape shapes[2] = {{1 << random() % 3, 1 << random() % 3},
                       {1 << random() % 3, 1 << random() % 3}};
    LinearLayout inner = randomLayout(random, shapes[0]);
    LinearLayout outer = randomLayout(random, shapes[1]);
    LinearLayout product = inner * outer;
    PlaceSpace in = inner.space();
    for (uint64_t flat = 0; flat >> product.space().totalBits() == 0; ++flat) {
      Place place = product.space().unflatten(flat), low, high;
      for (Dim dim : allDims) {
        low[dim] = place[dim] & ((uint64_t(1) << in.bits(dim)) - 1);
        high[dim] = place[dim] >> in.bits(dim);
      }
      Shape at = product.at(place), inside = inner.at(low);
      Shape outside = outer.at(high);
      for (unsigned axis = 0; axis < 2; ++axis)
        ASSERT_EQ(at[axis], inside[axis] + shapes[0][axis] * outside[axis]);
    }
    EXPECT_EQ(product.divide(inner), outer);
  }
  LinearLayout row({4});
  row.add(Dim::Register, 2).add(Dim::Register, 1);
  LinearLayout pair({2});
  pair.add(Dim::Register, 1);
  EXPECT_FALSE(row.divide(pair));
  EXPECT_EQ(row.renumberRegisters({2, 1}).divide(pair), pair);
  EXPECT_FALSE(pair.divide(row));
}

TEST(LayoutAlgebra, ChangesOfShape) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    Shape shape = {1 << random() % 3, 1 << random() % 3, 1 << random() % 3};
    LinearLayout layout = randomLayout(random, shape);
    LinearLayout turned = layout.transpose({2, 0, 1});
    LinearLayout reshaped = layout.reshape({shape[0] * shape[1], shape[2]});
    LinearLayout sliced = layout.slice(1), thin = layout.collapse(1);
    LinearLayout longer = layout.expandDims(1);
    LinearLayout wide = thin.broadcast(1, 4);
    for (uint64_t flat = 0; flat >> layout.space().totalBits() == 0; ++flat) {
      Place place = layout.space().unflatten(flat);
      Shape at = layout.at(place);
      ASSERT_EQ(turned.at(place), Shape({at[2], at[0], at[1]}));
      ASSERT_EQ(reshaped.at(place), Shape({at[0] * shape[1] + at[1], at[2]}));
      ASSERT_EQ(sliced.at(place), Shape({at[0], at[2]}));
      ASSERT_EQ(thin.at(place), Shape({at[0], 0, at[2]}));
      ASSERT_EQ(longer.at(place), Shape({at[0], 0, at[1], at[2]}));
      for (uint64_t copy = 0; copy < 4; ++copy) {
        Place one = place;
        one.reg |= copy << layout.bits(Dim::Register);
        ASSERT_EQ(wide.at(one), Shape({at[0], int64_t(copy), at[2]}));
      }
    }
  }
}

TEST(LayoutAlgebra, SplitNeedsOneRegisterBit) {
  LinearLayout lanes({2, 2});
  lanes.add(Dim::Register, 2).add(Dim::Lane, 1);
  EXPECT_FALSE(lanes.split());
  LinearLayout mixed({2, 2});
  mixed.add(Dim::Register, 1).add(Dim::Lane, 3);
  EXPECT_FALSE(mixed.split());
  LinearLayout plain({2, 2});
  plain.add(Dim::Register, 2).add(Dim::Register, 1);
  auto split = plain.split();
  ASSERT_TRUE(split);
  EXPECT_EQ(split->registerBit, 1u);
  EXPECT_EQ(split->layout.str(), "(2): register (1)");
  EXPECT_FALSE(LinearLayout({}).split());
}

TEST(LayoutAlgebra, TextIsRead) {
  std::string error;
  auto layout = LinearLayout::parse(
      " ( 4,2 ) : register(0,1);lane (1,0)(2 , 0) ; offset (3,1) ", error);
  ASSERT_TRUE(layout) << error;
  EXPECT_EQ(layout->str(),
            "(4,2): register (0,1); lane (1,0) (2,0); offset (3,1)");
  EXPECT_EQ(LinearLayout({}).str(), "():");
  EXPECT_TRUE(LinearLayout::parse("(): warp () ()", error)) << error;

  const std::pair<const char *, const char *> wrong[] = {
      {"", "expected `(` in a layout"},
      {"(4", "expected `)` in a layout"},
      {"(4)", "expected `:` in a layout"},
      {"(3):", "extent 3 of a layout is not a power of two"},
      {"(0):", "extent 0 of a layout is not a power of two"},
      {"(-1):", "expected a number in a layout"},
      {"(99999999999999999999):", "a number of a layout is too large"},
      {"(65536,131072):", "the tile of a layout is too large"},
      {"(4): lane (4)", "(4) of a layout is outside of (4)"},
      {"(4): lane (1,0)", "(1,0) of a layout has not one number for each axis"},
      {"(4): lane (1); register (2)",
       "unexpected `; register (2)` in a layout"},
      {"(4): lane (1); lane (2)", "unexpected `; lane (2)` in a layout"},
      {"(4): lane (1) x", "unexpected `x` in a layout"},
      {"(4): lane (1);", "unexpected `;` in a layout"},
  };
  for (auto [text, message] : wrong) {
    EXPECT_FALSE(LinearLayout::parse(text, error)) << text;
    EXPECT_EQ(error, message) << text;
  }
  std::string many = "(2): lane";
  for (int i = 0; i < 33; ++i)
    many += " (0)";
  EXPECT_FALSE(LinearLayout::parse(many, error));
  EXPECT_EQ(error, "a layout has too many bits");
}

TEST(LayoutAlgebra, EqualLayoutsHaveEqualHashes) {
  LinearLayout a({4}), b({4});
  a.add(Dim::Lane, 1).add(Dim::Register, 2);
  b.add(Dim::Register, 2).add(Dim::Lane, 1);
  EXPECT_EQ(a, b);
  EXPECT_EQ(hash_value(a), hash_value(b));
  b.add(Dim::Lane, 0);
  EXPECT_NE(a, b);
  EXPECT_NE(hash_value(a), hash_value(b));
}

} // namespace
