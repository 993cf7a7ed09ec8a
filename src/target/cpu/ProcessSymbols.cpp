//===- ProcessSymbols.cpp - what kernels may use of the C library ---------===//
//
// Memory functions are what LLVM may make of copies. The maths is for rare
// functions and arguments (docs/maths.md says which), and, as conversions of
// half floats, for processors without the instruction. By name, so that nothing
// else of the process is within reach of a damaged object.
//
//===----------------------------------------------------------------------===//

#include "target/cpu/ProcessSymbols.h"

#include <cmath>
#include <cstring>

namespace tesela::cpu {

namespace {
template <typename T>
using Unary = T (*)(T);
template <typename T>
using Binary = T (*)(T, T);
template <typename T>
using Ternary = T (*)(T, T, T);

struct Entry {
  llvm::StringLiteral name;
  uint64_t (*address)();
};
} // namespace

template <typename Function>
static uint64_t addressOf(Function function) {
  return reinterpret_cast<uint64_t>(function);
}

#define UNARY(name)                                                            \
  {#name, [] { return addressOf(static_cast<Unary<double>>(::name)); }}, {     \
    #name "f", [] { return addressOf(static_cast<Unary<float>>(::name##f)); }  \
  }
#define BINARY(name)                                                           \
  {#name, [] { return addressOf(static_cast<Binary<double>>(::name)); }}, {    \
    #name "f", [] { return addressOf(static_cast<Binary<float>>(::name##f)); } \
  }

#define CONVERSION(name, from, to)                                             \
  {#name, [] { return addressOf(+[](from x) { return to(x); }); }}

static const Entry entries[] = {
    {"memcpy", [] { return addressOf(::memcpy); }},
    {"memmove", [] { return addressOf(::memmove); }},
    {"memset", [] { return addressOf(::memset); }},
    {"fma", [] { return addressOf(static_cast<Ternary<double>>(::fma)); }},
    {"fmaf", [] { return addressOf(static_cast<Ternary<float>>(::fmaf)); }},
#ifdef __x86_64__
    CONVERSION(__extendhfsf2, _Float16, float),
    CONVERSION(__truncsfhf2, float, _Float16),
    CONVERSION(__truncdfhf2, double, _Float16),
#endif
    UNARY(acos),
    UNARY(acosh),
    UNARY(asin),
    UNARY(asinh),
    UNARY(atan),
    UNARY(atanh),
    UNARY(cbrt),
    UNARY(ceil),
    UNARY(cos),
    UNARY(cosh),
    UNARY(erf),
    UNARY(erfc),
    UNARY(exp),
    UNARY(exp2),
    UNARY(expm1),
    UNARY(floor),
    UNARY(log),
    UNARY(log10),
    UNARY(log1p),
    UNARY(log2),
    UNARY(nearbyint),
    UNARY(rint),
    UNARY(round),
    UNARY(roundeven),
    UNARY(sin),
    UNARY(sinh),
    UNARY(sqrt),
    UNARY(tan),
    UNARY(tanh),
    UNARY(trunc),
    BINARY(atan2),
    BINARY(fmod),
    BINARY(fmax),
    BINARY(fmin),
    BINARY(pow),
};

#undef UNARY
#undef BINARY
#undef CONVERSION

uint64_t findProcessSymbol(llvm::StringRef name) {
  for (const Entry &entry : entries)
    if (entry.name == name)
      return entry.address();
  return 0;
}

} // namespace tesela::cpu
