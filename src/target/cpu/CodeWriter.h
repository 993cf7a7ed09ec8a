//===- CodeWriter.h - LLVM's code generator for one machine -------------===//

#ifndef TESELA_TARGET_CPU_CODEWRITER_H
#define TESELA_TARGET_CPU_CODEWRITER_H

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
enum class CodeGenFileType;
} // namespace llvm

namespace tesela::cpu {

/// Turns modules into object files, or assembly text, one after the other.
class CodeWriter {
public:
  /// Null where the machine writes no such files. It has to live as long.
  static std::unique_ptr<CodeWriter> create(llvm::TargetMachine &machine,
                                            llvm::CodeGenFileType kind);
  ~CodeWriter();

  /// Consumes the module. Errors go to its context's handler.
  std::string write(llvm::Module &module);

private:
  struct State;
  explicit CodeWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace tesela::cpu

#endif // TESELA_TARGET_CPU_CODEWRITER_H
