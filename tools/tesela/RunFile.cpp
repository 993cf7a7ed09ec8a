//===- RunFile.cpp - the test lines of a file of kernels ------------------===//

#include "RunFile.h"

#include "ArgumentText.h"
#include "CommandLine.h"

#include <charconv>
#include <fstream>
#include <sstream>

namespace tesela::cli {

uint64_t RunArgument::size() const {
  uint64_t product = 1;
  for (uint64_t extent : shape)
    product *= extent;
  return product;
}

/// More than this is a slip of the pen.
static constexpr uint64_t maxElements = uint64_t(1) << 28;

static bool readWhole(std::string_view text, uint64_t &value) {
  text = trim(text);
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() &&
         !text.empty();
}

/// The place of the bracket that closes the one at `open`.
static size_t closing(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[')
      ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0)
      return i;
  }
  return text.npos;
}

namespace {

/// Reads one line; each method gives what is wrong, or nothing.
class LineReader {
public:
  std::string readRun(std::string_view text, RunLine &run);
  std::string readExpect(std::string_view text, Expectation &expect);

private:
  std::string readOption(const std::string &text, RunLine &run);
  std::string readGrid(std::string_view text, Grid &grid);
  std::string readArgument(const std::string &text, RunArgument &argument);
  std::string readBuffer(std::string_view text, size_t bracket,
                         RunArgument &argument);
};

} // namespace

std::string LineReader::readGrid(std::string_view text, Grid &grid) {
  if (text.starts_with('(') && text.ends_with(')'))
    text = text.substr(1, text.size() - 2);
  std::vector<std::string> extents = splitList(text);
  int64_t *axes[] = {&grid.x, &grid.y, &grid.z};
  if (extents.empty() || extents.size() > 3)
    return "a grid has one to three extents";
  for (size_t i = 0; i < extents.size(); ++i) {
    const std::string &extent = extents[i];
    auto [end, error] =
        std::from_chars(extent.data(), extent.data() + extent.size(), *axes[i]);
    if (error != std::errc() || end != extent.data() + extent.size())
      return "`" + extent + "` is not the extent of a grid";
  }
  return "";
}

std::string LineReader::readOption(const std::string &text, RunLine &run) {
  auto [name, value] = splitName(text);
  if (name == "grid")
    return readGrid(value, run.grid);
  uint64_t number = 0;
  if (!readWhole(value, number))
    return "`" + text + "` is not an option and its number";
  if (name == "num_warps")
    run.options.numWarps = int(number);
  else if (name == "num_stages")
    run.options.numStages = int(number);
  else if (name == "enable_fp_fusion")
    run.options.enableFpFusion = number != 0;
  else
    return "there is no option `" + name + "`";
  return "";
}

std::string LineReader::readBuffer(std::string_view text, size_t bracket,
                                   RunArgument &argument) {
  size_t end = closing(text, bracket);
  if (end == text.npos)
    return "a bracket of `" + std::string(text) + "` is not closed";
  for (const std::string &extent :
       splitList(text.substr(bracket + 1, end - bracket - 1))) {
    uint64_t number = 0;
    if (!readWhole(extent, number))
      return "`" + extent + "` is not an extent";
    argument.shape.push_back(number);
    if (number > maxElements || argument.size() > maxElements)
      return "`" + argument.name + "` is too large";
  }
  std::string_view contents = trim(text.substr(end + 1));
  if (!contents.empty() && contents[0] != ':')
    return "`" + std::string(contents) + "` follows a buffer";
  contents = contents.empty() ? "0" : contents.substr(1);
  std::optional<Formula> formula = Formula::parse(contents);
  if (!formula)
    return "`" + std::string(contents) + "` is not a formula";
  argument.isBuffer = true;
  argument.contents = std::move(*formula);
  return "";
}

std::string LineReader::readArgument(const std::string &text,
                                     RunArgument &argument) {
  auto [name, rest] = splitName(text);
  if (name.empty() || rest.empty())
    return "`" + text + "` is not of the form NAME=VALUE";
  argument.name = name;
  std::string_view value = rest;
  if (value.starts_with("const ")) {
    argument.readOnly = true;
    value = trim(value.substr(6));
  }
  size_t bracket = value.find('[');
  if (bracket != value.npos) {
    argument.dtype = parseTypeName(trim(value.substr(0, bracket)));
    if (!argument.dtype)
      return "`" + std::string(value.substr(0, bracket)) +
             "` is not an element type";
    return readBuffer(value, bracket, argument);
  }
  // A scalar of a given type, such as i64:5.
  size_t colon = value.find(':');
  if (colon != value.npos)
    if ((argument.dtype = parseTypeName(trim(value.substr(0, colon)))))
      value = value.substr(colon + 1);
  argument.value = parseValue(value);
  return "";
}

