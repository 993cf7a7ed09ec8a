//===- CudaDriver.cpp - the functions of NVIDIA's driver ------------------===//

#include "runtime/CudaDriver.h"

#include "support/Options.h"

#include <dlfcn.h>

namespace tesela::runtime {

/// The first with tensor maps and clusters.
static constexpr int oldestVersion = 12000;

std::string cudaVersionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

static std::nullptr_t fail(RunError &error, std::string text) {
  error = {DiagId::DeviceUnusable, std::move(text)};
  return nullptr;
}

std::string CudaDriver::describe(CudaResult result) const {
  const char *name = nullptr, *text = nullptr;
  errorName(result, &name);
  errorText(result, &text);
  std::string number = "error " + std::to_string(result);
  if (!text)
    return name ? name : number;
  return std::string(text) + " (" + (name ? name : number) + ")";
}

std::unique_ptr<const CudaDriver> CudaDriver::open(const std::string &library,
                                                   RunError &error) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return fail(error, "NVIDIA's driver is missing: its library `" + library +
                           "` cannot be opened (" +
                           (reason ? reason : "no reason given") + ")");
  }
  auto driver = std::make_unique<CudaDriver>();
  // Before anything newer is looked for: the driver's age is the better reason.
  auto versionOf = reinterpret_cast<CudaResult (*)(int *)>(
      dlsym(handle, "cuDriverGetVersion"));
  if (!versionOf || versionOf(&driver->version) != cuda::Success)
    return fail(error, "`" + library +
                           "` is not NVIDIA's driver: it lacks "
                           "`cuDriverGetVersion`");
  if (driver->version < oldestVersion)
    return fail(error,
                "NVIDIA's driver is too old: it is for CUDA " +
                    cudaVersionText(driver->version) + ", and one for CUDA " +
                    cudaVersionText(oldestVersion) + " or later is needed");
#define FUNCTION(name, symbol, parameters)                                     \
  driver->name =                                                               \
      reinterpret_cast<CudaResult(*) parameters>(dlsym(handle, symbol));       \
  if (!driver->name)                                                           \
    return fail(error, "NVIDIA's driver for CUDA " +                           \
                           cudaVersionText(driver->version) +                  \
                           " lacks `" symbol "`");
  TESELA_CUDA_FUNCTIONS(FUNCTION)
#undef FUNCTION
  CudaResult result = driver->init(0);
  if (result == cuda::Success)
    result = driver->deviceCount(&driver->devices);
  if (result == cuda::NoDevice ||
      (result == cuda::Success && driver->devices == 0))
    return fail(error, "NVIDIA's driver finds no GPU");
  if (result != cuda::Success)
    return fail(error,
                "NVIDIA's driver does not start: " + driver->describe(result));
  return driver;
}

const CudaDriver *CudaDriver::get(RunError &error) {
  struct Opened {
    RunError error;
    std::unique_ptr<const CudaDriver> driver;
  };
  // Never closed: kernels may outlive every static object.
  static const Opened &opened = *[] {
    auto *opened = new Opened;
    opened->driver =
        open(Options::fromEnvironment().cudaLibrary, opened->error);
    return opened;
  }();
  if (!opened.driver)
    error = opened.error;
  return opened.driver.get();
}

} // namespace tesela::runtime
