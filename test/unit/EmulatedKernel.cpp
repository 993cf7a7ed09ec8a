//===- EmulatedKernel.cpp - kernels as AArch64 code under the emulator ----===//
//
//   [head | arguments | grid | guard | memory | guard | memory | guard]
//
// A launch goes to the program as one image, in which pointers are offsets; the
// program makes them addresses, runs the kernel and writes the image back. The
// head says where what is.
//
//===----------------------------------------------------------------------===//

#include "unit/EmulatedKernel.h"

#include "generate/CpuImplementation.h"
#include "unit/Emulator.h"
#include "unit/TileKernel.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;

namespace tesela::test {

/// After `#define`s of the kernel's and its precondition's symbols.
static const char *const runText = R"(
  enum { mostBytes = 1 << 24, mostScratch = 1 << 24 };
  static char image[mostBytes] __attribute__((aligned(4096)));
  static char scratch[mostScratch] __attribute__((aligned(64)));

  void kernel(const void *arguments, void *scratch, const int *grid, word begin,
              word end) __asm__(KERNEL);
  _Bool holds(const void *arguments, const int *grid) __asm__(PRECONDITION);

  int run(void) {
    struct {
      word bytes, arguments, grid, instances, holds, numPointers, pointers[];
    } *head = (void *)image;
    read(image, mostBytes);
    const char *arguments = image + head->arguments;
    const int *grid = (const int *)(image + head->grid);
    for (word i = 0; i < head->numPointers; ++i)
      *(word *)(image + head->pointers[i]) += (word)image;
    head->holds = holds(arguments, grid);
    word count = head->instances;
    if (head->holds) {
      memset(scratch, 0xa5, mostScratch);
      kernel(arguments, scratch, grid, count / 2, count);
      memset(scratch, 0xa5, mostScratch);
      kernel(arguments, scratch, grid, 0, count / 2);
    }
    write(image, head->bytes);
    return 0;
  }
)";

namespace {

constexpr size_t mostBytes = 1 << 24;
constexpr size_t guardBytes = 4096;
constexpr char guardByte = '\x5a';

class Image {
public:
  Image(func::FuncOp kernel, const Launch &launch) : launch(launch) {
    ArgumentLayout layout = interp::argumentLayout(kernel);
    std::vector<int64_t> pointers;
    for (const ArgumentSlot &slot : layout.slots)
      if (slot.isPointer)
        pointers.push_back(slot.offset);

    size_t headBytes = (6 + pointers.size()) * sizeof(int64_t);
    size_t arguments = llvm::alignTo(headBytes, 64);
    size_t grid = llvm::alignTo(arguments + layout.bytes, 64);
    bytes.assign(grid + 64, '\0');
    copy(arguments, launch.arguments, layout.bytes);
    copy(grid, launch.grid.data(), sizeof(launch.grid));
    for (const interp::MemoryRange &range : launch.memory) {
      bytes.append(guardBytes, guardByte);
      // As far from a multiple of 64 as on the host.
      while ((bytes.size() - address(range.begin)) % 64 != 0)
        bytes.push_back(guardByte);
      places.push_back(bytes.size());
      bytes.append(static_cast<const char *>(range.begin), range.bytes);
    }
    bytes.append(guardBytes, guardByte);

    for (int64_t &pointer : pointers) {
      pointer += int64_t(arguments);
      uint64_t target;
      std::memcpy(&target, bytes.data() + pointer, sizeof(target));
      uint64_t place = placeOf(target);
      copy(size_t(pointer), &place, sizeof(place));
    }
    int64_t count = 1;
    for (int32_t extent : launch.grid)
      count *= extent;
    std::vector<int64_t> head = {
        int64_t(bytes.size()), int64_t(arguments),      int64_t(grid), count,
        int64_t(false),        int64_t(pointers.size())};
    head.insert(head.end(), pointers.begin(), pointers.end());
    copy(0, head.data(), head.size() * sizeof(int64_t));
  }

  const std::string &contents() const { return bytes; }

