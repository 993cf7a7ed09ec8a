//===- TileKernel.h - a kernel from text, ready to run --------------------===//

#ifndef TESELA_TEST_UNIT_TILEKERNEL_H
#define TESELA_TEST_UNIT_TILEKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tesela::test {

/// The bits of elements, each zero-extended.
using Bits = std::vector<uint64_t>;

/// A context with the dialects of tile IR, for all tests of this thread.
mlir::MLIRContext &tileContext();

/// A module that was parsed and verified; null, with the reason in `error`,
/// where it is wrong.
mlir::OwningOpRef<mlir::ModuleOp> parseTile(const std::string &text,
                                            std::string &error);

/// The function with the attribute `tile.kernel`.
mlir::func::FuncOp findKernel(mlir::ModuleOp module);

/// An argument buffer: of each argument its bits, a pointer's being its
/// address.
std::string packArguments(mlir::func::FuncOp kernel, const Bits &arguments);

inline uint64_t address(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

/// Bits of elements of the type that is written `type` in IR, from numbers, and
/// back.
Bits toBits(const std::string &type, const std::vector<double> &numbers);
std::vector<double> toNumbers(const std::string &type, const Bits &bits);

/// Evaluates one op on tiles. `op` names its operands %a, %b, %c and its result
/// %r, and says `A`, `B`, `C`, `R` for their types: "arith.addi %a, %b : A".
/// Gives the result's bits; a failure of the test and nothing where it cannot.
Bits applyOp(const std::string &op, const std::vector<std::string> &types,
             const std::string &resultType, const std::vector<Bits> &inputs);

/// The same where everything is of one type, on numbers.
std::vector<double>
applyToNumbers(const std::string &op, const std::string &type,
               const std::vector<std::vector<double>> &inputs);

/// Evaluates a kernel of a single instance for the error that it gives; empty
/// where there is none.
std::string evaluationError(const std::string &text,
                            const Bits &arguments = {});

/// Evaluates `text`, whose kernel's arguments are pointers to `memory`, and
/// expects no error.
void evaluateOn(const std::string &text, const std::vector<void *> &memory,
                int32_t instances = 1);

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_TILEKERNEL_H
