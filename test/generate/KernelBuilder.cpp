//===- KernelBuilder.cpp - the frame of a random kernel -------------------===//

#include "generate/KernelBuilder.h"

#include "interp/Numbers.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tesela::test {

KernelBuilder::KernelBuilder(MLIRContext &context, uint64_t seed,
                             RandomKernelOptions options)
    : builder(FileLineColLoc::get(&context, "random", unsigned(seed), 1),
              &context),
      random(seed), options(options) {
  i1 = builder.getI1Type();
  i8 = builder.getI8Type();
  i32 = builder.getI32Type();
  i64 = builder.getI64Type();
  e4m3 = builder.getType<Float8E4M3FNType>();
  e5m2 = builder.getType<Float8E5M2Type>();
  f16 = builder.getF16Type();
  bf16 = builder.getBF16Type();
  f32 = builder.getF32Type();
  f64 = builder.getF64Type();
  openKernel(seed);
  chooseFrame();
  runSteps();
  storeResults();
}

void KernelBuilder::openKernel(uint64_t seed) {
  kernel.module = ModuleOp::create(builder.getLoc());
  builder.setInsertionPointToEnd(kernel.module->getBody());
  function = func::FuncOp::create(builder, "random" + std::to_string(seed),
                                  builder.getFunctionType({}, {}));
  function->setAttr(tile::kernelAttr, builder.getUnitAttr());
  builder.setInsertionPointToStart(function.addEntryBlock());
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Value KernelBuilder::scalarArgument(Type type, int64_t value) {
  bool isDivisible = type.isInteger(32) && value % 16 == 0 && chance(50);
  return addArgument(type, {false, 0, uint64_t(value)}, isDivisible);
}

Value KernelBuilder::addArgument(Type type, Argument argument,
                                 bool isDivisible) {
  NamedAttrList attrs;
  attrs.set(tile::nameAttr,
            builder.getStringAttr("a" + std::to_string(argumentAttrs.size())));
  if (isDivisible)
    attrs.set(tile::divisibilityAttr, builder.getI64IntegerAttr(16));
  argumentAttrs.push_back(attrs.getDictionary(builder.getContext()));
  kernel.arguments.push_back(argument);
  return function.getBody().front().addArgument(type, builder.getLoc());
}

/// A number that may be known while compiling, as an i32.
Value KernelBuilder::sizeArgument(int64_t value) {
  if (chance(value == 1 ? 70 : 15))
    return intConstant(i32, value);
  return scalarArgument(i32, value);
}

Value KernelBuilder::pointerArgument(Type element, size_t buffer,
                                     int64_t offset) {
  bool isDivisible = kernel.buffers[buffer].isAligned &&
                     offset * interp::elementBytes(element) % 16 == 0;
  return addArgument(tile::PtrType::get(builder.getContext(), element),
                     {true, buffer, 0, offset}, isDivisible);
}

size_t KernelBuilder::addBuffer(Buffer buffer) {
  buffer.isAligned = chance(60);
  kernel.buffers.push_back(std::move(buffer));
  return kernel.buffers.size() - 1;
}

//===----------------------------------------------------------------------===//
// The frame
//===----------------------------------------------------------------------===//

void KernelBuilder::chooseFrame() {
  size_t rank = oneOf({1, 1, 2, 2, 2, 3});
  int64_t most = rank == 1 ? 1024 : rank == 2 ? 64 : 16;
  for (size_t axis = 0; axis != rank; ++axis) {
    int64_t extent = 1;
    while (extent < most && chance(axis + 1 == rank ? 85 : 70))
      extent *= 2;
    frame.push_back(extent);
  }

  Value number = intConstant(i32, 0);
  for (size_t axis = 0; axis != rank; ++axis) {
    // The last axis of the array is axis 0 of the grid.
    size_t along = rank - 1 - axis;
    int64_t blocks = 1 + pick(rank == 1 ? 4 : 2);
    kernel.grid[along] = int32_t(blocks);
    Value id = tile::ProgramIdOp::create(builder, i32, along);
    Value extent = intConstant(i32, frame[axis]);
    frameStarts.push_back(arith::MulIOp::create(builder, id, extent));
    // Of the last block a part may lie outside the array.
    frameExtents.push_back(blocks * frame[axis]);
    frameSizes.push_back(frameExtents.back() -
                         (chance(60) ? pick(frame[axis]) : 0));
    frameBounds.push_back(sizeArgument(frameSizes.back()));
    number = arith::AddIOp::create(
        builder,
        arith::MulIOp::create(builder, number, intConstant(i32, blocks)), id);
    instances *= blocks;
  }
  instance = number;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void KernelBuilder::step() {
  struct Row {
    unsigned weight;
    void (KernelBuilder::*run)();
  };
  using K = KernelBuilder;
  static const Row rows[] = {
      {20, &K::intStep},        {10, &K::boolStep},      {28, &K::floatStep},
      {12, &K::floatUnaryStep}, {12, &K::compareStep},   {14, &K::selectStep},
      {8, &K::intCastStep},     {10, &K::floatCastStep}, {22, &K::loadStep},
      {4, &K::gatherStep},      {3, &K::scalarLoadStep}, {4, &K::storeStep},
      {6, &K::aliasStep},       {2, &K::barrierStep},    {12, &K::reduceStep},
      {3, &K::argReduceStep},   {8, &K::broadcastStep},  {4, &K::permuteStep},
      {3, &K::reshapeStep},     {3, &K::joinStep},       {2, &K::catStep},
      {3, &K::iotaStep},        {6, &K::dotStep},        {5, &K::ifStep},
      {5, &K::forStep},         {2, &K::whileStep},      {5, &K::sumLoopStep},
      {6, &K::productLoopStep}, {6, &K::scanStep},       {4, &K::pickStep}};
  unsigned total = 0;
  for (const Row &row : rows)
    total += row.weight;
  uint64_t chosen = pick(total);
  for (const Row &row : rows) {
    if (chosen < row.weight)
      return (this->*row.run)();
    chosen -= row.weight;
  }
}

void KernelBuilder::nestedSteps() {
  ++depth;
  for (uint64_t left = 1 + pick(3); left; --left)
    step();
  --depth;
}

void KernelBuilder::runSteps() {
  // Most are short: they are quick, and say more of what is wrong.
  unsigned count = chance(30) ? 4 + pick(14) : 2 + pick(7);
  loadStep();
  for (unsigned i = 0; i != count && i != options.maxSteps; ++i) {
    // Each step has its own numbers, so that fewer steps are a prefix.
    uint64_t next = random();
    random.seed(next);
    step();
    random.seed(next + 1);
    kernel.steps = i + 1;
  }
}

/// Stores the newest values, and some older ones.
void KernelBuilder::storeResults() {
  std::vector<Item> results = pool;
  std::reverse(results.begin(), results.end());
  unsigned stored = 0;
  for (size_t i = 0; i != results.size() && stored != 5; ++i)
    if (i < 2 || chance(25)) {
      store(results[i]);
      ++stored;
    }
}

RandomKernel KernelBuilder::finish() {
  func::ReturnOp::create(builder);
  Block &entry = function.getBody().front();
  function.setFunctionType(
      builder.getFunctionType(entry.getArgumentTypes(), {}));
  function.setAllArgAttrs(argumentAttrs);
  return std::move(kernel);
}

RandomKernel generateKernel(MLIRContext &context, uint64_t seed,
                            RandomKernelOptions options) {
  return KernelBuilder(context, seed, options).finish();
}

} // namespace tesela::test
