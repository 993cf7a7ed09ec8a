//===- SplitVectors.cpp - vectors become registers ------------------------===//
//
//   %s = fadd <4 x float> %a, %b        %s0 = fadd float %a0, %b0
//                                  ==>  %s1 = fadd float %a1, %b1 …
//
// A vector stands for many registers of a thread, each of which is one value of
// LLVM's afterwards. Halves stay together in pairs, which one instruction
// computes. Loads, stores and inline assembly keep their vectors; those of
// halves move words of 32 bits.
//
// One walk in an order in which definitions come before their uses; phis get
// their operands at the end.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/SplitVectors.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tesela::nvidia {

namespace {

/// What a vector became: a scalar for each lane, or one pair for two.
struct Registers {
  SmallVector<Value *, 0> lanes;
  SmallVector<Value *, 0> pairs;
};

class Splitter {
public:
  explicit Splitter(Function &function)
      : function(function), builder(function.getContext()) {}

  void run();

private:
  unsigned lanesOf(Value *value);
  Value *lane(Value *value, unsigned i);
  Value *pair(Value *value, unsigned i);
  Value *gather(Value *value, unsigned first, unsigned count);
  Value *whole(Value *value);
  void split(Instruction *instruction, Registers registers);
  void keep(Instruction *instruction);

  void visit(Instruction *instruction);
  bool visitElementwise(Instruction *instruction);
  bool visitIntrinsic(IntrinsicInst *call);
  bool visitReduction(IntrinsicInst *call);
  void visitPhi(PHINode *phi);
  void fillPhi(PHINode *phi);
  void visitBitcast(BitCastInst *cast);
  void visitExtract(ExtractElementInst *extract);
  void visitInsert(InsertElementInst *insert);
  void visitShuffle(ShuffleVectorInst *shuffle);
  bool visitLoad(LoadInst *load);
  bool visitStore(StoreInst *store);

  Function &function;
  IRBuilder<> builder;
  DenseMap<Value *, Registers> registersOf;
  SmallVector<PHINode *> phis;
  SmallVector<Instruction *> dead;
};

} // namespace

static FixedVectorType *vectorType(Value *value) {
  return dyn_cast<FixedVectorType>(value->getType());
}

static bool isHalf(Type *type) {
  return type->isHalfTy() || type->isBFloatTy();
}

/// Whether a value's registers are pairs.
static bool isPaired(Value *value) {
  auto *type = vectorType(value);
  return type && isHalf(type->getElementType()) &&
         type->getNumElements() % 2 == 0;
}

//===----------------------------------------------------------------------===//
// Parts of values
//===----------------------------------------------------------------------===//

unsigned Splitter::lanesOf(Value *value) {
  auto *type = vectorType(value);
  return type ? type->getNumElements() : 1;
}

/// Lane i; a scalar is its own.
Value *Splitter::lane(Value *value, unsigned i) {
  if (!vectorType(value))
    return value;
  auto found = registersOf.find(value);
  if (found != registersOf.end()) {
    Registers &registers = found->second;
    if (!registers.lanes.empty())
      return registers.lanes[i];
    return builder.CreateExtractElement(registers.pairs[i / 2], i % 2);
  }
  if (auto *constant = dyn_cast<Constant>(value))
    if (Constant *element = constant->getAggregateElement(i))
      return element;
  return builder.CreateExtractElement(value, i);
}

/// Lanes 2i and 2i + 1 as one value.
Value *Splitter::pair(Value *value, unsigned i) {
  auto found = registersOf.find(value);
  if (found != registersOf.end() && !found->second.pairs.empty())
    return found->second.pairs[i];
  return gather(value, 2 * i, 2);
}

/// Some lanes that follow each other, as a vector.
Value *Splitter::gather(Value *value, unsigned first, unsigned count) {
  auto *type = cast<FixedVectorType>(value->getType());
  bool isWhole = first == 0 && count == type->getNumElements();
  auto found = registersOf.find(value);
  if (found == registersOf.end() && isWhole)
    return value;
  if (found != registersOf.end() && count == 2 && first % 2 == 0 &&
      !found->second.pairs.empty())
    return found->second.pairs[first / 2];
  Value *result =
      PoisonValue::get(FixedVectorType::get(type->getElementType(), count));
  for (unsigned i = 0; i != count; ++i)
    result = builder.CreateInsertElement(result, lane(value, first + i), i);
  return result;
}

