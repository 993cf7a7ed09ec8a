//===- CudaCode.cpp - a kernel loaded on a GPU ----------------------------===//
//
// A launch evaluates the host program, encodes the tensor maps and calls the
// driver, all with memory of the stack.
//
//===----------------------------------------------------------------------===//

#include "runtime/CudaCode.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace tesela::runtime {

namespace {

class CudaCode final : public Code {
public:
  CudaCode(CudaDevice &device, const std::string &name,
           const ArgumentLayout &arguments, const GpuLaunch &gpu)
      : device(device), name(device.intern(name)), arguments(arguments),
        gpu(gpu) {}
  ~CudaCode() override;

  bool load(const std::string &image, RunError &error);

  RunOutcome run(const ExecutionContext &context, const LaunchFrame &frame,
                 RunError &error) const override;

private:
  bool loadModule(const std::string &image, RunError &error);
  bool prepareFunction(RunError &error);
  CudaResult findCapacity();
  CudaResult launch(const LaunchFrame &frame, void *stream,
                    void **parameters) const;

  CudaDevice &device;
  const char *name;
  ArgumentLayout arguments;
  GpuLaunch gpu;
  void *module = nullptr;
  void *function = nullptr;
  /// Blocks that run at one time; more are a crowd, which get other memory.
  uint64_t capacity = UINT64_MAX;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

CudaCode::~CudaCode() {
  if (!module)
    return;
  CurrentContext current(device);
  // The kernel may still be running.
  if (current.result() == cuda::Success &&
      device.driver().synchronize() == cuda::Success)
    device.driver().moduleUnload(module);
}

bool CudaCode::loadModule(const std::string &image, RunError &error) {
  char log[8192] = "";
  int options[] = {cuda::ErrorLog, cuda::ErrorLogBytes, cuda::LineInfo};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log),
                    reinterpret_cast<void *>(uintptr_t(1))};
  // PTX ends with a zero, which the string has behind it.
  CudaResult result =
      device.driver().moduleLoad(&module, image.c_str(), 3, options, values);
  if (result == cuda::Success)
    return true;
  module = nullptr;
  log[sizeof log - 1] = 0;
  std::string what = "its code is refused by the driver for CUDA " +
                     cudaVersionText(device.driver().version);
  device.fail(result, what, error);
  if (result == cuda::UnsupportedPtxVersion)
    error.text += "; a newer driver is needed";
  if (log[0])
    error.text += std::string("\n") + log;
  return false;
}

bool CudaCode::prepareFunction(RunError &error) {
  const CudaDriver &driver = device.driver();
  CudaResult result = driver.moduleFunction(&function, module, name);
  if (result != cuda::Success)
    return device.fail(result, std::string("its code lacks `") + name + "`",
                       error);
  int threads = 0, staticBytes = 0;
  result = driver.functionAttribute(&threads, cuda::MaxThreads, function);
  if (result == cuda::Success)
    result = driver.functionAttribute(&staticBytes, cuda::StaticSharedBytes,
                                      function);
  if (result != cuda::Success)
    return device.fail(result, "its properties cannot be read", error);
  uint64_t needed = uint64_t(staticBytes) + gpu.sharedBytes;
  if (needed > device.sharedBytes()) {
    error = {DiagId::OutOfResources,
             "it needs " + std::to_string(needed) +
                 " bytes of shared memory, and a block has " +
                 std::to_string(device.sharedBytes()) + " on " + device.name() +
                 "; a lower `num_stages` or smaller block sizes need less"};
    return false;
  }
  if (uint32_t(threads) < gpu.threads) {
    error = {DiagId::OutOfResources,
             "it needs " + std::to_string(gpu.threads) +
                 " threads, and with the registers that each takes a block "
                 "has " +
                 std::to_string(threads) + " on " + device.name() +
                 "; a lower `num_warps` or smaller block sizes need less"};
    return false;
  }
  // What is beyond 48 KiB has to be asked for.
  uint32_t most = std::max(gpu.sharedBytes, gpu.crowdedBytes);
  if (staticBytes + uint64_t(most) > device.sharedBytes())
    most = gpu.crowdedBytes = gpu.sharedBytes;
  if (most > 0)
    result = driver.setFunctionAttribute(function, cuda::MaxDynamicSharedBytes,
                                         int(most));
  if (result == cuda::Success && gpu.crowdedBytes > gpu.sharedBytes)
    result = findCapacity();
  if (result == cuda::Success && gpu.cluster > 8)
    result = driver.setFunctionAttribute(function, cuda::NonPortableCluster, 1);
  return result == cuda::Success ||
         device.fail(result, "it cannot be set up", error);
}

