//===- MmaFactors.cpp - the factors of mma.sync as 32-bit registers -------===//
//
// A factor in shared memory is read by `ldmatrix`, up to four matrices of 8
// rows of 16 bytes at once, `.trans` where it is contiguous across the depth;
// or element by element, where there is no such instruction. What is read with
// one instruction belongs to one step along the depth as far as it can: the
// bits of a register's number that count steps come last.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/MmaFactors.h"

#include "target/nvidia/Coordinates.h"
#include "target/nvidia/DeviceCode.h"
#include "target/nvidia/SharedTransfer.h"

#include "layout/MemoryAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tesela::nvidia {

using layout::Dim;
using layout::LinearLayout;
using layout::MatrixAccess;
using layout::Place;
using layout::PlaceMap;
using layout::Shape;

MmaInstruction::MmaInstruction(Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  depth = 256 / bits;
  packed = 32 / bits;
  type = element.isF16()    ? NVVM::MMATypes::f16
         : element.isBF16() ? NVVM::MMATypes::bf16
         : element.isF32()  ? NVVM::MMATypes::tf32
                            : NVVM::MMATypes::s8;
  word = element.isF16() ? Type(VectorType::get(2, element))
                         : Type(IntegerType::get(element.getContext(), 32));
}

namespace {

/// Elements along the depth as one register.
Value pack(OpBuilder &b, Location loc, ArrayRef<Value> parts) {
  Type element = parts[0].getType();
  MmaInstruction instruction(element);
  if (element.isF32())
    // Rounds to nearest, where the hardware would cut bits off.
    return NVVM::ConvertFloatToTF32Op::create(
        b, loc, b.getI32Type(), parts[0], NVVM::FPRoundingMode::RNA,
        NVVM::SaturationMode::NONE, false);
  auto type = VectorType::get(int64_t(parts.size()), element);
  Value packed = vector::FromElementsOp::create(b, loc, type, parts);
  if (packed.getType() == instruction.word)
    return packed;
  return LLVM::BitcastOp::create(b, loc, instruction.word, packed);
}

class RegisterFactor : public MmaFactor {
public:
  RegisterFactor(OpBuilder &b, Location loc, const LinearLayout &layout,
                 Value registers, unsigned axis)
      : b(b), loc(loc), index(layout), registers(registers), axis(axis) {}

  Value word(const Shape &position) override {
    MmaInstruction instruction(
        cast<VectorType>(registers.getType()).getElementType());
    SmallVector<Value> parts;
    for (int64_t i = 0; i < instruction.packed; ++i) {
      Shape at = position;
      at[axis] += i;
      parts.push_back(
          vector::ExtractOp::create(b, loc, registers, index.at(at)));
    }
    return pack(b, loc, parts);
  }

private:
  OpBuilder &b;
  Location loc;
  RegisterIndex index;
  Value registers;
  unsigned axis;
};

/// The bits of the register's number that count steps along the depth last.
LinearLayout stepsLast(const LinearLayout &layout, unsigned axis,
                       int64_t depth) {
  std::vector<uint64_t> first, last;
  for (unsigned bit = 0; bit < layout.bits(Dim::Register); ++bit) {
    Shape position = layout.coordinates(layout.bases(Dim::Register)[bit]);
    (position[axis] < depth ? first : last).push_back(uint64_t(1) << bit);
  }
  first.insert(first.end(), last.begin(), last.end());
  return layout.renumberRegisters(first);
}

class SharedFactor : public MmaFactor {
public:
  SharedFactor(const ThreadLowering &threads, OpBuilder &b, Location loc,
               const LinearLayout &fragment, gpu::StagedType type,
               Value address, unsigned axis)
      : b(b), loc(loc), element(type.getElementType()), instruction(element),
        layout(stepsLast(fragment, axis, instruction.depth)), index(layout),
        axis(axis) {
    LinearLayout memory = memoryOf(type);
    unsigned bits = element.getIntOrFloatBitWidth();
    isTransposed = bits == 16 && unsigned(type.getAxis()) != axis;
    matrices = layout::matrixAccess(layout, memory, bits, isTransposed);
    places.emplace(matrices ? matrices->rows : *layout::locate(layout, memory));
    bytes = bits / 8;
    at.emplace(
        threads, b, loc, address, layout,
        [&](Dim dim, unsigned bit) {
          return places->column(dim, bit).offset * uint64_t(bytes);
        },
        stagedAlignment);
    if (matrices)
      findMatrices();
  }

