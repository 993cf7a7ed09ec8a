//===- GlobalMemory.cpp - one thread's access to global memory ------------===//
//
// A predicated access is one instruction with a guard, written as inline
// assembly: LLVM would branch around it.
//
//   @%p ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%a];
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/GlobalMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

namespace {

/// The bits of a vector as machine registers: of 32 bits, or one of 8 or 16.
struct Words {
  Words(OpBuilder &b, VectorType type) {
    unsigned bits =
        unsigned(type.getNumElements()) * type.getElementTypeBitWidth();
    width = std::min(bits, 32u);
    count = bits / width;
    word = b.getIntegerType(width);
    // Registers of 8 bits do not exist.
    held = width == 8 ? Type(b.getI16Type()) : word;
    vector = VectorType::get(int64_t(count), word);
  }

  unsigned width, count;
  Type word, held;
  VectorType vector;

  char constraint() const { return width == 32 ? 'r' : 'h'; }
  std::string suffix() const {
    std::string result = count == 1 ? "" : count == 2 ? ".v2" : ".v4";
    return result + (width == 32 ? ".b32" : width == 16 ? ".b16" : ".b8");
  }
  /// `{$0, $1}` from operand `first` on.
  std::string list(unsigned first) const {
    std::string result = "$" + std::to_string(first);
    for (unsigned i = 1; i < count; ++i)
      result += ", $" + std::to_string(first + i);
    return count == 1 ? result : "{" + result + "}";
  }
};

} // namespace

static SmallVector<Value> toWords(OpBuilder &b, Location loc, Value value,
                                  const Words &words) {
  if (value.getType() != words.vector)
    value = vector::BitCastOp::create(b, loc, words.vector, value);
  SmallVector<Value> result;
  for (unsigned i = 0; i < words.count; ++i) {
    Value word = vector::ExtractOp::create(b, loc, value, int64_t(i));
    if (words.held != words.word)
      word = arith::ExtUIOp::create(b, loc, words.held, word);
    result.push_back(word);
  }
  return result;
}

static Value fromWords(OpBuilder &b, Location loc, ArrayRef<Value> values,
                       const Words &words, VectorType type) {
  SmallVector<Value> parts;
  for (Value value : values) {
    if (words.held != words.word)
      value = arith::TruncIOp::create(b, loc, words.word, value);
    parts.push_back(value);
  }
  Value result = vector::FromElementsOp::create(b, loc, words.vector, parts);
  if (words.vector != type)
    result = vector::BitCastOp::create(b, loc, type, result);
  return result;
}

/// `.cg`, `.L1::evict_last` … as PTX's `ld` and `st` write them.
static std::string cacheSuffix(const CacheHints &hints, bool isLoad) {
  if (hints.isVolatile)
    return ".volatile";
  switch (hints.modifier) {
  case tile::CacheModifier::CA:
    return isLoad ? ".ca" : "";
  case tile::CacheModifier::CG:
    return ".cg";
  case tile::CacheModifier::CV:
    return isLoad ? ".cv" : "";
  case tile::CacheModifier::CS:
    return ".cs";
  case tile::CacheModifier::WB:
    return isLoad ? "" : ".wb";
  case tile::CacheModifier::WT:
    return isLoad ? "" : ".wt";
  case tile::CacheModifier::None:
    break;
  }
  switch (hints.eviction) {
  case tile::EvictionPolicy::EvictFirst:
    return ".L1::evict_first";
  case tile::EvictionPolicy::EvictLast:
    return ".L1::evict_last";
  case tile::EvictionPolicy::Normal:
    break;
  }
  return "";
}

/// `ld.volatile.global` but `ld.global.cg`.
static std::string mnemonic(const char *op, const CacheHints &hints,
                            bool isLoad) {
  std::string suffix = cacheSuffix(hints, isLoad);
  if (hints.isVolatile)
    return std::string(op) + suffix + ".global";
  return std::string(op) + ".global" + suffix;
}

Value loadGlobal(OpBuilder &b, Location loc, VectorType type, Value pointer,
                 Value predicate, Value other, const CacheHints &hints) {
  bool isPlain = cacheSuffix(hints, true).empty();
  Words words(b, type);
  if (!predicate && isPlain && !hints.mayBeLate) {
    unsigned bytes = words.width * words.count / 8;
    return LLVM::LoadOp::create(b, loc, type, pointer, bytes);
  }
  unsigned n = words.count;
  std::string text = "$" + std::to_string(n + 1) + " ";
  text = predicate ? "@" + text : "";
  text += mnemonic("ld", hints, true) + words.suffix() + " " + words.list(0) +
          ", [$" + std::to_string(n) + "];";
  std::string constraints;
  for (unsigned i = 0; i < n; ++i)
    constraints += std::string("=") + words.constraint() + ",";
  constraints += "l";
  SmallVector<Value> operands = {pointer};
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
    SmallVector<Value> others = toWords(b, loc, other, words);
    operands.append(others);
    for (unsigned i = 0; i < n; ++i)
      constraints += "," + std::to_string(i);
  }
  if (!hints.mayBeLate)
    constraints += ",~{memory}";
  Type result = n == 1 ? words.held
                       : LLVM::LLVMStructType::getLiteral(
                             b.getContext(), SmallVector<Type>(n, words.held));
  auto assembly = LLVM::InlineAsmOp::create(
      b, loc, result, operands, text, constraints,
      /*has_side_effects=*/!hints.mayBeLate,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> parts;
  for (unsigned i = 0; i < n; ++i)
    parts.push_back(n == 1 ? assembly.getRes()
                           : LLVM::ExtractValueOp::create(
                                 b, loc, assembly.getRes(), int64_t(i))
                                 .getResult());
  return fromWords(b, loc, parts, words, type);
}

void storeGlobal(OpBuilder &b, Location loc, Value value, Value pointer,
                 Value predicate, const CacheHints &hints) {
  auto type = cast<VectorType>(value.getType());
  Words words(b, type);
  if (!predicate && cacheSuffix(hints, false).empty()) {
    unsigned bytes = words.width * words.count / 8;
    LLVM::StoreOp::create(b, loc, value, pointer, bytes);
    return;
  }
  unsigned n = words.count;
  std::string text =
      predicate ? "@$" + std::to_string(n + 1) + " " : std::string();
  text += mnemonic("st", hints, false) + words.suffix() + " [$" +
          std::to_string(n) + "], " + words.list(0) + ";";
  SmallVector<Value> operands = toWords(b, loc, value, words);
  std::string constraints;
  for (unsigned i = 0; i < n; ++i)
    constraints += std::string(1, words.constraint()) + ",";
  constraints += "l";
  operands.push_back(pointer);
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
  }
  constraints += ",~{memory}";
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), operands, text, constraints,
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

} // namespace tesela::nvidia
