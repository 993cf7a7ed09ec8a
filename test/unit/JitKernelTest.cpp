//===- JitKernelTest.cpp - when code is compiled, kept and reused ---------===//
//
// Against a target that counts what it is asked for and whose code writes down
// its launches.
//
//===----------------------------------------------------------------------===//

#include "driver/JitKernel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tesela;
using namespace tesela::driver;
namespace fs = std::filesystem;

namespace {

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

struct Record {
  std::atomic<int> compiled = 0;
  std::atomic<int> compiledGeneral = 0;
  std::atomic<int> loaded = 0;
  std::atomic<int> ran = 0;
  std::atomic<int> ranGeneral = 0;
  bool fails = false;
  bool failsQuietly = false;
  bool accepts = true;
  std::vector<char> arguments;
  std::vector<int> grid;

  void clear() {
    compiled = compiledGeneral = loaded = ran = ranGeneral = 0;
    fails = failsQuietly = false;
    accepts = true;
  }
} record;

class RecordingCode final : public runtime::Code {
public:
  explicit RecordingCode(const Binary &binary)
      : bytes(binary.arguments.bytes), general(binary.precondition.empty()) {}
  runtime::RunOutcome run(const runtime::ExecutionContext &,
                          const runtime::LaunchFrame &frame,
                          runtime::RunError &) const override {
    if (!general && !record.accepts)
      return runtime::RunOutcome::NotAccepted;
    auto *begin = static_cast<const char *>(frame.arguments);
    record.arguments.assign(begin, begin + bytes);
    record.grid.assign(frame.grid, frame.grid + 3);
    ++(general ? record.ranGeneral : record.ran);
    return runtime::RunOutcome::Done;
  }

private:
  uint32_t bytes;
  bool general;
};

TargetFacts fakeFacts() {
  TargetFacts facts;
  facts.kind = "fake";
  return facts;
}

bool fakeCompile(mlir::ModuleOp module, const CompileOptions &options,
                 StageObserver, Binary &binary) {
  ++(options.general ? record.compiledGeneral : record.compiled);
  if (record.fails)
    module.walk([](mlir::Operation *op) {
      if (op->getName().getStringRef() == "tile.store")
        op->emitError("no room");
    });
  if (record.fails || record.failsQuietly)
    return false;
  binary.code = "code";
  if (!options.general)
    binary.precondition = "check";
  return true;
}

std::unique_ptr<runtime::Code> fakeLoad(const TargetRow &, const Binary &binary,
                                        runtime::RunError &) {
  ++record.loaded;
  return std::make_unique<RecordingCode>(binary);
}

const TargetRow fake = {
    {"fake", fakeFacts, fakeCompile}, fakeLoad, true, fakeFacts()};

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

/// Globals in a map. Its lock must be held wherever a name is asked for.
struct MapEnvironment final : Environment {
  std::map<std::string, Object> globals = {
      {"tl", {ModuleName{"triton.language"}}}};
  std::string warnings, printed;
  int locked = 1;
  int unlocks = 0;

  std::optional<Object> lookup(const std::string &name) override {
    EXPECT_EQ(locked, 1);
    auto found = globals.find(name);
    return found == globals.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<Object> attribute(const ModuleName &,
                                  const std::string &) override {
    return std::nullopt;
  }
  void unlock() override {
    --locked;
    ++unlocks;
  }
  void lock() override { ++locked; }
  void print(const std::string &text) override { printed += text; }
  void warn(const Message &warning) override { warnings += warning.rendered; }
};

std::shared_ptr<const Function>
makeFunction(const std::string &source,
             std::shared_ptr<Environment> environment,
             const std::string &name = "k") {
  auto function = std::make_shared<Function>();
  function->name = name;
  function->file = name + ".py";
  function->firstLine = 5;
  function->source = source;
  function->environment = std::move(environment);
  return function;
}

constexpr const char *scaleSource = "@triton.jit\n"
                                    "def k(out, n, BLOCK: tl.constexpr = 4):\n"
                                    "    i = tl.arange(0, BLOCK)\n"
                                    "    tl.store(out + i, i * SCALE, i < n)\n";

class JitKernelTest : public testing::Test {
protected:
  void SetUp() override {
    record.clear();
    char name[] = "/tmp/tesela-jit-XXXXXX";
    ASSERT_TRUE(mkdtemp(name));
    base = name;
    environment = std::make_shared<MapEnvironment>();
    environment->globals["SCALE"] = {Integer{3, {}}};
    restart();
  }
  void TearDown() override {
    EXPECT_EQ(environment->locked, 1);
    fs::remove_all(base);
  }

