//===- IntegerOpCases.h - integer ops by the book -------------------------===//

#ifndef TESELA_TEST_UNIT_INTEGEROPCASES_H
#define TESELA_TEST_UNIT_INTEGEROPCASES_H

#include <algorithm>
#include <cstdint>
#include <functional>

namespace tesela::test {

/// An op by the book: operands and result are read as signed and wrap.
struct OpCase {
  const char *name;
  std::function<int64_t(int64_t a, int64_t b, unsigned width)> compute;
  bool canWrap = false;
};

inline int64_t natural(int64_t value, unsigned width) {
  return value & ((int64_t(1) << width) - 1);
}

inline int64_t signExtended(int64_t value, unsigned width) {
  int64_t low = natural(value, width);
  return low >> (width - 1) ? low - (int64_t(1) << width) : low;
}

inline const OpCase opCases[] = {
    {"arith.addi", [](auto a, auto b, auto) { return a + b; }, true},
    {"arith.subi", [](auto a, auto b, auto) { return a - b; }, true},
    {"arith.muli", [](auto a, auto b, auto) { return a * b; }, true},
    {"tile.shli",
     [](auto a, auto b, auto w) {
       return natural(b, w) >= w ? 0 : a * (int64_t(1) << natural(b, w));
     },
     true},
    {"tile.divsi", [](auto a, auto b, auto) { return b ? a / b : 0; }},
    {"tile.remsi", [](auto a, auto b, auto) { return b ? a % b : 0; }},
    {"tile.divui",
     [](auto a, auto b, auto w) {
       return b ? natural(a, w) / natural(b, w) : 0;
     }},
    {"tile.remui",
     [](auto a, auto b, auto w) {
       return b ? natural(a, w) % natural(b, w) : 0;
     }},
    {"tile.shrsi",
     [](auto a, auto b, auto w) {
       return a >> std::min<int64_t>(natural(b, w), 60);
     }},
    {"tile.shrui",
     [](auto a, auto b, auto w) {
       return natural(a, w) >> std::min<int64_t>(natural(b, w), 60);
     }},
    {"arith.andi", [](auto a, auto b, auto) { return a & b; }},
    {"arith.ori", [](auto a, auto b, auto) { return a | b; }},
    {"arith.xori", [](auto a, auto b, auto) { return a ^ b; }},
    {"arith.minsi", [](auto a, auto b, auto) { return std::min(a, b); }},
    {"arith.maxsi", [](auto a, auto b, auto) { return std::max(a, b); }},
    {"arith.minui",
     [](auto a, auto b, auto w) {
       return std::min(natural(a, w), natural(b, w));
     }},
    {"arith.maxui",
     [](auto a, auto b, auto w) {
       return std::max(natural(a, w), natural(b, w));
     }},
};

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_INTEGEROPCASES_H
