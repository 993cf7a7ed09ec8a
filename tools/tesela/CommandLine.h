//===- CommandLine.h - words of the command line --------------------------===//

#ifndef TESELA_TOOLS_TESELA_COMMANDLINE_H
#define TESELA_TOOLS_TESELA_COMMANDLINE_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tesela::cli {

/// Exit codes: everything is fine; a kernel or a test is not; the command line
/// itself makes no sense.
enum ExitCode { Success = 0, Failure = 1, Usage = 2 };

/// The words after the command, taken one by one.
class CommandLine {
public:
  CommandLine(std::string command, std::vector<std::string> words)
      : command(std::move(command)), words(std::move(words)) {}

  bool isDone() const { return next >= words.size(); }
  /// Takes the flag `--name` if it is next.
  bool takeFlag(std::string_view name);
  /// Takes `--name=value`, `--name value` or `-D value` if it is next.
  std::optional<std::string> takeOption(std::string_view name);
  /// Takes the next word unless it is an option.
  std::optional<std::string> takeWord();

  /// Says what is wrong with the command line.
  int fail(const std::string &message) const;
  /// What is next is not known.
  int failUnknown() const;

private:
  std::string command;
  std::vector<std::string> words;
  size_t next = 0;
};

/// Splits "a,b" into its parts, at commas outside of brackets and quotes.
std::vector<std::string> splitList(std::string_view text);
std::string_view trim(std::string_view text);

int runShow(CommandLine line);
int runRun(CommandLine line);
int runCheck(CommandLine line);

} // namespace tesela::cli

#endif // TESELA_TOOLS_TESELA_COMMANDLINE_H
