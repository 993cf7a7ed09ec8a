//===- Polynomial.cpp - sums of products ----------------------------------===//

#include "analysis/Polynomial.h"

#include <algorithm>

namespace tesela::analysis {

AtomTable::Id AtomTable::intern(const Atom &atom) {
  for (Id id = 0; id != atoms.size(); ++id)
    if (atoms[id] == atom)
      return id;
  atoms.push_back(atom);
  return atoms.size() - 1;
}

Polynomial Polynomial::constant(int64_t value) { return term({}, value); }

Polynomial Polynomial::atom(AtomTable::Id id) { return term({id}, 1); }

Polynomial Polynomial::term(Monomial monomial, int64_t coefficient) {
  Polynomial result;
  if (coefficient)
    result.terms[std::move(monomial)] = coefficient;
  return result;
}

void Polynomial::accumulate(const Monomial &monomial, uint64_t coefficient) {
  auto [position, isNew] = terms.try_emplace(monomial, 0);
  position->second = int64_t(uint64_t(position->second) + coefficient);
  if (!position->second)
    terms.erase(position);
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial result = *this;
  for (auto &[monomial, coefficient] : other.terms)
    result.accumulate(monomial, coefficient);
  return result;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  Polynomial result = *this;
  for (auto &[monomial, coefficient] : other.terms)
    result.accumulate(monomial, -uint64_t(coefficient));
  return result;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  for (auto &[left, leftCoefficient] : terms)
    for (auto &[right, rightCoefficient] : other.terms) {
      Monomial product(left.size() + right.size());
      std::merge(left.begin(), left.end(), right.begin(), right.end(),
                 product.begin());
      result.accumulate(product,
                        uint64_t(leftCoefficient) * uint64_t(rightCoefficient));
    }
  return result;
}

std::optional<int64_t> Polynomial::asConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

int64_t Polynomial::coefficient(const Monomial &monomial) const {
  auto position = terms.find(monomial);
  return position == terms.end() ? 0 : position->second;
}

Polynomial Polynomial::renamed(
    llvm::function_ref<AtomTable::Id(AtomTable::Id)> rename) const {
  Polynomial result;
  for (auto &[monomial, coefficient] : terms) {
    Monomial changed;
    for (AtomTable::Id id : monomial)
      changed.push_back(rename(id));
    std::sort(changed.begin(), changed.end());
    result.accumulate(changed, coefficient);
  }
  return result;
}

std::optional<Polynomial::Monomial>
quotient(const Polynomial::Monomial &monomial,
         const Polynomial::Monomial &divisor) {
  Polynomial::Monomial rest;
  auto next = divisor.begin();
  for (AtomTable::Id id : monomial) {
    if (next != divisor.end() && *next == id)
      ++next;
    else
      rest.push_back(id);
  }
  if (next != divisor.end())
    return std::nullopt;
  return rest;
}

} // namespace tesela::analysis
