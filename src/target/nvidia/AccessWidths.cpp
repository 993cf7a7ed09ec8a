//===- AccessWidths.cpp - how many elements an access moves at once -------===//

#include "target/nvidia/AccessWidths.h"

#include "analysis/Congruences.h"
#include "analysis/IntegerRanges.h"
#include "dialect/gpu/Gpu.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tesela::nvidia {

namespace {

class Finder {
public:
  template <typename ViewOp>
  AccessWidth find(ViewOp view, RankedTensorType type) {
    AccessWidth width;
    unsigned rank = unsigned(type.getRank());
    std::optional<unsigned> contiguous = contiguousAxis(view.getStrides());
    unsigned fastest = contiguous.value_or(rank - 1);
    width.order.push_back(fastest);
    for (unsigned axis = rank; axis-- > 0;)
      if (axis != fastest)
        width.order.push_back(axis);
    for (Value offset : view.getOffsets())
      width.mayBeNegative.push_back(ranges.get(offset).least < 0);
    if (contiguous)
      width.maxVectorBits = vectorBits(view, type, fastest);
    return width;
  }

private:
  int64_t divisor(Value value) { return congruences.get(value).divisor(); }

  template <typename ViewOp>
  unsigned vectorBits(ViewOp view, RankedTensorType type, unsigned fastest) {
    // A mask and coordinates of a tile say something of each element.
    if (view.getMask() || isa<ShapedType>(view.getOffsets()[fastest].getType()))
      return 0;
    int64_t bytes = 8;
    if (!isa<tile::PtrType>(type.getElementType()))
      bytes = type.getElementTypeBitWidth() / 8;
    int64_t elements = std::min<int64_t>({16 / bytes, type.getShape()[fastest],
                                          divisor(view.getBase()) / bytes,
                                          divisor(view.getOffsets()[fastest])});
    for (auto [axis, stride] : llvm::enumerate(view.getStrides())) {
      if (axis == fastest)
        continue;
      // A box of one position along an axis may start at a multiple.
      int64_t step = divisor(stride);
      Value offset = view.getOffsets()[axis];
      if (type.getShape()[axis] == 1 && !isa<ShapedType>(offset.getType()))
        step = llvm::SaturatingMultiply<uint64_t>(step, divisor(offset));
      elements = std::min(elements, step);
    }
    for (auto [axis, bound] :
         llvm::zip_equal(view.getBoundedAxes(), view.getBounds()))
      if (axis == int32_t(fastest))
        elements = std::min(elements, divisor(bound));
    return elements < 1 ? 0 : llvm::Log2_64(uint64_t(elements));
  }

  analysis::Congruences congruences;
  analysis::IntegerRanges ranges;
};

} // namespace

std::optional<unsigned> contiguousAxis(ValueRange strides) {
  for (auto [axis, stride] : llvm::enumerate(strides))
    if (matchPattern(stride, m_One()))
      return unsigned(axis);
  return std::nullopt;
}

DenseMap<Operation *, AccessWidth> findAccessWidths(func::FuncOp kernel) {
  DenseMap<Operation *, AccessWidth> widths;
  Finder finder;
  kernel.walk([&](tile::ViewLoadOp load) {
    widths[load] = finder.find(load, cast<RankedTensorType>(load.getType()));
  });
  kernel.walk([&](gpu::CopyViewOp copy) {
    widths[copy] = finder.find(copy, copy.getTileType());
  });
  kernel.walk([&](tile::ViewStoreOp store) {
    widths[store] =
        finder.find(store, cast<RankedTensorType>(store.getValue().getType()));
  });
  return widths;
}

} // namespace tesela::nvidia
