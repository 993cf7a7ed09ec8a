//===- Evaluation.h - one instance under evaluation -----------------------===//
//
// What the rules work on. A rule says what one op does: it reads its operands'
// tiles, sets its results' tiles, and gives false after `fail`. There is a file
// of rules for each family of ops.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_INTERP_EVALUATION_H
#define TESELA_INTERP_EVALUATION_H

#include "interp/Evaluator.h"
#include "interp/Numbers.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <vector>

namespace tesela::interp {

/// The bits of a scalar (one element) or of a tile's elements in row-major
/// order. The type stands with the value in the IR.
using Tile = llvm::SmallVector<uint64_t, 1>;

class Evaluation;
using Rule = bool (*)(Evaluation &evaluation, mlir::Operation &op);
using RuleTable = llvm::DenseMap<mlir::TypeID, Rule>;

template <typename Op>
void addRule(RuleTable &table, Rule rule) {
  table[mlir::TypeID::get<Op>()] = rule;
}

void addArithRules(RuleTable &table);
void addFloatRules(RuleTable &table);
void addMathRules(RuleTable &table);
void addControlRules(RuleTable &table);
void addTileRules(RuleTable &table);
void addMemoryRules(RuleTable &table);
void addAtomicRules(RuleTable &table);

class Evaluation {
public:
  Evaluation(mlir::func::FuncOp function, std::array<int32_t, 3> grid,
             llvm::ArrayRef<MemoryRange> memory);

  /// Whether every op has a rule and every type can be evaluated.
  bool check();

  const Tile &get(mlir::Value value) const {
    return tiles[slots.find(value)->second];
  }
  void set(mlir::Value value, Tile tile) {
    tiles[slots.find(value)->second] = std::move(tile);
  }
  void setScalar(mlir::Value value, uint64_t bits) { set(value, Tile{bits}); }

  /// Copies the tiles of all sources before it sets any target, so that a loop
  /// may permute what it carries.
  void move(mlir::ValueRange sources, mlir::ValueRange targets);

  /// Runs the ops of a block but its terminator.
  bool runBlock(mlir::Block &block);

  /// Notes what is wrong with an op, and where; gives false.
  bool fail(mlir::Operation &op, const llvm::Twine &message);

  /// Memory; false after `fail` where the address may not be touched.
  bool load(mlir::Operation &op, uint64_t address, unsigned bytes,
            uint64_t &bits);
  bool store(mlir::Operation &op, uint64_t address, unsigned bytes,
             uint64_t bits);

  std::array<int32_t, 3> programId = {0, 0, 0};
  const std::array<int32_t, 3> grid;
  std::string error;

private:
  bool checkType(mlir::Operation &op, mlir::Type type);
  bool checkAccess(mlir::Operation &op, uint64_t address, unsigned bytes,
                   const char *verb);

  mlir::func::FuncOp function;
  llvm::ArrayRef<MemoryRange> memory;
  llvm::DenseMap<mlir::Value, unsigned> slots;
  std::vector<Tile> tiles;
};

} // namespace tesela::interp

#endif // TESELA_INTERP_EVALUATION_H
