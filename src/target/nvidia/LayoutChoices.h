//===- LayoutChoices.h - the layout that each tile wants ------------------===//

#ifndef TESELA_TARGET_NVIDIA_LAYOUTCHOICES_H
#define TESELA_TARGET_NVIDIA_LAYOUTCHOICES_H

#include "dialect/gpu/Gpu.h"
#include "layout/Fragments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>

namespace tesela::nvidia {

/// How a product of matrices is computed.
enum class DotUnit { Fma, Mma };

/// Where the operands and the accumulator of a dot live.
struct DotLayouts {
  DotUnit unit = DotUnit::Fma;
  layout::LinearLayout acc;
  /// Of `DotUnit::Mma`.
  std::optional<layout::LinearLayout> a, b;
};

/// Bits of the elements that `mma.sync` multiplies; 0 where it can't.
unsigned mmaElementBits(tile::DotOp dot, unsigned capability);
/// How warps share the accumulator of `product`, a `tile.dot` or `tgpu.mma`.
layout::WarpGrid mmaGrid(mlir::Operation *product, unsigned numWarps);

/// What is wanted, the more demanding the higher the rank.
struct LayoutChoice {
  /// Lazy: cheap to compute in any layout, and without one of its own.
  enum class Rank { Lazy, Access, Reduce, Dot };
  Rank rank = Rank::Lazy;
  std::optional<layout::LinearLayout> layout;

  bool operator==(const LayoutChoice &) const = default;
};

/// The layouts of a kernel's tiles: what anchors want, carried forward until
/// nothing changes.
class LayoutChoices {
public:
  LayoutChoices(mlir::func::FuncOp kernel, unsigned numWarps,
                unsigned capability);

  const LayoutChoice &get(mlir::Value tile) const;
  /// The choice, or a layout that suits its shape where it has none.
  layout::LinearLayout layoutFor(mlir::Value tile) const;

  /// The layout in which `op`, a load or store of a view or through pointers,
  /// touches memory.
  layout::LinearLayout accessLayout(mlir::Operation *op) const;
  /// Of a tile of atomic ops, and of what a scan takes and gives.
  layout::LinearLayout atomicLayout(mlir::Operation *atomic) const;
  layout::LinearLayout scanLayout(tile::ScanOp scan) const;
  DotLayouts dotLayouts(tile::DotOp dot) const;
  /// Those of factors in shared memory are absent.
  DotLayouts mmaLayouts(gpu::MmaOp product) const;
  layout::LinearLayout wgmmaAcc(mlir::RankedTensorType type) const;
  layout::LinearLayout wgmmaFactor(mlir::RankedTensorType type,
                                   mlir::RankedTensorType acc) const;
  /// Coalesced, row-major.
  layout::LinearLayout plainLayout(llvm::ArrayRef<int64_t> shape) const;

private:
  /// By value: what is in the table moves when the table grows.
  bool update(mlir::Value tile, LayoutChoice choice);
  bool visit(mlir::Operation *op);
  LayoutChoice forward(mlir::Operation *op, unsigned result) const;
  LayoutChoice strongest(mlir::ValueRange values) const;
  layout::LinearLayout coalesced(llvm::ArrayRef<int64_t> shape,
                                 unsigned fastest, unsigned elementBytes) const;

  mlir::func::FuncOp kernel;
  unsigned numWarps;
  unsigned capability;
  llvm::DenseMap<mlir::Value, LayoutChoice> choices;
  /// Bytes of the widest element that is accessed, by shape and fastest axis.
  std::map<std::pair<std::vector<int64_t>, unsigned>, unsigned> widest;
};

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_LAYOUTCHOICES_H
