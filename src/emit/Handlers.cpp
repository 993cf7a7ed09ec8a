//===- Handlers.cpp - what the rows of Builtins.def mean ------------------===//

#include "emit/Handlers.h"

namespace tesela::emit {

const HandlerTable &handlers() {
  static const HandlerTable table = [] {
    HandlerTable table;
    bindProgram(table);
    bindMemory(table);
    bindAtomics(table);
    bindShape(table);
    bindArithmetic(table);
    bindMaths(table);
    bindReduce(table);
    bindDot(table);
    bindRandom(table);
    bindSort(table);
    bindHints(table);
    bindTypes(table);
    bindPython(table);
    return table;
  }();
  return table;
}

} // namespace tesela::emit
