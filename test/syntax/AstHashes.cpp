//===- AstHashes.cpp - hashes of the trees of many files ------------------===//
//
//   tesela-ast-hashes [--python=3.N] < list-of-files
//
// prints for each file `ok MD5-OF-ITS-DUMP` or `error LINE:COL: MESSAGE`, and
// at the end, to stderr, how long parsing alone took. With `--dump
// FILE` it prints that dump. `--python` leaves out positions which that version
// has not.
//
//===----------------------------------------------------------------------===//

#include "syntax/Dump.h"
#include "syntax/Parser.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MD5.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace tesela;

int main(int argc, char **argv) {
  syntax::DumpOptions options;
  std::string dumped;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.starts_with("--python=3."))
      options.pythonMinor = std::atoi(argument.c_str() + 11);
    else if (argument == "--dump" && i + 1 < argc)
      dumped = argv[++i];
  }

  double seconds = 0;
  size_t bytes = 0;
  auto parse = [&](const std::string &path, Diagnostics &diags) {
    std::string error;
    SourceRef source = Source::read(path, error);
    if (!source) {
      std::cerr << error << "\n";
      std::exit(2);
    }
    bytes += source->text().size();
    auto begin = std::chrono::steady_clock::now();
    auto module = syntax::parseModule(source, diags);
    seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    return module;
  };

  if (!dumped.empty()) {
    Diagnostics diags;
    auto module = parse(dumped, diags);
    std::cout << (module ? syntax::dump(*module, options) + "\n"
                         : diags.render());
    return module ? 0 : 1;
  }
  for (std::string path; std::getline(std::cin, path);) {
    Diagnostics diags;
    if (auto module = parse(path, diags)) {
      std::string text = syntax::dump(*module, options);
      llvm::MD5 md5;
      md5.update(text);
      std::cout << "ok " << md5.final().digest().str().str() << "\n";
    } else {
      const Diagnostic &first = diags.all().front();
      std::cout << "error " << first.location.line << ":" << first.location.col
                << ": " << first.message << "\n";
    }
  }
  std::fprintf(stderr, "parsed %.1f MB in %.2f s\n", bytes / 1e6, seconds);
}
