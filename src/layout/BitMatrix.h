//===- BitMatrix.h - linear algebra over F2 -------------------------------===//
//
// Vectors are the bits of a uint64_t, addition is XOR. All of a layout's
// questions come down to spans, kernels and linear systems of at most 64 rows
// and 64 columns.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_LAYOUT_BITMATRIX_H
#define TESELA_LAYOUT_BITMATRIX_H

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tesela::layout {

/// What a list of at most 64 vectors spans. Vectors are added one by one, and
/// those that earlier ones span are passed over.
class Span {
public:
  Span() = default;
  explicit Span(const std::vector<uint64_t> &vectors);

  /// False where the span holds the vector already.
  bool add(uint64_t vector);

  /// `rest` is the least number that differs from the vector by something in
  /// the span; that something is the sum of the vectors added as the bits of
  /// `used` say, none of which was passed over.
  struct Reduced {
    uint64_t rest;
    uint64_t used;
  };
  Reduced reduce(uint64_t vector) const;

  bool contains(uint64_t vector) const { return reduce(vector).rest == 0; }
  unsigned size() const;
  /// The basis in order of leading bits in which no vector has another's.
  std::vector<uint64_t> basis() const;

private:
  /// By leading bit, for those in `leading`.
  std::array<Reduced, 64> pivots;
  uint64_t leading = 0;
  unsigned added = 0;
};

/// A basis of what both lists span. Each must be independent and have at most
/// 32 vectors.
std::vector<uint64_t> intersection(const std::vector<uint64_t> &a,
                                   const std::vector<uint64_t> &b);

class BitMatrix {
public:
  /// Bit i of a column is its entry in row i.
  BitMatrix(unsigned rows, std::vector<uint64_t> columns);
  static BitMatrix identity(unsigned size);

  unsigned rows() const { return rowCount; }
  unsigned columns() const { return unsigned(entries.size()); }
  uint64_t column(unsigned index) const { return entries[index]; }

  /// The matrix times a vector.
  uint64_t operator()(uint64_t vector) const;
  BitMatrix operator*(const BitMatrix &right) const;
  bool operator==(const BitMatrix &) const = default;

  unsigned rank() const { return Span(entries).size(); }
  /// A basis of the vectors that become 0. Each has a highest bit that no
  /// other has: its free bit.
  std::vector<uint64_t> kernel() const;
  /// The columns that those before them span: the free bits of the kernel.
  uint64_t freeColumns() const;
  /// The least vector that becomes `image`: the one with no free bit.
  std::optional<uint64_t> solve(uint64_t image) const;
  std::optional<BitMatrix> inverse() const;
  /// The right inverse made of least solutions, where every row is reached.
  std::optional<BitMatrix> rightInverse() const;

private:
  unsigned rowCount;
  std::vector<uint64_t> entries;
};

} // namespace tesela::layout

#endif // TESELA_LAYOUT_BITMATRIX_H
