//===- Handlers.h - what the rows of Builtins.def mean --------------------===//

#ifndef TESELA_EMIT_HANDLERS_H
#define TESELA_EMIT_HANDLERS_H

#include "sema/Builtins.h"
#include "syntax/Ast.h"

#include "llvm/ADT/SmallVector.h"

namespace tesela::emit {

class Interpreter;

/// The arguments of a call, one for each parameter of the row; they have been
/// checked against its signature. A default stands for what was left out.
struct Arguments {
  sema::BuiltinId id;
  llvm::SmallVector<sema::Value, 8> values;
  llvm::SmallVector<syntax::Span, 8> spans;

  const sema::Value &operator[](unsigned i) const { return values[i]; }
  /// Something else than `None` was passed.
  bool has(unsigned i) const { return !values[i].isNone(); }
  int64_t integer(unsigned i) const { return *values[i].asInt64(); }
  bool flag(unsigned i) const { return !values[i].asInt()->isZero(); }
  const std::string &text(unsigned i) const {
    return values[i].get<std::string>();
  }
  const sema::Type &dtype(unsigned i) const {
    return values[i].get<sema::Type>();
  }
  /// An int counts as a tuple of one.
  llvm::SmallVector<int64_t, 4> shape(unsigned i) const {
    if (const std::vector<sema::Value> *items = values[i].items()) {
      llvm::SmallVector<int64_t, 4> result;
      for (const sema::Value &item : *items)
        result.push_back(*item.asInt64());
      return result;
    }
    return {integer(i)};
  }
  /// `load` as the user knows it: "tl.load".
  std::string name() const { return "`" + sema::qualifiedName(id) + "`"; }
};

using Handler = sema::Value (*)(Interpreter &, const Arguments &);

/// The handlers, by row.
struct HandlerTable {
  Handler handlers[size_t(sema::BuiltinId::Count)] = {};

  Handler &operator[](sema::BuiltinId id) { return handlers[size_t(id)]; }
  Handler operator[](sema::BuiltinId id) const { return handlers[size_t(id)]; }
};

// One function for each family of builtins.
void bindProgram(HandlerTable &table);
void bindMemory(HandlerTable &table);
void bindAtomics(HandlerTable &table);
void bindShape(HandlerTable &table);
void bindArithmetic(HandlerTable &table);
void bindMaths(HandlerTable &table);
void bindReduce(HandlerTable &table);
void bindDot(HandlerTable &table);
void bindRandom(HandlerTable &table);
void bindSort(HandlerTable &table);
void bindHints(HandlerTable &table);
void bindTypes(HandlerTable &table);
void bindPython(HandlerTable &table);

const HandlerTable &handlers();

} // namespace tesela::emit

#endif // TESELA_EMIT_HANDLERS_H