std::string LineReader::readRun(std::string_view text, RunLine &run) {
  run.text = text;
  size_t open = text.find_first_of("[(");
  if (open == text.npos)
    return "a run is of the form KERNEL[grid=N](NAME=VALUE, …)";
  run.kernel = trim(text.substr(0, open));
  if (text[open] == '[') {
    size_t end = closing(text, open);
    if (end == text.npos)
      return "the bracket of the options is not closed";
    for (const std::string &option :
         splitList(text.substr(open + 1, end - open - 1)))
      if (std::string problem = readOption(option, run); !problem.empty())
        return problem;
    open = end + 1;
  }
  if (open >= text.size() || text[open] != '(')
    return "the arguments are missing";
  size_t end = closing(text, open);
  if (end == text.npos)
    return "the parenthesis of the arguments is not closed";
  for (const std::string &argument :
       splitList(text.substr(open + 1, end - open - 1))) {
    run.arguments.emplace_back();
    if (std::string problem = readArgument(argument, run.arguments.back());
        !problem.empty())
      return problem;
  }
  std::string_view rest = trim(text.substr(end + 1));
  if (rest.empty())
    return "";
  if (!rest.starts_with("ulp=") || !readWhole(rest.substr(4), run.ulp))
    return "`" + std::string(rest) + "` follows a run";
  return "";
}

std::string LineReader::readExpect(std::string_view text, Expectation &expect) {
  expect.text = text;
  if (text.starts_with("error ")) {
    expect.error = trim(text.substr(6));
    return "";
  }
  size_t op = text.find("==");
  if (op == text.npos)
    return "an expectation is of the form NAME[FROM:TO] == VALUES";
  std::string_view left = trim(text.substr(0, op));
  std::string_view right = trim(text.substr(op + 2));

  size_t bracket = left.find('[');
  expect.buffer = trim(left.substr(0, bracket));
  if (bracket != left.npos) {
    if (!left.ends_with(']'))
      return "a bracket of `" + std::string(left) + "` is not closed";
    for (const std::string &range :
         splitList(left.substr(bracket + 1, left.size() - bracket - 2))) {
      size_t colon = range.find(':');
      uint64_t from = 0, to = 0;
      bool good = readWhole(std::string_view(range).substr(0, colon), from);
      to = from + 1;
      if (good && colon != range.npos)
        good = readWhole(std::string_view(range).substr(colon + 1), to);
      if (!good || to <= from)
        return "`" + range + "` is not a range";
      expect.ranges.push_back({from, to});
    }
  }

  // The last words may say how near is near enough.
  size_t space = right.rfind(' ');
  std::string_view last =
      space == right.npos ? std::string_view() : right.substr(space + 1);
  if (last.starts_with("ulp=")) {
    if (!readWhole(last.substr(4), expect.ulp))
      return "`" + std::string(last) + "` is not a distance";
    right = trim(right.substr(0, space));
  } else if (last.starts_with("tol=")) {
    std::optional<Value> tolerance = parseNumberText(last.substr(4));
    if (!tolerance)
      return "`" + std::string(last) + "` is not a tolerance";
    expect.tolerance = double(*tolerance);
    right = trim(right.substr(0, space));
  }
  // `-5 -4` are two numbers rather than a difference.
  std::optional<Formula> formula =
      Formula::parse("[" + std::string(right) + "]");
  if (!formula)
    formula = Formula::parse(right);
  if (!formula)
    return "`" + std::string(right) + "` are not values";
  expect.values = std::move(*formula);
  return "";
}

/// What follows `# KEY:` on a line, or nothing.
static std::optional<std::string_view> keyed(std::string_view line,
                                             std::string_view key) {
  line = trim(line);
  if (!line.starts_with('#'))
    return std::nullopt;
  line = trim(line.substr(1));
  if (!line.starts_with(key))
    return std::nullopt;
  return trim(line.substr(key.size()));
}

static bool isOpen(std::string_view text) {
  int depth = 0;
  for (char c : text)
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
  return depth > 0;
}

std::optional<RunFile> readRunFile(const std::string &path,
                                   std::string &error) {
  std::ifstream stream(path);
  if (!stream) {
    error = path + ": cannot be read";
    return std::nullopt;
  }
  RunFile file;
  file.path = path;
  std::string text;
  int number = 0;
  auto fail = [&](int line, const std::string &problem) {
    error = path + ":" + std::to_string(line) + ": " + problem;
    return std::nullopt;
  };
  while (std::getline(stream, text)) {
    ++number;
    int first = number;
    if (auto run = keyed(text, "run:")) {
      std::string whole(*run), next;
      // An open parenthesis goes on in the comments that follow.
      while (isOpen(whole) && std::getline(stream, next)) {
        ++number;
        std::optional<std::string_view> more = keyed(next, "");
        if (!more)
          break;
        whole += " " + std::string(*more);
      }
      file.runs.emplace_back();
      file.runs.back().line = first;
      std::string problem = LineReader().readRun(whole, file.runs.back());
      if (!problem.empty())
        return fail(first, problem);
    } else if (auto expect = keyed(text, "expect:")) {
      if (file.runs.empty())
        return fail(first, "an expectation comes after its run");
      Expectation expectation;
      expectation.line = first;
      std::string problem = LineReader().readExpect(*expect, expectation);
      if (!problem.empty())
        return fail(first, problem);
      file.runs.back().expectations.push_back(std::move(expectation));
    }
  }
  return file;
}

} // namespace tesela::cli