Value *Splitter::whole(Value *value) {
  return gather(value, 0, lanesOf(value));
}

/// From here on, uses of the instruction are uses of `registers`.
void Splitter::split(Instruction *instruction, Registers registers) {
  registersOf[instruction] = std::move(registers);
  dead.push_back(instruction);
}

/// The instruction stays, and takes whole vectors.
void Splitter::keep(Instruction *instruction) {
  for (Use &use : instruction->operands())
    if (vectorType(use) && registersOf.contains(use))
      use.set(whole(use));
  auto *type = vectorType(instruction);
  if (!type || type->getNumElements() == 1)
    return;
  // Its lanes, once, where every use sees them.
  builder.SetInsertPoint(instruction->getNextNode());
  if (isPaired(instruction) && type->getNumElements() == 2) {
    registersOf[instruction].pairs.push_back(instruction);
    return;
  }
  Registers registers;
  for (unsigned i = 0; i != type->getNumElements(); ++i)
    registers.lanes.push_back(builder.CreateExtractElement(instruction, i));
  registersOf[instruction] = std::move(registers);
}

//===----------------------------------------------------------------------===//
// Lane by lane
//===----------------------------------------------------------------------===//

/// Whether one instruction computes it on a pair of halves.
static bool hasPairs(Instruction *instruction) {
  if (!isPaired(instruction))
    return false;
  switch (instruction->getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
  case Instruction::Freeze:
    return true;
  case Instruction::FPTrunc:
    return instruction->getOperand(0)->getType()->getScalarType()->isFloatTy();
  case Instruction::Select:
    return !vectorType(instruction->getOperand(0));
  case Instruction::Call:
    switch (cast<CallInst>(instruction)->getIntrinsicID()) {
    case Intrinsic::fabs:
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
    case Intrinsic::maximum:
    case Intrinsic::maxnum:
    case Intrinsic::minimum:
    case Intrinsic::minnum:
      return true;
    default:
      return false;
    }
  default:
    return false;
  }
}

bool Splitter::visitElementwise(Instruction *instruction) {
  if (!isa<BinaryOperator, UnaryOperator, CmpInst, CastInst, SelectInst,
           FreezeInst, GetElementPtrInst>(instruction))
    return false;
  auto *type = vectorType(instruction);
  bool inPairs = hasPairs(instruction);
  unsigned count = type->getNumElements() / (inPairs ? 2 : 1);
  Type *partType = inPairs ? FixedVectorType::get(type->getElementType(), 2)
                           : type->getElementType();
  Registers registers;
  auto &parts = inPairs ? registers.pairs : registers.lanes;
  for (unsigned i = 0; i != count; ++i) {
    Instruction *part = instruction->clone();
    part->mutateType(partType);
    for (Use &use : part->operands())
      if (vectorType(use))
        use.set(inPairs ? pair(use, i) : lane(use, i));
    builder.Insert(part);
    parts.push_back(part);
  }
  split(instruction, std::move(registers));
  return true;
}

