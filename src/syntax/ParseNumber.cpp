//===- ParseNumber.cpp - the value of a number literal --------------------===//

#include "syntax/Grammar.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Error.h"

#include <charconv>

namespace tesela::syntax {

namespace {

/// As in CPython. Reading more decimal digits would take quadratic time.
constexpr size_t maxDecimalDigits = 4300;
/// Writing more as decimal digits would, too.
constexpr size_t maxRadixDigits = 1 << 14;

/// Decimal digits of a number that is given in base 2, 8 or 16.
std::string toDecimal(std::string_view digits, unsigned bitsPerDigit) {
  constexpr uint64_t base = 1000000000;
  std::vector<uint32_t> limbs; // in base 10^9, the lowest first
  uint64_t chunk = 0;
  unsigned bits = 0;
  auto flush = [&] {
    uint64_t carry = chunk;
    for (uint32_t &limb : limbs) {
      carry += uint64_t(limb) << bits;
      limb = uint32_t(carry % base);
      carry /= base;
    }
    for (; carry; carry /= base)
      limbs.push_back(uint32_t(carry % base));
    chunk = 0;
    bits = 0;
  };
  for (char c : digits) {
    unsigned digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    chunk = chunk << bitsPerDigit | digit;
    bits += bitsPerDigit;
    if (bits + bitsPerDigit > 32)
      flush();
  }
  flush();
  if (limbs.empty())
    return "0";
  std::string result = std::to_string(limbs.back());
  for (size_t i = limbs.size() - 1; i-- > 0;) {
    std::string part = std::to_string(limbs[i]);
    result.append(9 - part.size(), '0');
    result += part;
  }
  return result;
}

double toDouble(const std::string &digits) {
  double value = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc())
    return value;
  // Too large or too small; this one says which.
  llvm::APFloat exact(llvm::APFloat::IEEEdouble());
  auto status =
      exact.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
  if (!status)
    llvm::consumeError(status.takeError());
  return exact.convertToDouble();
}

} // namespace

Constant *Grammar::parseNumber() {
  const Token &token = tok();
  std::string digits;
  for (char c : spelling(token))
    if (c != '_')
      digits += c;
  advance();
  auto *result = make<Constant>(token);

  char second = digits.size() > 1 && digits[0] == '0' ? digits[1] | 0x20 : 0;
  if (second == 'x' || second == 'o' || second == 'b') {
    result->constant = ConstantKind::Int;
    std::string_view body = std::string_view(digits).substr(2);
    body.remove_prefix(std::min(body.find_first_not_of('0'), body.size()));
    if (body.size() > maxRadixDigits)
      fail("integer literal is too long", token.span);
    else
      result->text = toDecimal(body, second == 'x' ? 4 : second == 'o' ? 3 : 1);
    return result;
  }
  if ((digits.back() | 0x20) == 'j') {
    digits.pop_back();
    result->constant = ConstantKind::Imaginary;
    result->number = toDouble(digits);
    return result;
  }
  if (digits.find_first_of(".eE") != digits.npos) {
    result->constant = ConstantKind::Float;
    result->number = toDouble(digits);
    return result;
  }
  result->constant = ConstantKind::Int;
  size_t zeros = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  if (digits.size() - zeros > maxDecimalDigits)
    fail("integer literal has " + std::to_string(digits.size()) +
             " digits, more than 4300; consider hexadecimal for huge integers",
         token.span);
  else
    result->text = digits.substr(zeros);
  return result;
}

} // namespace tesela::syntax
