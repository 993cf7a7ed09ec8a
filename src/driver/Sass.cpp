//===- Sass.cpp - machine code of a GPU as text ---------------------------===//

#include "driver/Sass.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace tesela::driver {

static std::string findProgram(const char *name) {
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  if (auto found = llvm::sys::findProgramByName(name, {"/usr/local/cuda/bin"}))
    return *found;
  return "";
}

namespace {

/// A file that is removed at the end.
class TemporaryFile {
public:
  explicit TemporaryFile(const char *suffix) {
    failed = bool(llvm::sys::fs::createTemporaryFile("tesela", suffix, path));
  }
  ~TemporaryFile() {
    if (!failed)
      llvm::sys::fs::remove(path);
  }

  std::string text() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  llvm::SmallString<128> path;
  bool failed = false;
};

} // namespace

/// Runs a program, its outputs into files; whether it ended well.
static bool runProgram(llvm::ArrayRef<llvm::StringRef> words,
                       const TemporaryFile &out, const TemporaryFile &err) {
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(),
                                                out.path.str(), err.path.str()};
  return llvm::sys::ExecuteAndWait(words[0], words, std::nullopt, redirects) ==
         0;
}

/// The lines of `ptxas -v`, as comments.
static std::string comments(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (!line.trim().empty())
      result += ("// " + line.trim() + "\n").str();
    text = rest;
  }
  return result;
}

std::optional<std::string> disassemble(const std::string &ptx,
                                       const std::string &processor,
                                       std::string &error) {
  std::string assembler = findProgram("ptxas");
  std::string nvdisasm = findProgram("nvdisasm");
  std::string cuobjdump = findProgram("cuobjdump");
  if (assembler.empty() || (nvdisasm.empty() && cuobjdump.empty())) {
    error = "machine code is shown with NVIDIA's `ptxas` and `nvdisasm` or "
            "`cuobjdump`, which are not found here";
    return std::nullopt;
  }
  TemporaryFile input("ptx"), cubin("cubin"), out("txt"), err("txt");
  std::error_code failed;
  llvm::raw_fd_ostream(input.path, failed) << ptx;
  if (failed || cubin.failed || out.failed || err.failed) {
    error = "temporary files cannot be written";
    return std::nullopt;
  }
  std::string architecture = "-arch=" + processor;
  if (!runProgram({assembler, "-v", architecture, input.path, "-o", cubin.path},
                  out, err)) {
    error = "`ptxas` refuses the code:\n" + out.text() + err.text();
    return std::nullopt;
  }
  std::string result = comments(out.text()) + comments(err.text());
  bool done = nvdisasm.empty()
                  ? runProgram({cuobjdump, "--dump-sass", cubin.path}, out, err)
                  : runProgram({nvdisasm, "-c", cubin.path}, out, err);
  if (!done) {
    error = "the disassembler fails:\n" + err.text();
    return std::nullopt;
  }
  return result + out.text();
}

} // namespace tesela::driver
