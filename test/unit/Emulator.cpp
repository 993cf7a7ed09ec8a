//===- Emulator.cpp - AArch64 programs on any host ------------------------===//

#include "unit/Emulator.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace tesela::test {

static const char *const start = R"(
  typedef long word;

  static word call(word number, word a, const void *b, word c) {
    register word x8 __asm__("x8") = number;
    register word x0 __asm__("x0") = a;
    register const void *x1 __asm__("x1") = b;
    register word x2 __asm__("x2") = c;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2)
                     : "memory");
    return x0;
  }

  word read(void *memory, word bytes) {
    word done = 0, count;
    while (done < bytes &&
           (count = call(63, 0, (char *)memory + done, bytes - done)) > 0)
      done += count;
    return done;
  }

  void write(const void *memory, word bytes) {
    word count;
    for (word done = 0; done < bytes; done += count)
      if ((count = call(64, 1, (const char *)memory + done, bytes - done)) <= 0)
        call(93, 4, 0, 0);
  }

  void *memmove(void *to, const void *from, unsigned long bytes) {
    char *d = to;
    const char *s = from;
    if (d <= s)
      for (unsigned long i = 0; i < bytes; ++i)
        d[i] = s[i];
    else
      for (unsigned long i = bytes; i-- > 0;)
        d[i] = s[i];
    return to;
  }

  void *memcpy(void *to, const void *from, unsigned long bytes) {
    return memmove(to, from, bytes);
  }

  void *memset(void *to, int byte, unsigned long bytes) {
    for (unsigned long i = 0; i < bytes; ++i)
      ((char *)to)[i] = (char)byte;
    return to;
  }

  int run(void);
  void _start(void) { call(93, run(), 0, 0); }
)";

namespace {

/// A file that goes with the test.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix, llvm::StringRef bytes = "") {
    int file;
    if (llvm::sys::fs::createTemporaryFile("tesela", suffix, file, path))
      return;
    llvm::raw_fd_ostream(file, /*shouldClose=*/true) << bytes;
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  operator llvm::StringRef() const { return path; }

private:
  llvm::SmallString<64> path;
};

struct Programs {
  std::string clang = find("clang-22", "/usr/lib/llvm-22/bin");
  std::string linker = find("ld.lld", "/usr/lib/llvm-22/bin");
  std::string emulator = find("qemu-aarch64", "/usr/bin");

  static std::string find(const char *name, const char *folder) {
    auto found = llvm::sys::findProgramByName(name, {folder});
    if (!found)
      found = llvm::sys::findProgramByName(name);
    return found ? *found : std::string();
  }
};

} // namespace

static const Programs &programs() {
  static const Programs programs;
  return programs;
}

TargetFacts emulatedFacts() {
  TargetFacts facts;
  facts.triple = "aarch64-unknown-linux-gnu";
  facts.processor = "neoverse-n1";
  facts.vectorBytes = 16;
  facts.vectorRegisters = 32;
  return facts;
}

bool canEmulate() {
  const Programs &found = programs();
  return !found.clang.empty() && !found.linker.empty() &&
         !found.emulator.empty();
}

static bool execute(llvm::ArrayRef<llvm::StringRef> words,
                    llvm::ArrayRef<std::optional<llvm::StringRef>> files,
                    std::string &error) {
  int status =
      llvm::sys::ExecuteAndWait(words.front(), words, std::nullopt, files,
                                /*SecondsToWait=*/120, 0, &error);
  if (status != 0 && error.empty())
    error = words.front().str() + " gives " + std::to_string(status);
  return status == 0;
}

std::optional<std::string> emulate(llvm::StringRef object, llvm::StringRef text,
                                   llvm::StringRef input, std::string &error) {
  TemporaryFile objectFile("o", object), source("c", (start + text).str()),
      executable("exe"), inputFile("in", input), outputFile("out");
  std::string linkWith = "--ld-path=" + programs().linker;
  if (!execute({programs().clang, "--target=aarch64-linux-gnu", "-O1",
                "-ffreestanding", "-fno-builtin", "-nostdlib", "-static",
                linkWith, source, objectFile, "-o", executable},
               {}, error) ||
      !execute({programs().emulator, executable},
               {llvm::StringRef(inputFile), llvm::StringRef(outputFile),
                std::nullopt},
               error))
    return std::nullopt;
  auto output = llvm::MemoryBuffer::getFile(llvm::StringRef(outputFile));
  if (!output) {
    error = output.getError().message();
    return std::nullopt;
  }
  return (*output)->getBuffer().str();
}

} // namespace tesela::test
