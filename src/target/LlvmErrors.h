//===- LlvmErrors.h - what LLVM reports, kept -----------------------------===//

#ifndef TESELA_TARGET_LLVMERRORS_H
#define TESELA_TARGET_LLVMERRORS_H

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tesela {

/// Keeps what LLVM reports; its default handler would end the process.
struct KeepErrors : llvm::DiagnosticHandler {
  explicit KeepErrors(std::string &error) : error(error) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream stream(error);
    if (!error.empty())
      stream << '\n';
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

  std::string &error;
};

} // namespace tesela

#endif // TESELA_TARGET_LLVMERRORS_H
