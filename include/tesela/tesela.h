//===- tesela.h - load, specialise and launch kernels from C++ ------------===//
//
//   auto module = tesela::Module::load("add.py");
//   auto add = module->kernel("add_kernel");
//   auto done = add->launch(tesela::Device::cpu(), {blocks},
//                           {x, y, out, n}, {{"BLOCK", 1024}});
//   if (!done)
//     std::cerr << done.error().text();
//
// Nothing throws, and no call aborts: what can fail returns a `Result`. Using
// the value of one that failed prints the error and ends the process, as
// `module->` above does where there is no such file.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TESELA_H
#define TESELA_TESELA_H

#include "tesela/arguments.h"
#include "tesela/environment.h"
#include "tesela/result.h"
#include "tesela/types.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tesela {

namespace detail {
struct BufferState;
struct DeviceState;
struct EventState;
struct KernelState;
struct ModuleState;
} // namespace detail

inline namespace v1 {

/// The version of the library: "0.1.0".
TESELA_API const char *version();

class Buffer;
class Event;

/// Where kernels run. Cheap to copy.
class TESELA_API Device {
public:
  /// The host's CPU. `threads` is how many run one launch; 0 takes
  /// `TESELA_NUM_THREADS` or else one for each core that the process may use.
  /// Devices of as many threads share them.
  static Device cpu(int threads = 0);

  /// The reference evaluator: runs any kernel on the host, slowly and by the
  /// book. What tests compare with.
  static Device reference();

  /// A GPU of NVIDIA, through its primary context: the one of CUDA's runtime
  /// and of PyTorch. Pointers are those of its memory, and launches are queued
  /// on the stream that `LaunchOptions` names. Fails where there is no driver
  /// or no such GPU.
  static Result<Device> cuda(int ordinal = 0);

  /// By the name that the command line uses: "cpu", "interp", "cuda", "cuda:1".
  /// "cuda:80" up to "cuda:90a" are architectures: they are compiled for, need
  /// no GPU, and launch nothing.
  static Result<Device> named(std::string_view name);

  /// How many GPUs NVIDIA's driver finds; 0 without a driver.
  static int cudaCount();

  /// "cpu", "interp", "cuda:0", "cuda:90a".
  std::string_view name() const;
  /// The number of the GPU; -1 for any other device.
  int ordinal() const;

  /// Waits until all that was queued on the device is done. What went wrong in
  /// a kernel meanwhile is reported here, or by any other later call.
  Result<Done> synchronize() const;

  /// A mark in the stream (of a GPU, see `LaunchOptions`), or of now (of a
  /// CPU).
  Result<Event> record(void *stream = nullptr) const;

  /// Memory of the device, aligned to 64 bytes or more. Its contents are
  /// undefined.
  Result<Buffer> allocate(size_t bytes) const;

  explicit Device(std::shared_ptr<detail::DeviceState> state);
  const std::shared_ptr<detail::DeviceState> &impl() const { return state; }

private:
  std::shared_ptr<detail::DeviceState> state;
};

/// Memory of a device, given back when the last copy of the handle goes.
class TESELA_API Buffer {
public:
  /// An address on the device.
  void *data() const;
  size_t bytes() const;

  /// Copy to and from the host's memory, after all that was queued before; they
  /// return when done.
  Result<Done> write(const void *from, size_t bytes, size_t offset = 0) const;
  Result<Done> read(void *to, size_t bytes, size_t offset = 0) const;

  explicit Buffer(std::shared_ptr<detail::BufferState> state);

private:
  std::shared_ptr<detail::BufferState> state;
};

/// A point in time of a device. Cheap to copy.
class TESELA_API Event {
public:
  /// Milliseconds from an earlier event of the same device to this one; waits
  /// until both have been reached.
  Result<double> since(const Event &earlier) const;

  explicit Event(std::shared_ptr<detail::EventState> state);

private:
  std::shared_ptr<detail::EventState> state;
};

/// A parameter as the kernel declares it.
struct Parameter {
  std::string name;
  bool isConstexpr = false;
  /// What it is where it is not given.
  std::optional<Object> defaultValue;
  /// The type that an annotation such as `n: tl.int64` fixes for a scalar.
  std::optional<DType> type;
};

/// What the text of a jit function says without being compiled, for tools that
/// know nothing of its arguments.
struct Outline {
  /// The name of each parameter and what a launch is likely to give for it,
  /// judged by its name and its uses: "*fp32", "i32", or the value of a
  /// constexpr: "64", "True".
  std::vector<std::pair<std::string, std::string>> likelyArguments;
  /// The plain names that it calls, jit functions among them.
  std::vector<std::string> calls;
  /// It returns something, as a kernel does not.
  bool returnsValue = false;
};

/// The lines of the function that `text` begins with, decorators and all: what
/// `Function::source` holds. It may be indented.
TESELA_API std::string functionLines(const std::string &text);

/// Where the machine code of a specialisation came from, and what it cost.
struct CompileReport {
  struct Stage {
    std::string name;
    double seconds = 0;
  };
  /// "memory", "disk" or "compiler".
  std::string origin;
  /// In order, where the compiler ran: "emit", "tile", "cpu", "llvm", "load" …
  std::vector<Stage> stages;
  size_t codeBytes = 0;
  /// Shared memory of a block (GPU); 0 where the code was in memory already.
  size_t sharedBytes = 0;
  /// Scratch memory of a thread (CPU); 0 where the code was in memory already.
  size_t scratchBytes = 0;
  /// What the compiler found odd, each once a kernel. `launch` and `show` give
  /// it to the `Environment` instead.
  std::vector<Message> warnings;
};

/// A jit function that can be launched. Cheap to copy; safe to use from several
/// threads.
///
/// Arguments are given as in a Python call: positional ones first, in the order
/// of the parameters, constants included; the others by name; a parameter with
/// a default may be left out.
class TESELA_API Kernel {
public:
  const std::string &name() const;
  const std::vector<Parameter> &parameters() const;
  Result<Outline> outline() const;

  /// Runs the kernel once for each point of `grid`. Compiles on first use.
  /// Returns when all are done; on a GPU as soon as they are queued, and what
  /// the arguments point at has to live until they are done. Where it fails,
  /// nothing has been written. A launch whose specialisation is compiled
  /// already allocates nothing.
  Result<Done> launch(const Device &device, const Grid &grid,
                      std::span<const Argument> arguments,
                      std::span<const NamedArgument> named = {},
                      const LaunchOptions &options = {}) const;
  Result<Done> launch(const Device &device, const Grid &grid,
                      std::initializer_list<Argument> arguments,
                      std::initializer_list<NamedArgument> named = {},
                      const LaunchOptions &options = {}) const;

  /// Compiles ahead of a launch with such arguments: their types, constants
  /// and properties alone matter, and pointers are not read.
  Result<CompileReport> compile(const Device &device,
                                std::span<const Argument> arguments,
                                std::span<const NamedArgument> named = {},
                                const LaunchOptions &options = {}) const;

  /// The text after a stage: "ast", "tile", "views"; for a CPU "cpu", "llvm" or
  /// "asm"; for a GPU "gpu", "nvvm", "llvm", "ptx" or "sass".
  /// Always compiles. With `sourceLines`, comments name the lines of the
  /// kernel that tile, views and cpu code comes from.
  Result<std::string> show(const Device &device, std::string_view stage,
                           std::span<const Argument> arguments,
                           std::span<const NamedArgument> named = {},
                           const LaunchOptions &options = {},
                           bool sourceLines = false) const;

  /// A kernel of a function that is known already: what the Python package has.
  static Result<Kernel> create(std::shared_ptr<const Function> function);

  explicit Kernel(std::shared_ptr<detail::KernelState> state);
  const std::shared_ptr<detail::KernelState> &impl() const { return state; }

private:
  std::shared_ptr<detail::KernelState> state;
};

/// A file of kernels.
class TESELA_API Module {
public:
  /// Reads a Python file. Its imports of `triton`, `triton.language` and of
  /// sibling files, its constants and its jit functions are what kernels see;
  /// nothing else in it is executed.
  static Result<Module> load(const std::string &path);
  /// The same of a text; `name` is what diagnostics print, and where sibling
  /// files are looked for.
  static Result<Module> parse(const std::string &name,
                              const std::string &source);

  /// The names of its jit functions, in order.
  const std::vector<std::string> &kernels() const;
  Result<Kernel> kernel(const std::string &name) const;

  explicit Module(std::shared_ptr<detail::ModuleState> state);

private:
  std::shared_ptr<detail::ModuleState> state;
};

} // namespace v1
} // namespace tesela

#endif // TESELA_TESELA_H
