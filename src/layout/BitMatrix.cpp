//===- BitMatrix.cpp - linear algebra over F2 -----------------------------===//

#include "layout/BitMatrix.h"

#include <bit>
#include <cassert>
#include <utility>

namespace tesela::layout {

static unsigned highestBit(uint64_t vector) {
  return 63 - unsigned(std::countl_zero(vector));
}

//===----------------------------------------------------------------------===//
// Span
//===----------------------------------------------------------------------===//

Span::Span(const std::vector<uint64_t> &vectors) {
  for (uint64_t vector : vectors)
    add(vector);
}

Span::Reduced Span::reduce(uint64_t vector) const {
  Reduced result = {vector, 0};
  for (uint64_t left = leading & vector; left;) {
    unsigned bit = highestBit(left);
    result.rest ^= pivots[bit].rest;
    result.used ^= pivots[bit].used;
    left = leading & result.rest & ((uint64_t(1) << bit) - 1);
  }
  return result;
}

bool Span::add(uint64_t vector) {
  assert(added < 64 && "a span of too many vectors");
  uint64_t self = uint64_t(1) << added++;
  Reduced reduced = reduce(vector);
  if (!reduced.rest)
    return false;
  unsigned bit = highestBit(reduced.rest);
  leading |= uint64_t(1) << bit;
  pivots[bit] = {reduced.rest, reduced.used ^ self};
  return true;
}

unsigned Span::size() const { return unsigned(std::popcount(leading)); }

std::vector<uint64_t> Span::basis() const {
  std::vector<uint64_t> result;
  Span lower;
  for (uint64_t left = leading; left; left &= left - 1) {
    // Its leading bit is above all of these.
    uint64_t pivot = pivots[std::countr_zero(left)].rest;
    result.push_back(lower.reduce(pivot).rest);
    lower.add(pivot);
  }
  return result;
}

std::vector<uint64_t> intersection(const std::vector<uint64_t> &a,
                                   const std::vector<uint64_t> &b) {
  // Each way to write 0 as a sum of vectors of both has an equal part in both.
  std::vector<uint64_t> both = a;
  both.insert(both.end(), b.begin(), b.end());
  BitMatrix first(64, a);
  Span common;
  for (uint64_t sum : BitMatrix(64, std::move(both)).kernel())
    common.add(first(sum & ((uint64_t(1) << a.size()) - 1)));
  return common.basis();
}

//===----------------------------------------------------------------------===//
// BitMatrix
//===----------------------------------------------------------------------===//

BitMatrix::BitMatrix(unsigned rows, std::vector<uint64_t> columns)
    : rowCount(rows), entries(std::move(columns)) {
  assert(rows <= 64 && entries.size() <= 64 && "a matrix of too many bits");
}

BitMatrix BitMatrix::identity(unsigned size) {
  std::vector<uint64_t> columns;
  for (unsigned i = 0; i < size; ++i)
    columns.push_back(uint64_t(1) << i);
  return {size, std::move(columns)};
}

uint64_t BitMatrix::operator()(uint64_t vector) const {
  uint64_t result = 0;
  for (unsigned i = 0; i < entries.size(); ++i)
    if (vector >> i & 1)
      result ^= entries[i];
  return result;
}

BitMatrix BitMatrix::operator*(const BitMatrix &right) const {
  assert(columns() == right.rows() && "matrices that do not fit");
  std::vector<uint64_t> product;
  for (uint64_t column : right.entries)
    product.push_back((*this)(column));
  return {rowCount, std::move(product)};
}

std::vector<uint64_t> BitMatrix::kernel() const {
  std::vector<uint64_t> result;
  Span before;
  for (unsigned i = 0; i < entries.size(); ++i) {
    Span::Reduced reduced = before.reduce(entries[i]);
    if (!reduced.rest)
      result.push_back(reduced.used | uint64_t(1) << i);
    before.add(entries[i]);
  }
  return result;
}

uint64_t BitMatrix::freeColumns() const {
  uint64_t result = 0;
  Span before;
  for (unsigned i = 0; i < entries.size(); ++i)
    if (!before.add(entries[i]))
      result |= uint64_t(1) << i;
  return result;
}

std::optional<uint64_t> BitMatrix::solve(uint64_t image) const {
  Span::Reduced reduced = Span(entries).reduce(image);
  if (reduced.rest)
    return std::nullopt;
  return reduced.used;
}

std::optional<BitMatrix> BitMatrix::rightInverse() const {
  Span span(entries);
  std::vector<uint64_t> result;
  for (unsigned row = 0; row < rowCount; ++row) {
    Span::Reduced reduced = span.reduce(uint64_t(1) << row);
    if (reduced.rest)
      return std::nullopt;
    result.push_back(reduced.used);
  }
  return BitMatrix(columns(), std::move(result));
}

std::optional<BitMatrix> BitMatrix::inverse() const {
  if (rows() != columns())
    return std::nullopt;
  return rightInverse();
}

} // namespace tesela::layout
