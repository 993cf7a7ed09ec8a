//===- Main.cpp - tesela, the command line --------------------------------===//

#include "CommandLine.h"
#include "tesela/tesela.h"

#include <iostream>

static constexpr const char *help = R"(usage: tesela COMMAND …

  show FILE:KERNEL   prints a kernel after a stage of its compilation
  run FILE…          runs the `# run:` lines of files and checks what they expect
  check FILE…        reports what is wrong with the kernels of files
  version            prints the version

`tesela COMMAND --help` says more. Exit code: 0 all is well, 1 a kernel is wrong
or a test fails, 2 the command line makes no sense.
)";

static int runCommand(int argc, char **argv) {
  using namespace tesela::cli;
  std::string command = argc > 1 ? argv[1] : "";
  CommandLine line(command, {argv + (argc > 1 ? 2 : 1), argv + argc});
  if (command == "show")
    return runShow(line);
  if (command == "run")
    return runRun(line);
  if (command == "check")
    return runCheck(line);
  if (command == "version" || command == "--version") {
    std::cout << "tesela " << tesela::version() << "\n";
    return Success;
  }
  if (command == "help" || command == "--help" || command == "-h") {
    std::cout << help;
    return Success;
  }
  if (!command.empty())
    std::cerr << "tesela: there is no command `" << command << "`\n";
  std::cerr << help;
  return Usage;
}

int main(int argc, char **argv) {
  int code = runCommand(argc, argv);
  // What was asked for and could not be written is no success.
  if (!std::cout.flush()) {
    std::cerr << "tesela: cannot write to the standard output\n";
    return tesela::cli::Failure;
  }
  return code;
}
