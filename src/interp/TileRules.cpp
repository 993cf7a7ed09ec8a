//===- TileRules.cpp - ops of `tile` but memory and arithmetic ------------===//

#include "dialect/tile/Tile.h"
#include "interp/Evaluation.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tesela::interp {

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

size_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// How far apart neighbours along each axis lie in row-major order.
SmallVector<size_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<size_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

/// The tile of this shape whose element i is `source[i · strides]`.
Tile restride(const Tile &source, ArrayRef<int64_t> shape,
              ArrayRef<size_t> strides) {
  Tile result(ShapedType::getNumElements(shape));
  for (size_t position = 0; position != result.size(); ++position) {
    size_t from = 0, rest = position;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      from += rest % shape[axis] * strides[axis];
    result[position] = source[from];
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

bool programId(Evaluation &evaluation, Operation &op) {
  unsigned axis = cast<tile::ProgramIdOp>(op).getAxis();
  evaluation.setScalar(op.getResult(0), uint32_t(evaluation.programId[axis]));
  return true;
}

bool numPrograms(Evaluation &evaluation, Operation &op) {
  unsigned axis = cast<tile::NumProgramsOp>(op).getAxis();
  evaluation.setScalar(op.getResult(0), uint32_t(evaluation.grid[axis]));
  return true;
}

/// An instance does one thing after the other anyway.
bool barrier(Evaluation &, Operation &) { return true; }

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

bool iota(Evaluation &evaluation, Operation &op) {
  Tile result(elementsOf(op.getResult(0)));
  uint32_t next = cast<tile::IotaOp>(op).getStart();
  for (uint64_t &bits : result)
    bits = next++;
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

bool splat(Evaluation &evaluation, Operation &op) {
  uint64_t value = evaluation.get(op.getOperand(0))[0];
  evaluation.set(op.getResult(0), Tile(elementsOf(op.getResult(0)), value));
  return true;
}

/// The elements stay where they are in row-major order.
bool sameElements(Evaluation &evaluation, Operation &op) {
  evaluation.set(op.getResult(0), evaluation.get(op.getOperand(0)));
  return true;
}

bool broadcast(Evaluation &evaluation, Operation &op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand(0));
  SmallVector<size_t> strides = rowMajorStrides(from);
  for (auto [stride, extent] : llvm::zip(strides, from))
    if (extent == 1)
      stride = 0;
  evaluation.set(op.getResult(0), restride(evaluation.get(op.getOperand(0)),
                                           shapeOf(op.getResult(0)), strides));
  return true;
}

bool permute(Evaluation &evaluation, Operation &op) {
  SmallVector<size_t> from = rowMajorStrides(shapeOf(op.getOperand(0)));
  SmallVector<size_t> strides;
  for (int32_t axis : cast<tile::PermuteOp>(op).getOrder())
    strides.push_back(from[axis]);
  evaluation.set(op.getResult(0), restride(evaluation.get(op.getOperand(0)),
                                           shapeOf(op.getResult(0)), strides));
  return true;
}

bool join(Evaluation &evaluation, Operation &op) {
  const Tile &lhs = evaluation.get(op.getOperand(0));
  const Tile &rhs = evaluation.get(op.getOperand(1));
  Tile result;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    result.append({left, right});
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

bool split(Evaluation &evaluation, Operation &op) {
  const Tile &source = evaluation.get(op.getOperand(0));
  Tile lhs, rhs;
  for (size_t i = 0; i != source.size(); i += 2) {
    lhs.push_back(source[i]);
    rhs.push_back(source[i + 1]);
  }
  evaluation.set(op.getResult(0), std::move(lhs));
  evaluation.set(op.getResult(1), std::move(rhs));
  return true;
}

bool cat(Evaluation &evaluation, Operation &op) {
  Tile result = evaluation.get(op.getOperand(0));
  result.append(evaluation.get(op.getOperand(1)));
  evaluation.set(op.getResult(0), std::move(result));
  return true;
}

bool gather(Evaluation &evaluation, Operation &op) {
  auto gather = cast<tile::GatherOp>(op);
  const Tile &source = evaluation.get(gather.getSource());
  const Tile &indices = evaluation.get(gather.getIndices());
  ArrayRef<int64_t> from = shapeOf(gather.getSource());
  ArrayRef<int64_t> to = shapeOf(gather.getIndices());
  size_t axis = gather.getAxis(), inner = rowMajorStrides(to)[axis];
  Tile result(indices.size());
  for (size_t i = 0; i != result.size(); ++i) {
    size_t line = i / inner / size_t(to[axis]);
    size_t along = indices[i] & uint64_t(from[axis] - 1);
    result[i] = source[(line * size_t(from[axis]) + along) * inner + i % inner];
  }
  evaluation.set(gather.getResult(), std::move(result));
  return true;
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

/// Whether a region can be run on tiles in place of scalars: it has elementwise
/// ops alone, on values of its own.
bool isLanewise(Block &block) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) {
    return op.hasTrait<OpTrait::Elementwise>() &&
           llvm::all_of(op.getOperands(), [&](Value operand) {
             return operand.getParentBlock() == &block;
           });
  });
}

/// From the first element along the axis to the last:
/// `combine(.. combine(combine(x0, x1), x2) .., xn)`.
bool reduce(Evaluation &evaluation, Operation &op) {
  auto reduction = cast<tile::ReduceOp>(op);
  ArrayRef<int64_t> shape = shapeOf(op.getOperand(0));
  size_t axis = reduction.getAxis();
  size_t extent = shape[axis];
  // Between neighbours along the axis.
  size_t stride = rowMajorStrides(shape)[axis];
  size_t count = ShapedType::getNumElements(shape) / extent;
  Block &block = reduction.getCombine().front();
  unsigned arity = op.getNumOperands();

  // Results are computed side by side where the region allows it.
  size_t lanes = isLanewise(block) ? count : 1;
  auto element = [&](unsigned operand, size_t first, size_t along) {
    const Tile &source = evaluation.get(op.getOperand(operand));
    Tile tile(lanes);
    for (size_t lane = 0; lane != lanes; ++lane) {
      size_t result = first + lane;
      tile[lane] =
          source[(result / stride * extent + along) * stride + result % stride];
    }
    return tile;
  };
  SmallVector<Tile> results(arity);
  for (size_t first = 0; first != count; first += lanes) {
    for (unsigned k = 0; k != arity; ++k)
      evaluation.set(block.getArgument(k), element(k, first, 0));
    for (size_t along = 1; along != extent; ++along) {
      for (unsigned k = 0; k != arity; ++k)
        evaluation.set(block.getArgument(arity + k), element(k, first, along));
      if (!evaluation.runBlock(block))
        return false;
      evaluation.move(block.getTerminator()->getOperands(),
                      block.getArguments().take_front(arity));
    }
    for (unsigned k = 0; k != arity; ++k)
      results[k].append(evaluation.get(block.getArgument(k)));
  }
  for (auto [result, tile] : llvm::zip_equal(op.getResults(), results))
    evaluation.set(result, std::move(tile));
  return true;
}

/// From the first element along the axis to the last, or from the last to the
/// first.
bool scan(Evaluation &evaluation, Operation &op) {
  auto scan = cast<tile::ScanOp>(op);
  ArrayRef<int64_t> shape = shapeOf(op.getOperand(0));
  size_t axis = scan.getAxis(), extent = shape[axis];
  size_t stride = rowMajorStrides(shape)[axis];
  size_t count = ShapedType::getNumElements(shape) / extent;
  Block &block = scan.getCombine().front();
  unsigned arity = op.getNumOperands();
  // Lines are scanned side by side where the region allows it.
  size_t lanes = isLanewise(block) ? count : 1;
  SmallVector<Tile> results(arity, Tile(count * extent));
  for (size_t first = 0; first != count; first += lanes) {
    auto position = [&](size_t lane, size_t along) {
      if (scan.getReverse())
        along = extent - 1 - along;
      size_t line = first + lane;
      return (line / stride * extent + along) * stride + line % stride;
    };
    for (size_t along = 0; along != extent; ++along) {
      for (unsigned k = 0; k != arity; ++k) {
        const Tile &source = evaluation.get(op.getOperand(k));
        Tile now(lanes);
        for (size_t lane = 0; lane != lanes; ++lane)
          now[lane] = source[position(lane, along)];
        evaluation.set(block.getArgument(along ? arity + k : k),
                       std::move(now));
      }
      if (along) {
        if (!evaluation.runBlock(block))
          return false;
        evaluation.move(block.getTerminator()->getOperands(),
                        block.getArguments().take_front(arity));
      }
      for (unsigned k = 0; k != arity; ++k) {
        const Tile &state = evaluation.get(block.getArgument(k));
        for (size_t lane = 0; lane != lanes; ++lane)
          results[k][position(lane, along)] = state[lane];
      }
    }
  }
  for (auto [result, tile] : llvm::zip_equal(op.getResults(), results))
    evaluation.set(result, std::move(tile));
  return true;
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Products and sums one after the other for ascending k, each computed as
/// `Number` and passed through `round`.
template <typename Number, typename Round>
void multiplyMatrices(ArrayRef<Number> a, ArrayRef<Number> b,
                      MutableArrayRef<Number> acc, size_t m, size_t n, size_t k,
                      Round round) {
  for (size_t row = 0; row != m; ++row)
    for (size_t inner = 0; inner != k; ++inner) {
      Number left = a[row * k + inner];
      const Number *right = b.data() + inner * n;
      Number *sums = acc.data() + row * n;
      for (size_t column = 0; column != n; ++column)
        sums[column] = round(sums[column] + round(left * right[column]));
    }
}

/// One product after the other, for each matrix of a batch.
template <typename Number, typename Decode, typename Encode, typename Round>
bool multiplyBatch(Evaluation &evaluation, tile::DotOp dot, Decode decode,
                   Encode encode, Round round) {
  ArrayRef<int64_t> shapeA = shapeOf(dot.getA()), shape = shapeOf(dot);
  size_t m = shape[shape.size() - 2], n = shape.back(), k = shapeA.back();
  auto read = [&](Value value) {
    std::vector<Number> numbers;
    for (uint64_t bits : evaluation.get(value))
      numbers.push_back(decode(bits, value.getType()));
    return numbers;
  };
  std::vector<Number> a = read(dot.getA()), b = read(dot.getB()),
                      acc = read(dot.getAcc());
  for (size_t i = 0, batch = acc.size() / (m * n); i != batch; ++i)
    multiplyMatrices<Number>(ArrayRef(a).slice(i * m * k, m * k),
                             ArrayRef(b).slice(i * k * n, k * n),
                             MutableArrayRef(acc).slice(i * m * n, m * n), m, n,
                             k, round);
  Tile result;
  result.reserve(acc.size());
  for (Number number : acc)
    result.push_back(encode(number));
  evaluation.set(dot.getResult(), std::move(result));
  return true;
}

bool dot(Evaluation &evaluation, Operation &op) {
  auto dot = cast<tile::DotOp>(op);
  Type accType = dot.getType();
  if (isa<IntegerType>(tile::elementType(accType))) {
    unsigned width = elementWidth(accType);
    return multiplyBatch<uint64_t>(
        evaluation, dot,
        [](uint64_t bits, Type type) {
          return uint64_t(signExtend(bits, elementWidth(type)));
        },
        [&](uint64_t sum) { return lowBits(sum, width); },
        [](uint64_t sum) { return sum; });
  }
  FloatFormat format(accType);
  auto decode = [&](uint64_t bits, Type type) {
    return FloatFormat(type).decode(bits);
  };
  if (format.isF32())
    return multiplyBatch<float>(
        evaluation, dot, decode,
        [&](float sum) { return format.encode(double(sum)); },
        [](float sum) { return sum; });
  auto encode = [&](double sum) { return format.encode(sum); };
  if (format.isF64())
    return multiplyBatch<double>(evaluation, dot, decode, encode,
                                 [](double sum) { return sum; });
  return multiplyBatch<double>(
      evaluation, dot, decode, encode,
      [&](double sum) { return format.decode(format.encode(sum)); });
}

} // namespace

void addTileRules(RuleTable &table) {
  addRule<tile::ProgramIdOp>(table, programId);
  addRule<tile::NumProgramsOp>(table, numPrograms);
  addRule<tile::BarrierOp>(table, barrier);
  addRule<tile::IotaOp>(table, iota);
  addRule<tile::SplatOp>(table, splat);
  addRule<tile::ExpandDimsOp>(table, sameElements);
  addRule<tile::ReshapeOp>(table, sameElements);
  addRule<tile::BroadcastOp>(table, broadcast);
  addRule<tile::PermuteOp>(table, permute);
  addRule<tile::JoinOp>(table, join);
  addRule<tile::SplitOp>(table, split);
  addRule<tile::CatOp>(table, cat);
  addRule<tile::GatherOp>(table, gather);
  addRule<tile::ReduceOp>(table, reduce);
  addRule<tile::ScanOp>(table, scan);
  addRule<tile::DotOp>(table, dot);
  addRule<tile::PtrToIntOp>(table, sameElements);
  addRule<tile::IntToPtrOp>(table, sameElements);
  addRule<tile::PtrCastOp>(table, sameElements);
}

} // namespace tesela::interp
