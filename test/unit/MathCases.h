//===- MathCases.h - elementary functions and what they should give -------===//

#ifndef TESELA_TEST_UNIT_MATHCASES_H
#define TESELA_TEST_UNIT_MATHCASES_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace tesela::test {

/// A loop that applies `op` (text with %x, %y and the type T) to arrays.
inline std::string kernelText(std::string op, const std::string &element,
                              int lanes) {
  std::string type = element;
  if (lanes > 1)
    type = "vector<" + std::to_string(lanes) + "x" + element + ">";
  for (size_t at; (at = op.find("$T")) != std::string::npos;)
    op.replace(at, 2, type);
  return R"(
    func.func @kernel(%xs: !llvm.ptr, %ys: !llvm.ptr, %out: !llvm.ptr,
                      %count: i64) {
      %zero = arith.constant 0 : index
      %step = arith.constant )" +
         std::to_string(lanes) + R"( : index
      %end = arith.index_cast %count : i64 to index
      scf.for %i = %zero to %end step %step {
        %at = arith.index_cast %i : index to i64
        %xp = llvm.getelementptr %xs[%at] : (!llvm.ptr, i64) -> !llvm.ptr, )" +
         element + R"(
        %yp = llvm.getelementptr %ys[%at] : (!llvm.ptr, i64) -> !llvm.ptr, )" +
         element + R"(
        %op = llvm.getelementptr %out[%at] : (!llvm.ptr, i64) -> !llvm.ptr, )" +
         element + R"(
        %x = llvm.load %xp {alignment = 2 : i64} : !llvm.ptr -> )" +
         type + R"(
        %y = llvm.load %yp {alignment = 2 : i64} : !llvm.ptr -> )" +
         type + "\n" + op + R"(
        llvm.store %r, %op {alignment = 2 : i64} : )" +
         type + R"(, !llvm.ptr
      }
      return
    }
  )";
}

/// The distance in units of the last place that a number near `exact` has.
template <typename T, typename Wide>
double ulps(T got, Wide exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got)
               ? 0
               : std::numeric_limits<double>::infinity();
  if (T(exact) == got)
    // The sign of zero counts.
    return std::signbit(exact) == std::signbit(got)
               ? (std::isinf(got)
                      ? 0
                      : double(
                            std::abs(Wide(got) - exact) /
                            std::ldexp(
                                Wide(1),
                                std::max(std::ilogb(exact),
                                         std::numeric_limits<T>::min_exponent -
                                             1) -
                                    (std::numeric_limits<T>::digits - 1))))
               : std::numeric_limits<double>::infinity();
  if (std::isinf(exact))
    return std::numeric_limits<double>::infinity();
  int exponent =
      exact == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(exact);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent - 1);
  exponent = std::min(exponent, std::numeric_limits<T>::max_exponent - 1);
  Wide unit =
      std::ldexp(Wide(1), exponent - (std::numeric_limits<T>::digits - 1));
  // Infinity counts as the first number that is too large.
  Wide value =
      std::isinf(got)
          ? std::copysign(
                std::ldexp(Wide(1), std::numeric_limits<T>::max_exponent),
                Wide(got))
          : Wide(got);
  return double(std::abs(value - exact) / unit);
}

template <typename T>
struct Case {
  const char *name;
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  Wide (*exact)(Wide);
  /// The documented bound.
  double bound;
  /// Of f64: where most numbers are taken from.
  double low = -1000, high = 1000;
};

template <typename Wide>
Wide rsqrtExact(Wide x) {
  return 1 / std::sqrt(x);
}

