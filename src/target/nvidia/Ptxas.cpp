//===- Ptxas.cpp - NVIDIA's assembler and disassembler --------------------===//

#include "target/nvidia/Ptxas.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <optional>

namespace tesela::nvidia {

/// Where the toolkit lies when it is not on the path.
static const llvm::StringRef toolkit[] = {"/usr/local/cuda/bin"};

/// A program's path: what `variable` says, else where it is found. Empty where
/// it is nowhere.
static std::string findProgram(llvm::StringRef name, const char *variable) {
  if (const char *path = variable ? std::getenv(variable) : nullptr)
    if (*path)
      return path;
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  if (auto found = llvm::sys::findProgramByName(name, toolkit))
    return *found;
  return {};
}

namespace {

/// A file that goes when this does.
struct ScratchFile {
  llvm::SmallString<128> path;
  llvm::FileRemover remover;

  bool create(llvm::StringRef suffix) {
    if (llvm::sys::fs::createTemporaryFile("tesela", suffix, path))
      return false;
    remover.setFile(path);
    return true;
  }
  bool write(const std::string &text) {
    std::error_code problem;
    llvm::raw_fd_ostream stream(path, problem);
    if (problem)
      return false;
    stream << text;
    stream.close();
    bool failed = stream.has_error();
    stream.clear_error();
    return !failed;
  }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }
};

} // namespace

/// Runs a program; what it prints goes to `output`. False where it fails, with
/// the reason in `error`.
static bool runProgram(const std::string &program,
                       llvm::ArrayRef<llvm::StringRef> arguments,
                       std::string &output, std::string &error) {
  ScratchFile printed;
  if (!printed.create("txt")) {
    error = "no temporary file can be written";
    return false;
  }
  llvm::SmallVector<llvm::StringRef> words = {program};
  words.append(arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(),
                                                llvm::StringRef(printed.path),
                                                llvm::StringRef(printed.path)};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(program, words, std::nullopt,
                                         redirects, 0, 0, &problem);
  output = printed.read();
  if (status == 0)
    return true;
  error = "`" + program + "` failed: ";
  error += problem.empty() ? llvm::StringRef(output).trim().str() : problem;
  return false;
}

/// The number before `words`, of a line such as "Used 22 registers".
static unsigned numberBefore(llvm::StringRef line, llvm::StringRef words) {
  size_t at = line.find(words);
  unsigned number = 0;
  if (at == line.npos)
    return 0;
  llvm::StringRef before = line.take_front(at).rtrim();
  size_t start = before.find_last_not_of("0123456789");
  before = before.drop_front(start == before.npos ? 0 : start + 1);
  return before.getAsInteger(10, number) ? 0 : number;
}

KernelResources parseResources(const std::string &report) {
  KernelResources result;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(report).split(lines, '\n');
  auto raise = [](unsigned &value, unsigned found) {
    value = std::max(value, found);
  };
  for (llvm::StringRef line : lines) {
    raise(result.registers, numberBefore(line, " registers"));
    raise(result.stackBytes, numberBefore(line, " bytes stack frame"));
    raise(result.spillStoreBytes, numberBefore(line, " bytes spill stores"));
    raise(result.spillLoadBytes, numberBefore(line, " bytes spill loads"));
    raise(result.sharedBytes, numberBefore(line, " bytes smem"));
    if (line.contains("(C7") || line.contains("warning"))
      result.remarks += line.trim().str() + "\n";
  }
  return result;
}

std::string assemblePtx(const std::string &ptx, const std::string &processor,
                        std::string &error, KernelResources *resources) {
  error.clear();
  std::string program = findProgram("ptxas", "TESELA_PTXAS");
  if (program.empty()) {
    error = "a cubin needs the CUDA toolkit's `ptxas`, which is not on the "
            "path; set TESELA_PTXAS, or leave the PTX to the driver";
    return {};
  }
  ScratchFile source, object;
  if (!source.create("ptx") || !object.create("cubin") || !source.write(ptx)) {
    error = "no temporary file can be written";
    return {};
  }
  std::string architecture = "-arch=" + processor;
  std::string report;
  if (!runProgram(
          program,
          {architecture, "-v", "-lineinfo", source.path, "-o", object.path},
          report, error))
    return {};
  if (resources)
    *resources = parseResources(report);
  std::string cubin = object.read();
  if (cubin.empty())
    error = "`" + program + "` wrote nothing";
  return cubin;
}

std::string disassembleCubin(const std::string &cubin, std::string &error) {
  error.clear();
  std::string program = findProgram("cuobjdump", "TESELA_CUOBJDUMP");
  llvm::StringRef option = "-sass";
  if (program.empty()) {
    program = findProgram("nvdisasm", nullptr);
    option = "-c";
  }
  if (program.empty()) {
    error = "machine code is shown by the CUDA toolkit's `cuobjdump` or "
            "`nvdisasm`, and neither is on the path; set TESELA_CUOBJDUMP";
    return {};
  }
  ScratchFile object;
  if (!object.create("cubin") || !object.write(cubin)) {
    error = "no temporary file can be written";
    return {};
  }
  std::string text;
  if (!runProgram(program, {option, object.path}, text, error))
    return {};
  return text;
}

} // namespace tesela::nvidia
