//===- Emitter.h - typed values to ops ------------------------------------===//
//
// Emits ops for operations on `sema::Value`s at the current position, which is
// a stretch of the user's source and the chain of inlined calls that led there.
// Of the first error nothing further is emitted: each function that gives a
// `Value` gives an invalid one, and `fail` has kept the diagnostic.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_EMIT_EMITTER_H
#define TESELA_EMIT_EMITTER_H

#include "sema/Promotion.h"
#include "sema/Value.h"
#include "support/Diagnostics.h"
#include "syntax/Ast.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace tesela::emit {

using sema::Type;
using sema::Value;

/// No tile is larger: a tile is what one instance computes with at a time.
inline constexpr int64_t maxTileElements = 1 << 20;

/// An inlined call on the way from the kernel to the current position.
struct CallSite {
  Location location;
  std::string callee;
};

class Emitter {
public:
  explicit Emitter(mlir::MLIRContext &context);

  mlir::OpBuilder builder;

  //===--- position ------------------------------------------------------===//

  /// The position in the user's source. Ops and errors are made there.
  syntax::Span span;
  SourceRef source;
  /// Where the current function was called; null in the kernel itself.
  mlir::LocationAttr callerLoc;
  std::vector<CallSite> calls;

  mlir::Location loc();
  mlir::Location locOf(const syntax::Span &place);
  Location locationOf(const syntax::Span &place) const;

  /// Moves the position for as long as it lives.
  class At {
  public:
    At(Emitter &emitter, const syntax::Span &span)
        : emitter(emitter), before(emitter.span) {
      emitter.span = span;
    }
    ~At() { emitter.span = before; }
    At(const At &) = delete;

  private:
    Emitter &emitter;
    syntax::Span before;
  };

  //===--- errors --------------------------------------------------------===//

  /// Keeps an error at the current position, with a note for each inlined call.
  /// Gives an invalid value.
  Value fail(DiagId id, const std::string &message);
  /// Adds a note to the error that `fail` just kept.
  void note(const syntax::Span &place, const std::string &message);
  std::optional<Diagnostic> pendingError;
  std::vector<Diagnostic> warnings;

  //===--- types and constants -------------------------------------------===//

  mlir::Type irType(const Type &type);
  static mlir::Value ir(const Value &value);
  static Value make(mlir::Value value, const Type &type);
  /// A float32 quotient or root that may be off by two ulp, as Triton has them
  /// (`fastmath<afn>`): GPUs have instructions for that.
  static Value withError(const Value &value);
  /// A number in a type that holds it, as a scalar or everywhere in a tile.
  Value constant(const Value &number, const Type &type);
  Value zero(const Type &type);
  /// A run-time value stays; a number becomes a scalar.
  Value toRuntime(const Value &value);
  /// The type that a value has or would have.
  std::optional<Type> typeOf(const Value &value);
  /// Whether the number can be a value of the type without changing.
  static bool isRepresentable(const Value &number, DType type);

  //===--- shapes --------------------------------------------------------===//

  using Shape = llvm::SmallVector<int64_t, 4>;

  /// The shape that both broadcast to; an error where there is none.
  std::optional<Shape> commonShape(const Type &a, const Type &b,
                                   const char *what);
  /// Broadcasts a run-time value; an error where its shape does not allow it.
  Value broadcast(const Value &value, llvm::ArrayRef<int64_t> shape);
  Value reshape(const Value &value, llvm::ArrayRef<int64_t> shape,
                bool canReorder = false);
  Value expandDims(const Value &value, int64_t axis);
  Value permute(const Value &value, llvm::ArrayRef<int32_t> order);

  //===--- conversions ---------------------------------------------------===//

  /// Converts elements to the scalar type `target`.
  Value cast(const Value &value, const Type &target);
  Value bitcast(const Value &value, const Type &target);
  /// `!= 0` of numbers and pointers.
  Value toBool(const Value &value);
  /// 8-bit floats as float32, in which they are computed; others as they are.
  Value computable(const Value &value);

  //===--- operators on run-time values ----------------------------------===//

  /// Brings both to one element type and one shape.
  bool promote(Value &a, Value &b, sema::Arithmetic arithmetic,
               const char *what);
  Value binary(syntax::BinOpKind op, Value a, Value b);
  Value unary(syntax::UnaryOpKind op, const Value &a);
  Value compare(syntax::CmpOpKind op, Value a, Value b);
  Value logical(syntax::BoolOpKind op, const Value &a, const Value &b);
  Value select(const Value &condition, Value x, Value y, const char *what);
  Value minimum(Value a, Value b, bool propagateNan);
  Value maximum(Value a, Value b, bool propagateNan);
  /// `a + b` and so on, of floats, with operands of one type.
  template <typename Op>
  Value sameType(const Value &a, const Value &b) {
    return make(Op::create(builder, loc(), ir(a), ir(b)), a.type());
  }

private:
  mlir::Type elementType(DType type, bool isPointer);
  Value addPointer(const Value &pointer, Value offset, bool subtract);
  Value division(syntax::BinOpKind op, const Value &a, const Value &b);

  // The location of the last position asked for.
  syntax::Span cachedSpan;
  const Source *cachedSource = nullptr;
  mlir::LocationAttr cachedCaller;
  mlir::LocationAttr cachedLoc;
};

} // namespace tesela::emit

#endif // TESELA_EMIT_EMITTER_H
