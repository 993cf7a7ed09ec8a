//===- Evaluation.cpp - one instance under evaluation ---------------------===//

#include "interp/Evaluation.h"

#include "dialect/tile/Tile.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;

namespace tesela::interp {

/// Built once; read by every evaluation.
static const RuleTable &rules() {
  static const RuleTable table = [] {
    RuleTable table;
    addArithRules(table);
    addFloatRules(table);
    addMathRules(table);
    addControlRules(table);
    addTileRules(table);
    addMemoryRules(table);
    addAtomicRules(table);
    return table;
  }();
  return table;
}

Evaluation::Evaluation(func::FuncOp function, std::array<int32_t, 3> grid,
                       ArrayRef<MemoryRange> memory)
    : grid(grid), function(function), memory(memory) {
  auto number = [&](Value value) { slots.try_emplace(value, slots.size()); };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), number);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), number);
  });
  tiles.resize(slots.size());
}

//===----------------------------------------------------------------------===//
// What can be evaluated
//===----------------------------------------------------------------------===//

bool Evaluation::checkType(Operation &op, Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    if (!isa<RankedTensorType>(shaped) || !shaped.hasStaticShape())
      return fail(op, "is of a shape that is not known");
    if (shaped.getNumElements() == 0)
      return fail(op, "is a tile of no elements");
  }
  Type element = tile::elementType(type);
  bool isNumber = element.isIntOrFloat() &&
                  element.getIntOrFloatBitWidth() > 0 &&
                  element.getIntOrFloatBitWidth() <= 64;
  if (isNumber || isa<IndexType, tile::PtrType>(element))
    return true;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return fail(op, "has the type " + text + ", which cannot be evaluated");
}

bool Evaluation::check() {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return fail(*function, "does not have one block");
  for (Type type : function.getArgumentTypes())
    if (!checkType(*function, type))
      return false;
  WalkResult walked = function.getBody().walk([&](Operation *op) {
    // The rule of the op around it does what a terminator means.
    bool isKnown = op->hasTrait<OpTrait::IsTerminator>()
                       ? op->getNumSuccessors() == 0
                       : rules().contains(op->getName().getTypeID());
    if (!isKnown && !fail(*op, "has no rule in the evaluator"))
      return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (!checkType(*op, type))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.hasOneBlock()) {
        fail(*op, "has a region of several blocks");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Evaluation::move(ValueRange sources, ValueRange targets) {
  SmallVector<Tile> carried;
  for (Value source : sources)
    carried.push_back(get(source));
  for (auto [target, tile] : llvm::zip_equal(targets, carried))
    set(target, std::move(tile));
}

bool Evaluation::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!rules().find(op.getName().getTypeID())->second(*this, op))
      return false;
  return true;
}

/// `file:line:column: ` of where the user wrote it; nothing where unknown.
static std::string describe(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return describe(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(location))
    return describe(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      if (std::string text = describe(part); !text.empty())
        return text;
    return "";
  }
  auto range = dyn_cast<FileLineColRange>(location);
  if (!range)
    return "";
  return (range.getFilename().getValue() + ":" + Twine(range.getStartLine()) +
          ":" + Twine(range.getStartColumn()) + ": ")
      .str();
}

bool Evaluation::fail(Operation &op, const Twine &message) {
  error = describe(op.getLoc()) + "`" + op.getName().getStringRef().str() +
          "` " + message.str();
  return false;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool Evaluation::checkAccess(Operation &op, uint64_t address, unsigned bytes,
                             const char *verb) {
  auto contains = [&](const MemoryRange &range) {
    uint64_t begin = reinterpret_cast<uintptr_t>(range.begin);
    return address >= begin && address - begin <= range.bytes &&
           range.bytes - (address - begin) >= bytes;
  };
  // Nothing is ever mapped in the first page: a null pointer and its offsets.
  bool allowed =
      memory.empty() ? address >= 4096 : llvm::any_of(memory, contains);
  if (allowed)
    return true;
  return fail(op, Twine(verb) + " " + Twine(bytes) + " bytes at 0x" +
                      llvm::utohexstr(address) + ", where nothing is, in " +
                      "program (" + Twine(programId[0]) + ", " +
                      Twine(programId[1]) + ", " + Twine(programId[2]) + ")");
}

bool Evaluation::load(Operation &op, uint64_t address, unsigned bytes,
                      uint64_t &bits) {
  if (!checkAccess(op, address, bytes, "reads"))
    return false;
  bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void *>(address), bytes);
  return true;
}

bool Evaluation::store(Operation &op, uint64_t address, unsigned bytes,
                       uint64_t bits) {
  if (!checkAccess(op, address, bytes, "writes"))
    return false;
  std::memcpy(reinterpret_cast<void *>(address), &bits, bytes);
  return true;
}

} // namespace tesela::interp