bool Splitter::visitIntrinsic(IntrinsicInst *call) {
  Intrinsic::ID id = call->getIntrinsicID();
  if (!isTriviallyVectorizable(id))
    return false;
  auto *type = vectorType(call);
  bool inPairs = hasPairs(call);
  unsigned count = type->getNumElements() / (inPairs ? 2 : 1);
  Registers registers;
  auto &parts = inPairs ? registers.pairs : registers.lanes;
  Function *callee = nullptr;
  for (unsigned i = 0; i != count; ++i) {
    SmallVector<Value *, 4> arguments;
    for (Value *argument : call->args())
      arguments.push_back(!vectorType(argument) ? argument
                          : inPairs             ? pair(argument, i)
                                                : lane(argument, i));
    if (!callee) {
      SmallVector<Type *, 4> overloads;
      if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
        overloads.push_back(
            inPairs ? FixedVectorType::get(type->getElementType(), 2)
                    : type->getElementType());
      for (auto [index, argument] : enumerate(arguments))
        if (isVectorIntrinsicWithOverloadTypeAtArg(id, index, nullptr))
          overloads.push_back(argument->getType());
      callee = Intrinsic::getOrInsertDeclaration(function.getParent(), id,
                                                 overloads);
    }
    CallInst *part = builder.CreateCall(callee, arguments);
    part->copyIRFlags(call);
    parts.push_back(part);
  }
  split(call, std::move(registers));
  return true;
}

/// Of two lanes of a reduction; null where it is none.
static Value *combine(IRBuilder<> &builder, Intrinsic::ID id, Value *a,
                      Value *b) {
  switch (id) {
  case Intrinsic::vector_reduce_add:
    return builder.CreateAdd(a, b);
  case Intrinsic::vector_reduce_mul:
    return builder.CreateMul(a, b);
  case Intrinsic::vector_reduce_and:
    return builder.CreateAnd(a, b);
  case Intrinsic::vector_reduce_or:
    return builder.CreateOr(a, b);
  case Intrinsic::vector_reduce_xor:
    return builder.CreateXor(a, b);
  case Intrinsic::vector_reduce_fadd:
    return builder.CreateFAdd(a, b);
  case Intrinsic::vector_reduce_fmul:
    return builder.CreateFMul(a, b);
  case Intrinsic::vector_reduce_smax:
  case Intrinsic::vector_reduce_smin:
  case Intrinsic::vector_reduce_umax:
  case Intrinsic::vector_reduce_umin:
  case Intrinsic::vector_reduce_fmax:
  case Intrinsic::vector_reduce_fmin:
  case Intrinsic::vector_reduce_fmaximum:
  case Intrinsic::vector_reduce_fminimum:
    return builder.CreateBinaryIntrinsic(getMinMaxReductionIntrinsicOp(id), a,
                                         b);
  default:
    return nullptr;
  }
}

bool Splitter::visitReduction(IntrinsicInst *call) {
  Intrinsic::ID id = call->getIntrinsicID();
  bool hasStart = id == Intrinsic::vector_reduce_fadd ||
                  id == Intrinsic::vector_reduce_fmul;
  Value *vector = call->getArgOperand(hasStart ? 1 : 0);
  IRBuilder<>::FastMathFlagGuard guard(builder);
  if (isa<FPMathOperator>(call))
    builder.setFastMathFlags(call->getFastMathFlags());
  Value *result = hasStart ? call->getArgOperand(0) : lane(vector, 0);
  for (unsigned i = hasStart ? 0 : 1; i != lanesOf(vector); ++i) {
    result = combine(builder, id, result, lane(vector, i));
    if (!result)
      return false;
  }
  call->replaceAllUsesWith(result);
  dead.push_back(call);
  return true;
}

//===----------------------------------------------------------------------===//
// Phis
//===----------------------------------------------------------------------===//

void Splitter::visitPhi(PHINode *phi) {
  auto *type = vectorType(phi);
  bool inPairs = isPaired(phi);
  Type *partType = inPairs ? FixedVectorType::get(type->getElementType(), 2)
                           : type->getElementType();
  Registers registers;
  auto &parts = inPairs ? registers.pairs : registers.lanes;
  for (unsigned i = 0; i != type->getNumElements() / (inPairs ? 2 : 1); ++i)
    parts.push_back(builder.CreatePHI(partType, phi->getNumIncomingValues()));
  phis.push_back(phi);
  split(phi, std::move(registers));
}

