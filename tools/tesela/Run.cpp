//===- Run.cpp - tesela run: kernels with expected numbers ----------------===//

#include "ArgumentText.h"
#include "CommandLine.h"
#include "RunFile.h"

#include <cmath>
#include <cstring>
#include <iostream>
#include <map>

namespace tesela::cli {

static constexpr const char *help = R"(usage: tesela run FILE… [options]

Runs the kernels of files as their comments say, on every target, and checks
what comes out:

  # run:    add[grid=4](x=f32[1000]:iota, y=f32[1000]:2, out=f32[1024]:-1,
  #                     n=1000, BLOCK=256)
  # expect: out[0:4]      == 2 3 4 5
  # expect: out[998:1002] == 1000 1001 -1 -1

A buffer is TYPE[SHAPE]:FORMULA, where a formula has numbers, iota, row, col,
random and + - * / // %; `const` before it makes it read-only. After a run
`ulp=N` is how far apart the floats of two targets may be, after an expectation
`ulp=N` or `tol=X` how far from the values. `expect: error ID` asks for a launch
that is refused. What a kernel writes outside its buffers is an error.

  --target=NAMES  devices, with commas: interp, cpu, cuda, cuda:1 [interp,cpu]
  --quiet         prints failures alone
)";

namespace {

/// Memory with a fence on both sides.
class Fenced {
public:
  explicit Fenced(const RunArgument &spec)
      : dtype(spec.dtype.value_or(DType::Float32)), count(spec.size()),
        bytes(count * byteWidth(dtype)), memory(bytes + 2 * fence + 64, mark) {
    uintptr_t address = reinterpret_cast<uintptr_t>(memory.data()) + fence;
    data = memory.data() + fence + (64 - address % 64) % 64;
    for (uint64_t i = 0; i < count; ++i)
      storeElement(dtype, at(i), spec.contents.at(i, spec.columns()));
  }
  Fenced(const Fenced &) = delete;

  unsigned char *at(uint64_t i) const { return data + i * byteWidth(dtype); }

  bool isFenceIntact() const {
    for (const unsigned char *p = memory.data(); p < data; ++p)
      if (*p != mark)
        return false;
    for (const unsigned char *p = data + bytes;
         p < memory.data() + memory.size(); ++p)
      if (*p != mark)
        return false;
    return true;
  }

  /// Puts a copy of it, fences included, in the memory of a device that does
  /// not reach the host's; gives where its elements are for a launch.
  Result<void *> place(const Device &device) {
    if (device.ordinal() < 0)
      return static_cast<void *>(data);
    Result<tesela::Buffer> buffer = device.allocate(bytes + 2 * fence);
    if (!buffer)
      return buffer.error();
    copy = *buffer;
    Result<Done> done = copy->write(data - fence, copy->bytes());
    if (!done)
      return done.error();
    return static_cast<void *>(static_cast<char *>(copy->data()) + fence);
  }
  /// Takes back what was put there.
  Result<Done> fetch() {
    return copy ? copy->read(data - fence, copy->bytes()) : Done();
  }

  DType dtype;
  uint64_t count;
  uint64_t bytes;

private:
  static constexpr size_t fence = 256;
  static constexpr unsigned char mark = 0xA5;
  std::vector<unsigned char> memory;
  unsigned char *data;
  std::optional<tesela::Buffer> copy;
};

using Buffers = std::map<std::string, std::unique_ptr<Fenced>>;

/// Runs the lines of one file.
class FileRunner {
public:
  FileRunner(const RunFile &file, const Module &module,
             const std::vector<Device> &devices)
      : file(file), module(module), devices(devices) {}

  bool run(const RunLine &line);

private:
  bool runOn(const RunLine &line, const Kernel &kernel, const Device &device,
             Buffers &buffers);
  bool check(const RunLine &line, const Expectation &expectation,
             const Device &device, const Buffers &buffers);
  bool compare(const RunLine &line, const Buffers &one, const Buffers &other);
  bool fail(int line, const std::string &message) {
    std::cout << file.path << ":" << line << ": " << message << "\n";
    return false;
  }