  /// As another process would find things.
  void restart(fs::path folder = {}) {
    kernel.reset();
    Options options;
    options.cacheDir = folder.empty() ? base / "cache" : folder;
    session = std::make_unique<Session>(options);
    kernel = make(scaleSource);
  }
  std::unique_ptr<JitKernel> make(const std::string &source) {
    Diagnostics errors;
    auto result =
        JitKernel::create(makeFunction(source, environment), *session, errors);
    EXPECT_TRUE(result) << errors.render();
    return result;
  }
  bool launch(std::vector<Argument> arguments, Grid grid = {},
              LaunchOptions options = {}) {
    diags = Diagnostics();
    return kernel->launch(fake, {&pool}, grid, {arguments, {}, options}, diags);
  }
  std::string origin() {
    std::vector<Argument> arguments = {out, 7};
    auto report = kernel->compile(fake, {arguments, {}, {}}, diags);
    return report ? report->origin : diags.render();
  }
  size_t files() {
    return size_t(std::distance(fs::directory_iterator(base / "cache"), {}));
  }

  fs::path base;
  std::shared_ptr<MapEnvironment> environment;
  std::unique_ptr<Session> session;
  std::unique_ptr<JitKernel> kernel;
  runtime::ThreadPool pool{1};
  Diagnostics diags;
  alignas(64) int32_t out[64] = {};
};

} // namespace

//===----------------------------------------------------------------------===//
// In memory
//===----------------------------------------------------------------------===//

TEST_F(JitKernelTest, CompilesOncePerSpecialisation) {
  ASSERT_TRUE(launch({out, 7})) << diags.render();
  EXPECT_TRUE(launch({out, 9}));
  EXPECT_EQ(record.compiled, 1);
  EXPECT_TRUE(launch({out, 32})); // a multiple of 16
  EXPECT_EQ(record.compiled, 2);
  EXPECT_TRUE(launch({out, 1})); // a constant
  EXPECT_EQ(record.compiled, 3);
  EXPECT_TRUE(launch({out, 7, 8})); // another block
  EXPECT_EQ(record.compiled, 4);
  EXPECT_TRUE(launch({out + 1, 7})); // another alignment
  EXPECT_EQ(record.compiled, 5);
  EXPECT_TRUE(launch({reinterpret_cast<float *>(out), 7}));
  EXPECT_EQ(record.compiled, 6);
  LaunchOptions options;
  options.numWarps = 8;
  EXPECT_TRUE(launch({out, 7}, {}, options));
  EXPECT_EQ(record.compiled, 7);
  EXPECT_TRUE(launch({out, 7}));
  EXPECT_EQ(record.compiled, 7);
  EXPECT_EQ(record.ran, 9);
}

TEST_F(JitKernelTest, PacksInTheLayoutOfTheAbi) {
  ASSERT_TRUE(launch({out, 7}, {2, 3, 4})) << diags.render();
  ASSERT_EQ(record.arguments.size(), 12u);
  void *pointer;
  int32_t n;
  std::memcpy(&pointer, record.arguments.data(), 8);
  std::memcpy(&n, record.arguments.data() + 8, 4);
  EXPECT_EQ(pointer, out);
  EXPECT_EQ(n, 7);
  EXPECT_EQ(record.grid, (std::vector<int>{2, 3, 4}));
}

TEST_F(JitKernelTest, AChangedGlobalNeverRunsStaleCode) {
  EXPECT_TRUE(launch({out, 7}));
  environment->globals["SCALE"] = {Integer{4, {}}};
  EXPECT_TRUE(launch({out, 7}));
  EXPECT_EQ(record.compiled, 2);
  // The same number as a float is another type.
  environment->globals["SCALE"] = {4.0};
  EXPECT_TRUE(launch({out, 7}));
  EXPECT_EQ(record.compiled, 3);
  // And back to what there is.
  environment->globals["SCALE"] = {Integer{3, {}}};
  EXPECT_TRUE(launch({out, 7}));
  EXPECT_EQ(record.compiled, 3);
  environment->globals.erase("SCALE");
  EXPECT_FALSE(launch({out, 7}));
  EXPECT_EQ(diags.all()[0].id, DiagId::UndefinedName);
}

TEST_F(JitKernelTest, AChangedCalleeOrItsGlobalNeverRunsStaleCode) {
  auto inner = std::make_shared<MapEnvironment>();
  inner->globals["BIAS"] = {Integer{1, {}}};
  const char *text = "@triton.jit\ndef f(x):\n    return x + BIAS\n";
  environment->globals["f"] = {makeFunction(text, inner, "f")};
  kernel = make("@triton.jit\ndef k(out, n):\n    tl.store(out, f(n))\n");
  ASSERT_TRUE(launch({out, 7})) << diags.render();
  EXPECT_TRUE(launch({out, 7}));
  EXPECT_EQ(record.compiled, 1);
  inner->globals["BIAS"] = {Integer{2, {}}};
  EXPECT_TRUE(launch({out, 7}));
  EXPECT_EQ(record.compiled, 2);
  environment->globals["f"] = {makeFunction(
      "@triton.jit\ndef f(x):\n    return x - BIAS\n", inner, "f")};
  EXPECT_TRUE(launch({out, 7}));
  EXPECT_EQ(record.compiled, 3);
}

TEST_F(JitKernelTest, TakesTheGeneralCodeWhereThePreconditionSaysNo) {
  record.accepts = false;
  ASSERT_TRUE(launch({out, 7})) << diags.render();
  EXPECT_TRUE(launch({out, 9}));
  EXPECT_EQ(record.compiled, 1);
  EXPECT_EQ(record.compiledGeneral, 1);
  EXPECT_EQ(record.ran, 0);
  EXPECT_EQ(record.ranGeneral, 2);
  record.accepts = true;
  EXPECT_TRUE(launch({out, 9}));
  EXPECT_EQ(record.ran, 1);
}

TEST_F(JitKernelTest, ThreadsWaitForOneCompilation) {
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  // One environment each would need a lock; this one is only read.
  kernel = make("@triton.jit\ndef k(out, n):\n    pass\n");
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      std::vector<Argument> arguments = {out, 7};
      Diagnostics own;
      good += kernel->launch(fake, {&pool}, {}, {arguments, {}, {}}, own);
    });
  for (std::thread &thread : threads)
    thread.join();
  environment->locked = 1;
  EXPECT_EQ(good, 8);
  EXPECT_EQ(record.compiled, 1);
}

