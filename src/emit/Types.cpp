//===- Types.cpp - dtypes as values ---------------------------------------===//

#include "emit/Interpreter.h"

using tesela::sema::BuiltinId;

namespace tesela::emit {

static Value emitConstexpr(Interpreter &, const Arguments &args) {
  return args[0];
}

static Value emitGetIntDtype(Interpreter &in, const Arguments &args) {
  int64_t width = args.integer(0);
  std::optional<DType> type = width >= 0 && width <= 64
                                  ? sema::intType(unsigned(width), args.flag(1))
                                  : std::nullopt;
  if (!type)
    return in.fail(DiagId::CallValue,
                   "there is no int of " + std::to_string(width) + " bits");
  return Type(*type);
}

static Value emitPointerType(Interpreter &in, const Arguments &args) {
  if (args.dtype(0).isPointer)
    return in.fail(DiagId::UnsupportedYet,
                   "a pointer to pointers is not supported yet by this "
                   "version");
  return Type(args.dtype(0).dtype, /*isPointer=*/true);
}

static Value emitBlockType(Interpreter &, const Arguments &args) {
  return args.dtype(0).withShape(args.shape(1));
}

static Value emitDtype(Interpreter &in, const Arguments &args) {
  if (std::optional<DType> type = parseDType(args.text(0)))
    return Type(*type);
  return in.fail(DiagId::CallValue, "there is no dtype `" + args.text(0) + "`");
}

static Value emitTensor(Interpreter &in, const Arguments &) {
  return in.fail(DiagId::NotCallable,
                 "`tl.tensor` is a class; a kernel makes run-time values with "
                 "`tl.full` and its like");
}

void bindTypes(HandlerTable &table) {
  table[BuiltinId::Constexpr] = emitConstexpr;
  table[BuiltinId::UnwrapConstexpr] = emitConstexpr;
  table[BuiltinId::GetIntDtype] = emitGetIntDtype;
  table[BuiltinId::PointerType] = emitPointerType;
  table[BuiltinId::BlockType] = emitBlockType;
  table[BuiltinId::DtypeClass] = emitDtype;
  table[BuiltinId::Tensor] = emitTensor;
}

} // namespace tesela::emit