  const RunFile &file;
  const Module &module;
  const std::vector<Device> &devices;
};

} // namespace

/// The error that the run must end in; empty where it must succeed.
static std::string expectedError(const RunLine &line) {
  for (const Expectation &expectation : line.expectations)
    if (!expectation.error.empty())
      return expectation.error;
  return "";
}

bool FileRunner::runOn(const RunLine &line, const Kernel &kernel,
                       const Device &device, Buffers &buffers) {
  ArgumentList list;
  for (const RunArgument &argument : line.arguments) {
    if (!argument.isBuffer) {
      Argument scalar(argument.value);
      // A typed scalar must be plain for its type to count.
      if (argument.dtype) {
        if (auto *whole = std::get_if<Integer>(&argument.value.value))
          scalar = Argument(whole->small);
        else if (auto *number = std::get_if<double>(&argument.value.value))
          scalar = Argument(*number);
        else if (auto *flag = std::get_if<bool>(&argument.value.value))
          scalar = Argument(*flag);
        scalar.dtype = argument.dtype;
      }
      list.add(argument.name, scalar);
      continue;
    }
    auto &buffer = buffers[argument.name];
    buffer = std::make_unique<Fenced>(argument);
    Result<void *> place = buffer->place(device);
    if (!place)
      return fail(line.line, place.error().text());
    Argument pointer(*place, buffer->dtype, buffer->bytes);
    pointer.readOnly = argument.readOnly;
    list.add(argument.name, pointer);
  }
  Result<Done> done =
      kernel.launch(device, line.grid, {}, list.arguments(), line.options);
  if (done)
    for (auto &[name, buffer] : buffers)
      if (done)
        done = buffer->fetch();
  std::string wanted = expectedError(line);
  std::string where = " (" + std::string(device.name()) + ")";
  if (!done) {
    if (wanted == done.error().messages[0].id)
      return true;
    return fail(line.line, "`" + line.kernel + "` fails" + where + ":\n" +
                               done.error().text());
  }
  if (!wanted.empty())
    return fail(line.line, "`" + line.kernel + "` succeeds, but error `" +
                               wanted + "` was expected" + where);
  for (const auto &[name, buffer] : buffers)
    if (!buffer->isFenceIntact())
      return fail(line.line, "`" + line.kernel + "` writes outside `" + name +
                                 "`" + where);
  return true;
}

bool FileRunner::check(const RunLine &line, const Expectation &expectation,
                       const Device &device, const Buffers &buffers) {
  if (!expectation.error.empty())
    return true;
  const RunArgument *spec = nullptr;
  for (const RunArgument &argument : line.arguments)
    if (argument.isBuffer && argument.name == expectation.buffer)
      spec = &argument;
  if (!spec)
    return fail(expectation.line,
                "the run has no buffer `" + expectation.buffer + "`");
  const Fenced &buffer = *buffers.at(expectation.buffer);
  std::vector<std::pair<uint64_t, uint64_t>> ranges = expectation.ranges;
  if (ranges.empty())
    for (uint64_t extent : spec->shape)
      ranges.push_back({0, extent});
  // One range for a buffer of several axes counts through all of it.
  std::vector<uint64_t> shape = spec->shape;
  if (ranges.size() == 1)
    shape = {buffer.count};
  if (ranges.size() != shape.size())
    return fail(expectation.line, "`" + expectation.buffer + "` has " +
                                      std::to_string(shape.size()) + " axes");
  for (size_t i = 0; i < shape.size(); ++i)
    if (ranges[i].second > shape[i])
      return fail(expectation.line, "`" + expectation.buffer + "` ends at " +
                                        std::to_string(shape[i]));

  // Through the box, the last axis fastest.
  std::vector<uint64_t> index;
  for (auto [from, to] : ranges)
    index.push_back(from);
  for (uint64_t number = 0;; ++number) {
    uint64_t place = 0;
    for (size_t i = 0; i < shape.size(); ++i)
      place = place * shape[i] + index[i];
    Value wanted = expectation.values.isList()
                       ? expectation.values.at(number, 1)
                       : expectation.values.at(place, spec->columns());
    unsigned char rounded[8] = {};
    storeElement(buffer.dtype, rounded, wanted);
    Value seen = loadElement(buffer.dtype, buffer.at(place));
    bool good = agree(buffer.dtype, rounded, buffer.at(place), expectation.ulp);
    if (!good && expectation.tolerance)
      good = std::fabs(seen - wanted) <=
             *expectation.tolerance * std::max(Value(1), std::fabs(wanted));
    if (!good)
      return fail(expectation.line, "`" + expectation.buffer + "` has " +
                                        printValue(seen) + " at " +
                                        std::to_string(place) + ", not " +
                                        printValue(wanted) + " (" +
                                        std::string(device.name()) + ")");
    size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == ranges[axis - 1].second) {
      index[axis - 1] = ranges[axis - 1].first;
      --axis;
    }
    if (axis == 0)
      return true;
  }
}