//===----------------------------------------------------------------------===//
// On disk
//===----------------------------------------------------------------------===//

TEST_F(JitKernelTest, AnotherProcessFindsTheCode) {
  EXPECT_EQ(origin(), "compiler");
  EXPECT_EQ(origin(), "memory");
  EXPECT_EQ(files(), 2u);
  restart();
  EXPECT_EQ(origin(), "disk");
  EXPECT_EQ(record.compiled, 1);
  EXPECT_TRUE(launch({out, 9})) << diags.render();
  EXPECT_EQ(record.ran, 1);
}

TEST_F(JitKernelTest, TheDiskKeepsCodeForEachValueOfAGlobal) {
  EXPECT_EQ(origin(), "compiler");
  environment->globals["SCALE"] = {Integer{5, {}}};
  restart();
  EXPECT_EQ(origin(), "compiler");
  restart();
  EXPECT_EQ(origin(), "disk");
  environment->globals["SCALE"] = {Integer{3, {}}};
  restart();
  EXPECT_EQ(origin(), "disk");
  environment->globals["SCALE"] = {Integer{6, {}}};
  restart();
  EXPECT_EQ(origin(), "compiler");
}

TEST_F(JitKernelTest, DamagedEntriesAreCompiledAgain) {
  EXPECT_EQ(origin(), "compiler");
  int round = 1;
  for (const char *damage : {"", "garbage"})
    for (size_t which = 0; which < 2; ++which) {
      std::vector<fs::path> entries;
      for (const auto &entry : fs::directory_iterator(base / "cache"))
        entries.push_back(entry.path());
      ASSERT_EQ(entries.size(), 2u);
      std::sort(entries.begin(), entries.end());
      std::ofstream(entries[which]) << damage;
      restart();
      EXPECT_EQ(origin(), "compiler");
      EXPECT_EQ(record.compiled, ++round);
      restart();
      EXPECT_EQ(origin(), "disk");
    }
}

TEST_F(JitKernelTest, GeneralCodeIsKeptToo) {
  record.accepts = false;
  EXPECT_TRUE(launch({out, 7}));
  restart();
  EXPECT_TRUE(launch({out, 7}));
  EXPECT_EQ(record.compiledGeneral, 1);
  EXPECT_EQ(record.ranGeneral, 2);
}