void Splitter::fillPhi(PHINode *phi) {
  Registers &registers = registersOf[phi];
  bool inPairs = !registers.pairs.empty();
  auto parts = inPairs ? registers.pairs : registers.lanes;
  for (unsigned from = 0; from != phi->getNumIncomingValues(); ++from) {
    Value *value = phi->getIncomingValue(from);
    BasicBlock *block = phi->getIncomingBlock(from);
    builder.SetInsertPoint(block->getTerminator());
    for (auto [i, part] : enumerate(parts))
      cast<PHINode>(part)->addIncoming(
          inPairs ? pair(value, i) : lane(value, i), block);
  }
}

//===----------------------------------------------------------------------===//
// Lanes that change places
//===----------------------------------------------------------------------===//

void Splitter::visitBitcast(BitCastInst *cast) {
  Value *from = cast->getOperand(0);
  unsigned fromLanes = lanesOf(from), toLanes = lanesOf(cast);
  Type *to = cast->getType()->getScalarType();
  Registers registers;
  if (fromLanes >= toLanes) {
    unsigned ratio = fromLanes / toLanes;
    for (unsigned i = 0; i != toLanes; ++i)
      registers.lanes.push_back(builder.CreateBitCast(
          ratio == 1 ? lane(from, i) : gather(from, i * ratio, ratio), to));
  } else {
    unsigned ratio = toLanes / fromLanes;
    auto *group = FixedVectorType::get(to, ratio);
    for (unsigned i = 0; i != fromLanes; ++i) {
      Value *bits = builder.CreateBitCast(lane(from, i), group);
      if (ratio == 2 && isHalf(to)) {
        registers.pairs.push_back(bits);
        continue;
      }
      for (unsigned k = 0; k != ratio; ++k)
        registers.lanes.push_back(builder.CreateExtractElement(bits, k));
    }
  }
  if (vectorType(cast))
    return split(cast, std::move(registers));
  cast->replaceAllUsesWith(registers.lanes.front());
  dead.push_back(cast);
}

void Splitter::visitExtract(ExtractElementInst *extract) {
  Value *vector = extract->getVectorOperand();
  Value *index = extract->getIndexOperand();
  Value *result = nullptr;
  if (auto *constant = dyn_cast<ConstantInt>(index)) {
    uint64_t at = constant->getLimitedValue();
    result = at < lanesOf(vector) ? lane(vector, at)
                                  : PoisonValue::get(extract->getType());
  } else {
    result = lane(vector, 0);
    for (unsigned i = 1; i != lanesOf(vector); ++i) {
      Value *isHere =
          builder.CreateICmpEQ(index, ConstantInt::get(index->getType(), i));
      result = builder.CreateSelect(isHere, lane(vector, i), result);
    }
  }
  extract->replaceAllUsesWith(result);
  dead.push_back(extract);
}

void Splitter::visitInsert(InsertElementInst *insert) {
  Value *vector = insert->getOperand(0);
  Value *scalar = insert->getOperand(1);
  Value *index = insert->getOperand(2);
  unsigned count = lanesOf(insert);
  Registers registers;
  // Of a chain of insertions, only the last vector is kept.
  auto found = registersOf.find(vector);
  if (found != registersOf.end() && isa<InsertElementInst>(vector) &&
      vector->hasOneUse() && !found->second.lanes.empty())
    registers.lanes = std::move(found->second.lanes);
  else
    for (unsigned i = 0; i != count; ++i)
      registers.lanes.push_back(lane(vector, i));
  if (auto *constant = dyn_cast<ConstantInt>(index)) {
    if (constant->getLimitedValue() < count)
      registers.lanes[constant->getLimitedValue()] = scalar;
  } else {
    for (unsigned i = 0; i != count; ++i) {
      Value *isHere =
          builder.CreateICmpEQ(index, ConstantInt::get(index->getType(), i));
      registers.lanes[i] =
          builder.CreateSelect(isHere, scalar, registers.lanes[i]);
    }
  }
  split(insert, std::move(registers));
}