CudaResult CudaCode::findCapacity() {
  int blocks = 0;
  CudaResult result = device.driver().residentBlocks(
      &blocks, function, int(gpu.threads), gpu.sharedBytes);
  capacity = uint64_t(blocks) * device.processors();
  return result;
}

bool CudaCode::load(const std::string &image, RunError &error) {
  CurrentContext current(device);
  if (current.result() != cuda::Success)
    return device.fail(current.result(), device.name() + " cannot be used",
                       error);
  return loadModule(image, error) && prepareFunction(error);
}

std::unique_ptr<Code> loadCudaCode(CudaDevice &device, const std::string &name,
                                   const std::string &image,
                                   const ArgumentLayout &arguments,
                                   const GpuLaunch &gpu, RunError &error) {
  if (!gpu.isValid(arguments)) {
    error = {DiagId::LaunchFailed,
             "its code says no sensible way to launch it"};
    return nullptr;
  }
  auto code = std::make_unique<CudaCode>(device, name, arguments, gpu);
  if (!code->load(image, error))
    return nullptr;
  return code;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

CudaResult CudaCode::launch(const LaunchFrame &frame, void *stream,
                            void **parameters) const {
  const CudaDriver &driver = device.driver();
  unsigned x = unsigned(frame.grid[0]), y = unsigned(frame.grid[1]),
           z = unsigned(frame.grid[2]);
  bool isCrowd =
      gpu.crowdedBytes && uint64_t(x) * y > capacity / std::max(z, 1u);
  unsigned sharedBytes = isCrowd ? gpu.crowdedBytes : gpu.sharedBytes;
  if (gpu.cluster == 1)
    return driver.launch(function, x, y, z, gpu.threads, 1, 1, sharedBytes,
                         stream, parameters, nullptr);
  cuda::LaunchAttribute attribute;
  attribute.cluster[0] = gpu.cluster;
  attribute.cluster[1] = attribute.cluster[2] = 1;
  cuda::LaunchConfig config = {{x, y, z}, {gpu.threads, 1, 1}, sharedBytes,
                               stream,    &attribute,          1};
  return driver.launchEx(&config, function, parameters, nullptr);
}

RunOutcome CudaCode::run(const ExecutionContext &context,
                         const LaunchFrame &frame, RunError &error) const {
  llvm::SmallVector<int64_t, 256> values(gpu.host.instructions.size());
  gpu.host.evaluate(frame.arguments, arguments, frame.grid, values);
  if (gpu.precondition && values[*gpu.precondition] == 0)
    return RunOutcome::NotAccepted;
  if (uint32_t(frame.grid[0]) % gpu.cluster != 0)
    return RunOutcome::NotAccepted;

  cuda::TensorMap maps[GpuLaunch::maxTensorMaps];
  for (size_t i = 0; i < gpu.tensorMaps.size(); ++i) {
    MapOutcome outcome =
        encodeTensorMap(device, gpu.tensorMaps[i], values, maps[i], error);
    if (outcome != MapOutcome::Done)
      return outcome == MapOutcome::Failed ? RunOutcome::Failed
                                           : RunOutcome::NotAccepted;
  }

  llvm::SmallVector<void *, 96> parameters;
  auto *buffer = static_cast<const char *>(frame.arguments);
  for (const ArgumentSlot &slot : arguments.slots)
    parameters.push_back(const_cast<char *>(buffer + slot.offset));
  for (size_t i = 0; i < gpu.tensorMaps.size(); ++i)
    parameters.push_back(&maps[i]);

  CurrentContext current(device);
  CudaResult result = current.result();
  if (result == cuda::Success)
    result = launch(frame, context.stream, parameters.data());
  if (result == cuda::Success) {
    device.noteLaunch(name);
    return RunOutcome::Done;
  }
  device.fail(result, "the driver refuses to launch it", error);
  if (result == cuda::LaunchOutOfResources) {
    error.id = DiagId::OutOfResources;
    error.text += "; a lower `num_warps` or smaller block sizes need less";
  }
  return RunOutcome::Failed;
}

} // namespace tesela::runtime
