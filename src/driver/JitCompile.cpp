//===- JitCompile.cpp - code for a launch that has none yet ---------------===//
//
// From the disk cache, or from the compiler. Names are looked up with the
// environment's lock held; everything else is done without it.
//
//===----------------------------------------------------------------------===//

#include "driver/Archive.h"
#include "driver/BuildId.h"
#include "driver/JitCall.h"
#include "driver/JitKernel.h"
#include "driver/Manifest.h"
#include "driver/Sass.h"
#include "driver/ShowAst.h"
#include "emit/ParsedFunction.h"
#include "syntax/Dump.h"

#include <chrono>
#include <filesystem>
#include <fstream>

namespace tesela::driver {

/// A binary that is ready to run, and what it depends on.
struct JitKernel::Loaded {
  Binary binary;
  std::vector<emit::Capture> captures;
  std::unique_ptr<runtime::Code> code;
};

static CompileOptions compileOptions(const TargetRow &row,
                                     const LaunchOptions &options,
                                     bool general) {
  CompileOptions result;
  result.facts = row.facts;
  result.facts.fpFusion = options.enableFpFusion;
  result.general = general;
  result.numWarps = options.numWarps;
  result.numStages = options.numStages;
  return result;
}

std::string JitKernel::settings(const TargetRow &row,
                                const CompileOptions &options) const {
  const TargetFacts &facts = options.facts;
  std::string result = buildId() + "\n" + row.target.name + "\n" + facts.kind +
                       "\n" + facts.triple + "\n" + facts.processor + "\n" +
                       facts.features + "\n" + session.options.key() + "\n";
  for (unsigned number :
       {facts.vectorBytes, facts.vectorRegisters, facts.warpSize,
        unsigned(facts.fpFusion), unsigned(options.general)})
    result += std::to_string(number) + " ";
  return result;
}

//===----------------------------------------------------------------------===//
// The disk
//===----------------------------------------------------------------------===//

/// A kernel that is given many different globals leaves no more than this.
static constexpr size_t maxManifests = 16;

std::optional<JitKernel::Loaded>
JitKernel::fromDisk(const TargetRow &row, const emit::Request &request,
                    const std::string &key) {
  std::vector<Manifest> manifests;
  {
    Unlocked unlocked(*function);
    if (std::optional<std::string> bytes = session.cache.read(key))
      manifests = decodeManifests(*bytes);
  }
  for (const Manifest &manifest : manifests) {
    std::optional<std::vector<emit::Capture>> captures =
        manifest.replay(request);
    if (!captures)
      continue;
    Unlocked unlocked(*function);
    std::optional<std::string> bytes =
        session.cache.read(manifest.binaryKey(key));
    std::optional<Binary> binary = bytes ? decodeBinary(*bytes) : std::nullopt;
    if (!binary)
      continue;
    runtime::RunError error;
    std::unique_ptr<runtime::Code> code = row.load(row, *binary, error);
    if (code)
      return Loaded{std::move(*binary), std::move(*captures), std::move(code)};
  }
  return std::nullopt;
}

void JitKernel::toDisk(const emit::Request &request, const std::string &key,
                       const std::vector<emit::Capture> &captures,
                       const Binary &binary) {
  if (!session.cache.isEnabled())
    return;
  std::optional<Manifest> manifest = Manifest::of(request, captures);
  if (!manifest)
    return;
  std::string binaryKey = manifest->binaryKey(key);
  session.cache.write(binaryKey, encodeBinary(binary));
  // Another process may add its own at the same time; what gets lost is
  // compiled again.
  std::vector<Manifest> manifests = {std::move(*manifest)};
  if (std::optional<std::string> bytes = session.cache.read(key))
    for (Manifest &old : decodeManifests(*bytes))
      if (manifests.size() < maxManifests && old.binaryKey(key) != binaryKey)
        manifests.push_back(std::move(old));
  session.cache.write(key, encodeManifests(manifests));
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

StageSink JitKernel::dumpSink(const std::string &key) const {
  if (session.options.dumpDir.empty())
    return nullptr;
  namespace fs = std::filesystem;
  fs::path folder = fs::path(session.options.dumpDir) /
                    (rules.name + "-" + key.substr(0, 12));
  return [folder, &session = session,
          number = 0](const std::string &stage,
                      const std::function<std::string()> &print) mutable {
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    const char *extension = stage == "llvm"  ? ".ll"
                            : stage == "asm" ? ".s"
                            : stage == "ptx" ? ".ptx"
                                             : ".mlir";
    std::ofstream file(folder /
                       (std::to_string(number++) + "-" + stage + extension));
    file << print();
    file.close();
    if (!file)
      session.warn("`TESELA_DUMP_DIR` is `" + session.options.dumpDir +
                   "`, where nothing can be written");
  };
}

std::optional<JitKernel::Loaded>
JitKernel::obtain(const TargetRow &row, const emit::Request &request,
                  const CompileOptions &options, CompileReport &report,
                  Diagnostics &diags) {
  Environment *environment = function->environment.get();
  std::string key = firstKey(request, settings(row, options));
  // A dump shows what the compiler does, so that it has to run.
  StageSink dump = dumpSink(key);
  if (row.cached && !dump)
    if (std::optional<Loaded> found = fromDisk(row, request, key)) {
      report.origin = "disk";
      report.codeBytes = found->binary.code.size();
      report.sharedBytes = found->binary.gpu.sharedBytes;
      report.scratchBytes = found->binary.scratchBytes;
      session.takeWarnings(diags);
      return found;
    }

  Compilation compilation(row, request, diags);
  if (!compilation.emit())
    return std::nullopt;
  if (environment && !compilation.printed().empty())
    environment->print(compilation.printed());
  Loaded loaded;
  loaded.captures = compilation.captures();
  {
    Unlocked unlocked(*function);
    if (!compilation.generate(options, dump, /*sourceLines=*/true,
                              loaded.binary))
      return std::nullopt;
    auto begin = std::chrono::steady_clock::now();
    runtime::RunError error;
    loaded.code = row.load(row, loaded.binary, error);
    report.origin = "compiler";
    report.stages = compilation.stages();
    report.stages.push_back(
        {"load",
         std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
             .count()});
    report.codeBytes = loaded.binary.code.size();
    report.sharedBytes = loaded.binary.gpu.sharedBytes;
    report.scratchBytes = loaded.binary.scratchBytes;
    if (!loaded.code) {
      refuse("cannot be loaded", error, diags);
      return std::nullopt;
    }
    if (row.cached)
      toDisk(request, key, loaded.captures, loaded.binary);
  }
  session.takeWarnings(diags);
  return loaded;
}

static runtime::PackPlan packPlan(const emit::Request &request,
                                  const Binary &binary) {
  runtime::PackPlan plan;
  plan.bytes = binary.arguments.bytes;
  for (size_t i = 0; i < request.parameters.size(); ++i) {
    if (request.parameters[i].kind == emit::Specialised::Kind::Constant)
      continue;
    size_t index = plan.slots.size();
    if (index >= binary.arguments.slots.size())
      break;
    const ArgumentSlot &slot = binary.arguments.slots[index];
    bool written = index < binary.written.size() && binary.written[index];
    bool isStep = index < binary.steps.size() && binary.steps[index];
    uint8_t bytes = slot.isPointer ? 8 : uint8_t(byteWidth(slot.dtype));
    plan.slots.push_back({uint32_t(i), slot.offset, slot.dtype, bytes,
                          slot.isPointer, written, isStep});
  }
  return plan;
}

runtime::Variant *
JitKernel::compileVariant(runtime::Specialisation &specialisation,
                          const TargetRow &row, const emit::Request &request,
                          const LaunchOptions &options, CompileReport &report,
                          Diagnostics &diags) {
  // Never waits with the environment's lock held, which the holder of this one
  // may need.
  std::unique_lock<std::mutex> compiling;
  {
    Unlocked unlocked(*function);
    compiling = std::unique_lock(specialisation.compiling);
  }
  if (runtime::Variant *found = specialisation.find())
    return found;
  std::optional<Loaded> loaded =
      obtain(row, request, compileOptions(row, options, false), report, diags);
  if (!loaded)
    return nullptr;
  auto variant = std::make_unique<runtime::Variant>();
  variant->plan = packPlan(request, loaded->binary);
  variant->fast = std::move(loaded->code);
  for (emit::Capture &capture : loaded->captures)
    variant->captures.push_back(std::make_unique<runtime::CapturedName>(
        capture.function, capture.module, capture.name, capture.value));
  runtime::Variant *result = variant.get();
  specialisation.add(std::move(variant));
  return result;
}

const runtime::Code *
JitKernel::compileGeneral(runtime::Specialisation &specialisation,
                          runtime::Variant &variant, const TargetRow &row,
                          const emit::Request &request,
                          const LaunchOptions &options, Diagnostics &diags) {
  std::unique_lock<std::mutex> compiling;
  {
    Unlocked unlocked(*function);
    compiling = std::unique_lock(specialisation.compiling);
  }
  if (const runtime::Code *code = variant.general.load())
    return code;
  CompileReport report;
  std::optional<Loaded> loaded =
      obtain(row, request, compileOptions(row, options, true), report, diags);
  if (!loaded)
    return nullptr;
  variant.generalOwner = std::move(loaded->code);
  variant.general.store(variant.generalOwner.get(), std::memory_order_release);
  return variant.generalOwner.get();
}

//===----------------------------------------------------------------------===//
// Showing stages
//===----------------------------------------------------------------------===//

/// The names that `show` takes, in order.
static llvm::ArrayRef<const char *> stagesOf(const TargetRow &row) {
  static constexpr const char *host[] = {"ast", "tile", "views",
                                         "cpu", "llvm", "asm"};
  static constexpr const char *gpu[] = {"ast",  "tile", "views", "gpu",
                                        "nvvm", "llvm", "ptx",   "sass"};
  if (row.facts.kind == "cuda")
    return gpu;
  return row.facts.kind == "interp" ? llvm::ArrayRef(host).take_front(2)
                                    : llvm::ArrayRef(host);
}

std::optional<std::string> JitKernel::show(const TargetRow &row,
                                           std::string_view stage,
                                           const CallArguments &call,
                                           bool sourceLines,
                                           Diagnostics &diags) {
  if (!llvm::is_contained(stagesOf(row), stage)) {
    std::string names;
    for (const char *name : stagesOf(row))
      names += std::string(names.empty() ? "`" : ", `") + name + "`";
    refuse({DiagId::UnknownStage, -1,
            "the target `" + row.name + "` has no stage `" +
                std::string(stage) + "`; stages are " + names},
           diags);
    return std::nullopt;
  }
  if (stage == "ast") {
    std::unique_ptr<emit::ParsedFunction> parsed =
        emit::parseFunction(function, diags);
    if (!parsed)
      return std::nullopt;
    syntax::DumpOptions options;
    options.spans = false;
    return breakLines(syntax::dump(*parsed->module, options));
  }
  BoundCall bound;
  if (!bind(row, call, bound, diags))
    return std::nullopt;
  emit::Request wanted = request(bound.key, bound.arguments, call.options);
  Compilation compilation(row, wanted, diags);
  if (!compilation.emit())
    return std::nullopt;
  std::optional<std::string> text;
  Binary binary;
  bool done;
  {
    Unlocked unlocked(*function);
    auto keep = [&](const std::string &name,
                    const std::function<std::string()> &print) {
      if (name == stage)
        text = print();
    };
    done = compilation.generate(compileOptions(row, call.options, false), keep,
                                sourceLines, binary);
    if (done && stage == "sass" && row.facts.kind == "cuda") {
      runtime::RunError error;
      text = disassemble(binary.code, row.facts.processor, error.text);
      if (!text) {
        refuse("cannot be shown", error, diags);
        return std::nullopt;
      }
    }
  }
  session.takeWarnings(diags);
  // A stage that was reached is shown, whatever happens later.
  if (text)
    diags.dropErrors();
  else if (done)
    refuse("cannot be shown",
           {DiagId::UnknownStage,
            "the stage `" + std::string(stage) + "` was not reached"},
           diags);
  return text;
}

} // namespace tesela::driver