void Splitter::visitShuffle(ShuffleVectorInst *shuffle) {
  ArrayRef<int> mask = shuffle->getShuffleMask();
  Value *first = shuffle->getOperand(0), *second = shuffle->getOperand(1);
  unsigned count = lanesOf(first);
  Type *element = shuffle->getType()->getScalarType();
  Registers registers;
  if (isPaired(shuffle)) {
    for (unsigned i = 0; i != mask.size(); i += 2) {
      int low = mask[i];
      Value *from = unsigned(low) < count ? first : second;
      if (low < 0 || low % 2 != 0 || count % 2 != 0 || mask[i + 1] != low + 1 ||
          !registersOf.contains(from) || registersOf[from].pairs.empty())
        break;
      registers.pairs.push_back(registersOf[from].pairs[low % count / 2]);
    }
    if (registers.pairs.size() * 2 == mask.size())
      return split(shuffle, std::move(registers));
    registers.pairs.clear();
  }
  for (int from : mask)
    registers.lanes.push_back(from < 0 ? PoisonValue::get(element)
                              : unsigned(from) < count
                                  ? lane(first, from)
                                  : lane(second, from - count));
  split(shuffle, std::move(registers));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Halves that are moved as words: the vector of words.
static FixedVectorType *wordsOf(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector || !isHalf(vector->getElementType()) ||
      vector->getNumElements() % 2 != 0 || vector->getNumElements() < 4)
    return nullptr;
  return FixedVectorType::get(Type::getInt32Ty(type->getContext()),
                              vector->getNumElements() / 2);
}

bool Splitter::visitLoad(LoadInst *load) {
  FixedVectorType *words = wordsOf(load->getType());
  if (!words)
    return false;
  auto *moved = cast<LoadInst>(builder.Insert(load->clone()));
  moved->mutateType(words);
  auto *pairType = FixedVectorType::get(load->getType()->getScalarType(), 2);
  Registers registers;
  for (unsigned i = 0; i != words->getNumElements(); ++i)
    registers.pairs.push_back(builder.CreateBitCast(
        builder.CreateExtractElement(moved, i), pairType));
  split(load, std::move(registers));
  return true;
}

bool Splitter::visitStore(StoreInst *store) {
  Value *value = store->getValueOperand();
  FixedVectorType *words = wordsOf(value->getType());
  if (!words || !registersOf.contains(value))
    return false;
  Value *moved = PoisonValue::get(words);
  for (unsigned i = 0; i != words->getNumElements(); ++i)
    moved = builder.CreateInsertElement(
        moved, builder.CreateBitCast(pair(value, i), words->getElementType()),
        i);
  store->setOperand(0, moved);
  return true;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void Splitter::visit(Instruction *instruction) {
  bool hasVectors =
      vectorType(instruction) ||
      any_of(instruction->operands(), [](Use &use) { return vectorType(use); });
  if (!hasVectors)
    return;
  builder.SetInsertPoint(instruction);
  if (auto *load = dyn_cast<LoadInst>(instruction); load && visitLoad(load))
    return;
  if (auto *store = dyn_cast<StoreInst>(instruction);
      store && visitStore(store))
    return;
  if (auto *phi = dyn_cast<PHINode>(instruction))
    return visitPhi(phi);
  if (auto *cast = dyn_cast<BitCastInst>(instruction))
    return visitBitcast(cast);
  if (auto *extract = dyn_cast<ExtractElementInst>(instruction))
    return visitExtract(extract);
  if (auto *insert = dyn_cast<InsertElementInst>(instruction))
    return visitInsert(insert);
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(instruction))
    return visitShuffle(shuffle);
  if (auto *call = dyn_cast<IntrinsicInst>(instruction))
    if (vectorType(call) ? visitIntrinsic(call) : visitReduction(call))
      return;
  if (vectorType(instruction) && visitElementwise(instruction))
    return;
  keep(instruction);
}

void Splitter::run() {
  ReversePostOrderTraversal<Function *> order(&function);
  for (BasicBlock *block : order)
    for (Instruction &instruction : make_early_inc_range(*block))
      visit(&instruction);
  for (PHINode *phi : phis)
    fillPhi(phi);
  for (Instruction *instruction : reverse(dead)) {
    instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType()));
    instruction->eraseFromParent();
  }
}

void splitVectors(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      Splitter(function).run();
}

} // namespace tesela::nvidia