  /// Takes over what the program wrote; false where that went astray.
  bool finish(const std::string &written, bool &holds, std::string &error) {
    if (written.size() != bytes.size()) {
      error = "the program wrote " + std::to_string(written.size()) + " bytes";
      return false;
    }
    int64_t word;
    std::memcpy(&word, written.data() + 4 * sizeof(word), sizeof(word));
    holds = word != 0;
    size_t end = places.empty() ? bytes.size() : places.front() - guardBytes;
    for (auto [place, range] : llvm::zip_equal(places, launch.memory)) {
      for (; end < place; ++end)
        if (written[end] != bytes[end])
          return fail(end, error);
      end = place + range.bytes;
    }
    for (; end < bytes.size(); ++end)
      if (written[end] != bytes[end])
        return fail(end, error);
    for (auto [place, range] : llvm::zip_equal(places, launch.memory))
      std::memcpy(const_cast<void *>(range.begin), written.data() + place,
                  range.bytes);
    return true;
  }

private:
  void copy(size_t at, const void *from, size_t count) {
    std::memcpy(bytes.data() + at, from, count);
  }

  bool fail(size_t at, std::string &error) {
    error = "byte " + std::to_string(at) + " beside the memory was written";
    return false;
  }

  /// Where an address of the host lies in the image.
  uint64_t placeOf(uint64_t target) const {
    for (auto [place, range] : llvm::zip_equal(places, launch.memory))
      if (target - address(range.begin) <= range.bytes)
        return place + (target - address(range.begin));
    return 0;
  }

  const Launch &launch;
  std::string bytes;
  std::vector<size_t> places;
};

} // namespace

/// What is wrong with an object file, or nothing.
static std::string problemOf(llvm::StringRef object, llvm::StringRef symbol) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(object, "kernel.o"));
  if (!file)
    return llvm::toString(file.takeError());
  if ((*file)->getArch() != llvm::Triple::aarch64)
    return "it is for another processor";
  bool isFound = false;
  for (const llvm::object::SymbolRef &entry : (*file)->symbols()) {
    llvm::Expected<llvm::StringRef> name = entry.getName();
    llvm::Expected<uint32_t> flags = entry.getFlags();
    if (!name || !flags)
      return llvm::toString(name ? flags.takeError() : name.takeError());
    bool isOutside = *flags & llvm::object::SymbolRef::SF_Undefined;
    isFound |= *name == symbol && !isOutside;
    if (isOutside && !name->empty() && *name != "memcpy" &&
        *name != "memmove" && *name != "memset")
      return "it needs `" + name->str() + "`";
  }
  return isFound ? "" : "it has no `" + symbol.str() + "`";
}

static bool run(ModuleOp module, const Launch &launch, bool general,
                bool &holds, std::string &error) {
  Binary binary;
  if (!compileFor(emulatedFacts(), module, general, binary, error))
    return false;
  error = problemOf(binary.code, binary.name);
  Image image(findKernel(module), launch);
  if (error.empty() && image.contents().size() > mostBytes)
    error = "the memory is too large for the emulated program";
  if (error.empty() && binary.scratchBytes > mostBytes)
    error = "the scratch memory is too large for the emulated program";
  if (!error.empty())
    return false;
  bool isChecked = !binary.precondition.empty();
  std::string text = "#define KERNEL \"" + binary.name +
                     "\"\n#define PRECONDITION \"" +
                     (isChecked ? binary.precondition : "always") + "\"\n";
  if (!isChecked)
    text += "_Bool always(const void *arguments, const int *grid) "
            "{ return 1; }\n";
  std::optional<std::string> written =
      emulate(binary.code, text + runText, image.contents(), error);
  return written && image.finish(*written, holds, error);
}

Implementation emulatedOnAArch64() {
  return [](ModuleOp module, const Launch &launch, std::string &error) {
    bool holds = false;
    if (!run(module, launch, /*general=*/false, holds, error))
      return false;
    return holds || run(module, launch, /*general=*/true, holds, error);
  };
}

} // namespace tesela::test
