//===- Show.cpp - tesela show: a kernel after each stage ------------------===//

#include "ArgumentText.h"
#include "CommandLine.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>

namespace tesela::cli {

static constexpr const char *help = R"(usage: tesela show FILE:KERNEL [options]

Prints what a kernel has become after a stage of its compilation.

  --stage=STAGE   ast, tile, views; for a CPU cpu, llvm, asm; for a GPU gpu,
                  nvvm, llvm, ptx, sass; several with commas, or `all` [tile]
  --arg NAME=TYPE the type of an argument: *fp32 (a pointer), i64, bf16, …;
                  `:16` after it says that it is a multiple of 16; a number
                  stands for itself
  -D NAME=VALUE   the value of a constexpr
  --target=NAME   cpu, interp, cuda, or an architecture that needs no GPU here:
                  cuda:80 … cuda:90a [cpu]
  --num-warps=N, --num-stages=N, --no-fp-fusion
                  options of the launch
  --plain         without the kernel's lines beside the code
  -o FILE         writes to a file

  tesela show add.py:add --arg x=*fp32:16 --arg n=i32 -D BLOCK=1024 --stage=cpu
)";

static bool parseInt(const std::string &text, int &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// What is always there; machine code needs tools.
static std::vector<std::string> allStages(std::string_view device) {
  if (device == "cpu")
    return {"ast", "tile", "views", "cpu", "llvm", "asm"};
  if (device.starts_with("cuda"))
    return {"ast", "tile", "views", "gpu", "nvvm", "llvm", "ptx"};
  return {"ast", "tile"};
}

int runShow(CommandLine line) {
  std::string target, device = "cpu", output;
  std::vector<std::string> stages;
  ArgumentList arguments;
  LaunchOptions options;
  bool plain = false;
  while (!line.isDone()) {
    std::string problem;
    if (line.takeFlag("--help") || line.takeFlag("-h")) {
      std::cout << help;
      return Success;
    } else if (auto value = line.takeOption("--arg")) {
      problem = arguments.addTyped(*value);
    } else if (auto value = line.takeOption("-D")) {
      problem = arguments.addConstant(*value);
    } else if (auto value = line.takeOption("--stage")) {
      stages = splitList(*value);
    } else if (auto value = line.takeOption("--target")) {
      device = *value;
    } else if (auto value = line.takeOption("--num-warps")) {
      if (!parseInt(*value, options.numWarps))
        problem = "`" + *value + "` is not a number";
    } else if (auto value = line.takeOption("--num-stages")) {
      if (!parseInt(*value, options.numStages))
        problem = "`" + *value + "` is not a number";
    } else if (line.takeFlag("--no-fp-fusion")) {
      options.enableFpFusion = false;
    } else if (line.takeFlag("--plain")) {
      plain = true;
    } else if (auto value = line.takeOption("-o")) {
      output = *value;
    } else if (auto word = line.takeWord(); word && target.empty()) {
      target = *word;
    } else if (word) {
      problem = "one kernel at a time; `" + *word + "` is a second";
    } else {
      return line.failUnknown();
    }
    if (!problem.empty())
      return line.fail(problem);
  }
  size_t colon = target.rfind(':');
  if (target.empty() || colon == target.npos || colon + 1 == target.size())
    return line.fail("which kernel? FILE:KERNEL names one");
  if (stages.empty())
    stages = {"tile"};
  if (stages.size() == 1 && stages[0] == "all")
    stages = allStages(device);

  Result<Device> where = Device::named(device);
  if (!where) {
    std::cerr << where.error().text();
    return Usage;
  }
  Result<Module> module = Module::load(target.substr(0, colon));
  if (!module) {
    std::cerr << module.error().text();
    return Failure;
  }
  Result<Kernel> kernel = module->kernel(target.substr(colon + 1));
  if (!kernel) {
    std::cerr << kernel.error().text();
    return Failure;
  }
  std::string shown;
  for (const std::string &stage : stages) {
    Result<std::string> text =
        kernel->show(*where, stage, {}, arguments.arguments(), options, !plain);
    if (!text) {
      std::cerr << text.error().text();
      return Failure;
    }
    if (stages.size() > 1)
      shown += "==== " + stage + " ====\n";
    shown += *text;
    if (!text->ends_with('\n'))
      shown += "\n";
  }
  if (output.empty()) {
    std::cout << shown;
    return Success;
  }
  errno = 0;
  std::ofstream file(output);
  file << shown;
  file.close();
  if (file)
    return Success;
  std::cerr << "tesela show: cannot write `" << output
            << "`: " << std::strerror(errno) << "\n";
  return Failure;
}

} // namespace tesela::cli