  Value word(const Shape &position) override {
    Value &known = words[position];
    if (!known)
      known = matrices ? fromMatrix(position) : fromElements(position);
    return known;
  }

private:
  uint64_t offset(uint64_t reg) const {
    Place place;
    place.reg = reg;
    return (*places)(place).offset * uint64_t(bytes);
  }

  /// Which matrix of which instruction has what a register holds.
  void findMatrices() {
    layout::BitMatrix numbering(64, matrices->registers);
    uint64_t count = layout.size(Dim::Register) >> matrices->packedBits;
    for (uint64_t matrix = 0; matrix != count; ++matrix)
      matrixOf[numbering(matrix << matrices->packedBits)] = matrix;
  }

  Value fromMatrix(const Shape &position) {
    uint64_t matrix = matrixOf.at(uint64_t(index.at(position)));
    unsigned count = 1u << matrices->matrixBits;
    SmallVector<Value> &loaded = instructions[matrix / count];
    if (loaded.empty())
      loaded = load(matrix / count, count);
    Value word = loaded[matrix % count];
    if (element.isF32())
      return pack(b, loc,
                  {LLVM::BitcastOp::create(b, loc, element, word).getResult()});
    if (word.getType() == instruction.word)
      return word;
    return LLVM::BitcastOp::create(b, loc, instruction.word, word);
  }

  SmallVector<Value> load(uint64_t number, unsigned count) {
    DeviceCode code(b, loc);
    std::string name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" +
                       std::to_string(count) +
                       (isTransposed ? ".trans.b16.p3" : ".b16.p3");
    Type word = b.getI32Type();
    Type result = count == 1
                      ? word
                      : LLVM::LLVMStructType::getLiteral(
                            b.getContext(), SmallVector<Type>(count, word));
    Value loaded = code.intrinsic(name, result, at->at(offset(number)));
    if (count == 1)
      return {loaded};
    SmallVector<Value> parts;
    for (unsigned i = 0; i != count; ++i)
      parts.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, int64_t(i)));
    return parts;
  }

  Value fromElements(const Shape &position) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < instruction.packed; ++i) {
      Shape next = position;
      next[axis] += i;
      parts.push_back(LLVM::LoadOp::create(
          b, loc, element, at->at(offset(uint64_t(index.at(next)))),
          unsigned(bytes)));
    }
    return pack(b, loc, parts);
  }

  OpBuilder &b;
  Location loc;
  Type element;
  MmaInstruction instruction;
  LinearLayout layout;
  RegisterIndex index;
  unsigned axis;
  bool isTransposed = false;
  int64_t bytes = 0;
  std::optional<MatrixAccess> matrices;
  /// From registers, or instructions, and threads to offsets.
  std::optional<PlaceMap> places;
  std::optional<SharedAddress> at;
  std::map<uint64_t, uint64_t> matrixOf;
  std::map<uint64_t, SmallVector<Value>> instructions;
  std::map<Shape, Value> words;
};

} // namespace

std::unique_ptr<MmaFactor> MmaFactor::inRegisters(OpBuilder &b, Location loc,
                                                  const LinearLayout &layout,
                                                  Value registers,
                                                  unsigned depthAxis) {
  return std::make_unique<RegisterFactor>(b, loc, layout, registers, depthAxis);
}

std::unique_ptr<MmaFactor>
MmaFactor::inShared(const ThreadLowering &threads, OpBuilder &b, Location loc,
                    const LinearLayout &fragment, gpu::StagedType type,
                    Value address, unsigned depthAxis) {
  return std::make_unique<SharedFactor>(threads, b, loc, fragment, type,
                                        address, depthAxis);
}

} // namespace tesela::nvidia
