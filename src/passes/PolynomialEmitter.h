//===- PolynomialEmitter.h - polynomials as ops ---------------------------===//

#ifndef TESELA_PASSES_POLYNOMIALEMITTER_H
#define TESELA_PASSES_POLYNOMIALEMITTER_H

#include "analysis/AxisDependence.h"
#include "analysis/Polynomial.h"

#include "mlir/IR/Builders.h"

namespace tesela {

/// Writes polynomials as i64 arithmetic at the builder's insertion point, which
/// everything in them must dominate.
class PolynomialEmitter {
public:
  PolynomialEmitter(mlir::OpBuilder &builder, mlir::Location loc,
                    const analysis::AtomTable &atoms)
      : builder(builder), loc(loc), atoms(atoms) {}

  /// Of a polynomial of scalars.
  mlir::Value scalar(const analysis::Polynomial &polynomial);

  /// Of a polynomial of scalars, and of positions and index tiles along one
  /// axis of `size` elements: a tile of one axis.
  mlir::Value alongAxis(const analysis::Polynomial &polynomial, int64_t size);

  mlir::Value constant(int64_t value);

  /// Scalar arithmetic, folded.
  template <typename Op>
  mlir::Value fold(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }

private:
  mlir::Value factor(const analysis::Atom &atom, int64_t size);
  mlir::Value sum(const analysis::Polynomial &polynomial, int64_t size);
  mlir::Value trips(mlir::scf::ForOp loop);
  mlir::Value iterations(mlir::scf::ForOp loop);
  mlir::Value extended(mlir::Value value);
  mlir::Value along(mlir::Value value, int axis, int64_t size);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const analysis::AtomTable &atoms;
  analysis::AxisDependence axes;
};

} // namespace tesela

#endif // TESELA_PASSES_POLYNOMIALEMITTER_H