bool FileRunner::compare(const RunLine &line, const Buffers &one,
                         const Buffers &other) {
  for (const auto &[name, a] : one) {
    const Fenced &b = *other.at(name);
    for (uint64_t i = 0; i < a->count; ++i)
      if (!agree(a->dtype, a->at(i), b.at(i), line.ulp))
        return fail(line.line, "targets disagree on `" + name + "` at " +
                                   std::to_string(i) + ": " +
                                   printValue(loadElement(a->dtype, a->at(i))) +
                                   " and " +
                                   printValue(loadElement(a->dtype, b.at(i))));
  }
  return true;
}

bool FileRunner::run(const RunLine &line) {
  Result<Kernel> kernel = module.kernel(line.kernel);
  if (!kernel) {
    if (expectedError(line) == kernel.error().messages[0].id)
      return true;
    return fail(line.line, kernel.error().text());
  }
  Buffers first;
  for (size_t i = 0; i < devices.size(); ++i) {
    Buffers buffers;
    if (!runOn(line, *kernel, devices[i], buffers))
      return false;
    for (const Expectation &expectation : line.expectations)
      if (!check(line, expectation, devices[i], buffers))
        return false;
    if (i == 0)
      first = std::move(buffers);
    else if (!compare(line, first, buffers))
      return false;
  }
  return true;
}

int runRun(CommandLine line) {
  std::vector<std::string> paths, names = {"interp", "cpu"};
  bool quiet = false;
  while (!line.isDone()) {
    if (line.takeFlag("--help") || line.takeFlag("-h")) {
      std::cout << help;
      return Success;
    } else if (line.takeFlag("--quiet")) {
      quiet = true;
    } else if (auto value = line.takeOption("--target")) {
      names = splitList(*value);
    } else if (auto word = line.takeWord()) {
      paths.push_back(*word);
    } else {
      return line.failUnknown();
    }
  }
  if (paths.empty())
    return line.fail("which files?");
  std::vector<Device> devices;
  for (const std::string &name : names) {
    Result<Device> device = Device::named(name);
    if (!device) {
      std::cerr << device.error().text();
      return Usage;
    }
    devices.push_back(*device);
  }
  int passed = 0, failed = 0;
  for (const std::string &path : paths) {
    std::string error;
    std::optional<RunFile> file = readRunFile(path, error);
    if (!file) {
      std::cerr << error << "\n";
      return Failure;
    }
    Result<Module> module = Module::load(path);
    if (!module) {
      std::cerr << module.error().text();
      return Failure;
    }
    if (file->runs.empty()) {
      std::cerr << path << ": has no `# run:` line\n";
      return Failure;
    }
    for (const RunLine &run : file->runs) {
      bool good = FileRunner(*file, *module, devices).run(run);
      (good ? passed : failed)++;
      if (good && !quiet)
        std::cout << "ok " << path << ":" << run.line << " " << run.kernel
                  << "\n";
    }
  }
  if (!quiet || failed)
    std::cout << passed << " passed, " << failed << " failed\n";
  return failed ? Failure : Success;
}

} // namespace tesela::cli
