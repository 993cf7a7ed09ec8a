//===- Polynomial.h - sums of products of what a kernel computes with -----===//
//
// Addresses and bounds as polynomials with whole coefficients, so that
// `K - kk * BK` and `kk * BK + k` can be compared. Equality is modulo 2^64, as
// addresses are.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_ANALYSIS_POLYNOMIAL_H
#define TESELA_ANALYSIS_POLYNOMIAL_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <vector>

namespace tesela::analysis {

/// What a polynomial is made of: a whole number that one value stands for.
struct Atom {
  enum class Kind : uint8_t {
    Scalar,    // `value`, an integer, sign-extended to 64 bits
    Iteration, // how many iterations of `loop` came before this one
    Trips,     // how many iterations `loop` has
    Iota,      // the position along `axis` of a tile
    Index, // element of the tile `value` at the position along `axis`, which
           // is `valueAxis` of `value` and the only one it depends on
  };
  Kind kind;
  mlir::Value value;
  mlir::scf::ForOp loop;
  int axis = -1;
  int valueAxis = -1;

  /// Varies along an axis of a tile.
  bool isAxial() const { return kind == Kind::Iota || kind == Kind::Index; }
  bool operator==(const Atom &other) const {
    return kind == other.kind && value == other.value && loop == other.loop &&
           axis == other.axis && valueAxis == other.valueAxis;
  }
};

/// Numbers atoms in the order in which they are met, which makes polynomials
/// cheap to compare and their order reproducible.
class AtomTable {
public:
  using Id = unsigned;
  Id intern(const Atom &atom);
  const Atom &operator[](Id id) const { return atoms[id]; }

private:
  std::vector<Atom> atoms;
};

class Polynomial {
public:
  /// Factors in increasing order; none for the constant term.
  using Monomial = std::vector<AtomTable::Id>;

  Polynomial() = default;
  static Polynomial constant(int64_t value);
  static Polynomial atom(AtomTable::Id id);
  static Polynomial term(Monomial monomial, int64_t coefficient);

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  Polynomial operator-() const { return Polynomial() - *this; }
  bool operator==(const Polynomial &other) const = default;

  bool isZero() const { return terms.empty(); }
  std::optional<int64_t> asConstant() const;
  size_t size() const { return terms.size(); }
  /// 0 where there is no such term.
  int64_t coefficient(const Monomial &monomial) const;
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }

  /// The atoms exchanged for others.
  Polynomial
  renamed(llvm::function_ref<AtomTable::Id(AtomTable::Id)> rename) const;

private:
  void accumulate(const Monomial &monomial, uint64_t coefficient);

  std::map<Monomial, int64_t> terms;
};

/// `monomial` without the factors of `divisor`; nothing where one is missing.
std::optional<Polynomial::Monomial>
quotient(const Polynomial::Monomial &monomial,
         const Polynomial::Monomial &divisor);

} // namespace tesela::analysis

#endif // TESELA_ANALYSIS_POLYNOMIAL_H