TEST_F(JitKernelTest, AnUnusableFolderIsWarnedOfOnce) {
  std::ofstream(base / "file") << "";
  restart(base / "file" / "cache");
  EXPECT_TRUE(launch({out, 7}));
  std::string warnings = diags.render();
  EXPECT_EQ(warnings.find("warning: machine code is not kept in"), 0u)
      << warnings;
  EXPECT_EQ(warnings.find("warning", 1), std::string::npos);
  EXPECT_TRUE(launch({out, 16}));
  EXPECT_EQ(record.compiled, 2);
  EXPECT_EQ(diags.render(), "");
}

TEST_F(JitKernelTest, SixteenProcessesCompileAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 16; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      restart();
      bool good = launch({out, 7}) && launch({out, 16});
      _exit(good && record.ran == 2 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files(), 4u);
  restart();
  EXPECT_EQ(origin(), "disk");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(JitKernelTest, AnErrorOfAPassNamesTheLine) {
  record.fails = true;
  EXPECT_FALSE(launch({out, 7}));
  EXPECT_EQ(diags.render(),
            "k.py:8:5: error: the target `fake` cannot compile this: no room "
            "[unsupported]\n"
            "        tl.store(out + i, i * SCALE, i < n)\n"
            "        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
  record.fails = false;
  EXPECT_TRUE(launch({out, 7}));
}

TEST_F(JitKernelTest, AnErrorInACalleeNotesTheCall) {
  environment->globals["f"] = {makeFunction(
      "@triton.jit\ndef f(p):\n    tl.store(p, 1)\n", environment, "f")};
  kernel = make("@triton.jit\ndef k(out):\n    f(out)\n");
  record.fails = true;
  EXPECT_FALSE(launch({out}));
  EXPECT_EQ(diags.render(),
            "f.py:7:5: error: the target `fake` cannot compile this: no room "
            "[unsupported]\n"
            "        tl.store(p, 1)\n"
            "        ^~~~~~~~~~~~~~\n"
            "k.py:7:5: note: in the call here\n"
            "        f(out)\n"
            "        ^~~~~~\n");
  environment->globals.erase("f");
}

TEST_F(JitKernelTest, AFailureWithoutAReasonNamesTheKernel) {
  record.failsQuietly = true;
  EXPECT_FALSE(launch({out, 7}));
  EXPECT_EQ(diags.render(),
            "k.py:6:5: error: the target `fake` cannot compile `k` "
            "[unsupported]\n"
            "    def k(out, n, BLOCK: tl.constexpr = 4):\n"
            "        ^\n");
}

TEST_F(JitKernelTest, ARefusedLaunchPointsAtTheParameter) {
  EXPECT_FALSE(launch({out}));
  EXPECT_EQ(diags.render(), "k.py:6:12: error: `k` needs an argument for `n` "
                            "[argument-missing]\n"
                            "    def k(out, n, BLOCK: tl.constexpr = 4):\n"
                            "               ^\n");
  EXPECT_FALSE(launch({static_cast<const int32_t *>(out), 7}));
  EXPECT_EQ(diags.all()[0].id, DiagId::ReadOnlyArgument);
  EXPECT_EQ(diags.all()[0].location.col, 6);
  EXPECT_EQ(record.ran, 0);
}

TEST_F(JitKernelTest, ARefusedLaunchWithoutAParameterPointsAtTheKernel) {
  EXPECT_FALSE(launch({out, 7, 4, 5}));
  EXPECT_EQ(diags.render(),
            "k.py:6:5: error: 4 positional arguments given to `k`, which has 3 "
            "parameters [argument-count]\n"
            "    def k(out, n, BLOCK: tl.constexpr = 4):\n"
            "        ^\n");
}

TEST_F(JitKernelTest, ANullPointerIsRefused) {
  EXPECT_FALSE(launch({static_cast<int32_t *>(nullptr), 7}));
  EXPECT_EQ(diags.render(),
            "k.py:6:7: error: argument `out` of `k` is a null pointer "
            "[null-pointer]\n"
            "    def k(out, n, BLOCK: tl.constexpr = 4):\n"
            "          ^~~\n");
  EXPECT_EQ(record.ran, 0);
}

TEST_F(JitKernelTest, PrintsWhatTheKernelPrintsWhileCompiling) {
  kernel = make("@triton.jit\ndef k(out):\n    tl.static_print('hello')\n");
  ASSERT_TRUE(launch({out})) << diags.render();
  EXPECT_EQ(environment->printed, "hello\n");
}
