//===- EmitDiagTest.cpp - wrong kernels, with messages beside the line ----===//
//
// Each file of test/diag has sections that begin with `# ---`; what stands
// before the first belongs to all of them. Every section has a kernel
// `kernel(x, n)` of a pointer to fp32 and an int32, and says what is wrong:
//
//   code  # error 9: message [id]     an error in this line, in column 9
//   code  # note 5: message           a note of it (also `warning`)
//   # any: text                       somewhere in the diagnostic
//
//===----------------------------------------------------------------------===//

#include "unit/EmittedKernel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tesela;
using namespace tesela::test;

namespace {

struct Section {
  std::string text;
  std::string name;
};

std::vector<Section> sectionsOf(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::vector<std::string> parts(1);
  int number = 0;
  std::vector<int> starts{1};
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line == "# ---") {
      parts.push_back("");
      starts.push_back(number + 1);
    }
    parts.back() += line + "\n";
  }
  std::vector<Section> sections;
  for (size_t i = 1; i < parts.size(); ++i)
    sections.push_back({parts[0] + parts[i], path.filename().string() + ":" +
                                                 std::to_string(starts[i])});
  return sections;
}

/// "LINE:COL: message" of an error and its notes, in the order of the lines.
std::string shown(const Location &location, const std::string &kind,
                  const std::string &message) {
  return std::to_string(location.line) + ":" +
         std::to_string(location.col + 1) + ": " + kind + ": " + message;
}

void checkSection(const Section &section) {
  SCOPED_TRACE(section.name);
  std::vector<std::string> expected, any;
  std::istringstream lines(section.text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    llvm::StringRef comment = llvm::StringRef(line).split("# ").second;
    if (comment.consume_front("any: "))
      any.push_back(comment.str());
    for (llvm::StringRef kind : {"error", "note", "warning"}) {
      if (!comment.starts_with(kind.str() + " "))
        continue;
      auto [column, message] = comment.drop_front(kind.size() + 1).split(": ");
      expected.push_back(std::to_string(number) + ":" + column.str() + ": " +
                         kind.str() + ": " + message.str());
    }
  }
  EmittedKernel kernel = emitText(section.text, {"x=*fp32", "n=i32"});
  ASSERT_FALSE(kernel.diagnostics.empty()) << "nothing is wrong";
  const Diagnostic &found = kernel.diagnostics.front();
  EXPECT_EQ(bool(kernel.emitted), found.severity == Severity::Warning);
  for (const std::string &text : any)
    EXPECT_NE(found.render().find(text), std::string::npos) << found.render();
  if (expected.empty()) {
    EXPECT_FALSE(any.empty()) << "the section expects nothing";
    return;
  }
  std::vector<std::string> all{shown(
      found.location, found.severity == Severity::Warning ? "warning" : "error",
      found.message + " [" + diagName(found.id) + "]")};
  for (const Note &note : found.notes)
    all.push_back(shown(note.location, "note", note.message));
  for (const std::string &each : expected)
    EXPECT_NE(llvm::find(all, each), all.end())
        << each << "\nwas expected, and this was found:\n"
        << llvm::join(all, "\n");
}

} // namespace

TEST(Diagnostics, OfWrongKernels) {
  // The build folder lies somewhere in the source folder.
  std::filesystem::path folder =
      std::filesystem::canonical("/proc/self/exe").parent_path();
  while (folder.has_relative_path() &&
         !std::filesystem::exists(folder / "test/diag/calls.py"))
    folder = folder.parent_path();
  folder /= "test/diag";
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".py")
      continue;
    for (const Section &section : sectionsOf(entry.path())) {
      checkSection(section);
      ++count;
    }
  }
  EXPECT_GT(count, 40u);
}