#define CASE(name, ...)                                                        \
  {#name, [](auto x) { return decltype(x)(std::name(x)); }, __VA_ARGS__}

inline const Case<float> floats[] = {
    CASE(exp, 1.04),
    CASE(exp2, 1.2),
    CASE(expm1, 1.5),
    CASE(log, 1.0),
    CASE(log2, 1.0),
    CASE(log10, 1.1),
    CASE(log1p, 1.7),
    CASE(sin, 1.0),
    CASE(cos, 1.0),
    CASE(tan, 1.3),
    CASE(asin, 1.4),
    CASE(acos, 1.4),
    CASE(atan, 1.4),
    CASE(sinh, 1.7),
    CASE(cosh, 1.6),
    CASE(tanh, 2.0),
    CASE(asinh, 0.6),
    CASE(acosh, 0.6),
    CASE(atanh, 0.6),
    CASE(erf, 1.1),
    CASE(cbrt, 0.6),
    {"rsqrt", rsqrtExact<double>, 1.5},
    CASE(sqrt, 0.5),
    CASE(floor, 0),
    CASE(ceil, 0),
    CASE(trunc, 0),
    CASE(round, 0),
    {"roundeven", [](double x) { return std::nearbyint(x); }, 0},
    {"absf", [](double x) { return std::abs(x); }, 0},
    CASE(erfc, 1.0),
};

inline const Case<double> doubles[] = {
    CASE(exp, 1.0),
    CASE(exp2, 1.2, -1100, 1100),
    CASE(expm1, 1.5),
    CASE(log, 1.0, 0, 4),
    CASE(log2, 1.0, 0, 4),
    CASE(log10, 1.5, 0, 4),
    CASE(log1p, 1.5, -1, 4),
    CASE(sin, 1.0, -100, 100),
    CASE(cos, 1.0, -100, 100),
    CASE(tan, 1.2, -100, 100),
    CASE(asin, 1.1, -1, 1),
    CASE(acos, 1.0, -1, 1),
    CASE(atan, 1.0, -10, 10),
    CASE(sinh, 2.0, -10, 10),
    CASE(cosh, 1.5, -10, 10),
    CASE(tanh, 2.0, -10, 10),
    CASE(asinh, 2.0, -10, 10),
    CASE(acosh, 2.0, 1, 10),
    CASE(atanh, 2.0, -1, 1),
    CASE(erf, 1.5, -5, 5),
    CASE(cbrt, 0.6),
    CASE(erfc, 3.5, -5, 28),
    {"rsqrt", rsqrtExact<long double>, 1.5, 0, 10},
    CASE(floor, 0),
    {"roundeven", [](long double x) { return std::nearbyint(x); }, 0},
};

inline std::string opText(const std::string &name) {
  return "%r = math." + name + " %x : $T";
}

template <typename T>
T fromBits(uint64_t bits) {
  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> narrow = bits;
  T result;
  std::memcpy(&result, &narrow, sizeof(T));
  return result;
}

/// Zeros, ones, the smallest and largest, infinities, NaNs and what is near.
template <typename T>
std::vector<T> specials() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> result;
  for (T x : {T(0),
              T(1),
              T(0.5),
              T(2),
              T(3),
              T(2.5),
              T(10),
              T(88.72283),
              T(103.97),
              T(709.78),
              T(745.1),
              T(1e5),
              T(65536),
              T(1e20),
              Limits::min(),
              Limits::max(),
              Limits::denorm_min(),
              Limits::infinity(),
              T(M_PI),
              T(M_PI_2),
              T(M_PI_4),
              T(1e-30)})
    for (T y :
         {x, std::nextafter(x, T(0)), std::nextafter(x, Limits::infinity())})
      result.insert(result.end(), {y, -y});
  result.push_back(Limits::quiet_NaN());
  result.push_back(-Limits::quiet_NaN());
  result.push_back(Limits::signaling_NaN());
  // NaNs with every low bit set.
  result.push_back(
      fromBits<T>(sizeof(T) == 4 ? 0x7fffffffu : 0x7fffffffffffffffu));
  result.push_back(
      fromBits<T>(sizeof(T) == 4 ? 0xff800155u : 0xfff0000000000155u));
  return result;
}

/// The numbers next to multiples of pi/2, where circular functions cancel.
template <typename T>
std::vector<T> nearMultiples(int count) {
  std::vector<T> result;
  for (int k = 1; k <= count; ++k) {
    T x = T(k * 1.57079632679489661923132169163975144L);
    for (T y : {std::nextafter(x, T(0)), x, std::nextafter(x, 2 * x)})
      result.push_back(k % 2 ? y : -y);
  }
  return result;
}

#undef CASE

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_MATHCASES_H
