//===- CudaTarget.cpp - GPUs of NVIDIA as targets -------------------------===//
//
// There is a row for each GPU of the machine, since code is loaded on one, and
// for each architecture that is only compiled for.
//
//===----------------------------------------------------------------------===//

#include "driver/CudaTarget.h"

#include "driver/Session.h"
#include "runtime/CudaCode.h"
#include "target/nvidia/Nvidia.h"

#include <charconv>
#include <map>
#include <mutex>

namespace tesela::driver {

using runtime::RunError;

namespace {

/// For code that was compiled for no GPU in particular.
class UnloadedCode final : public runtime::Code {
public:
  explicit UnloadedCode(std::string architecture)
      : architecture(std::move(architecture)) {}

  runtime::RunOutcome run(const runtime::ExecutionContext &,
                          const runtime::LaunchFrame &,
                          RunError &error) const override {
    error.text = "it was compiled for the architecture `cuda:" + architecture +
                 "`, and for no GPU; launch on the device `cuda`";
    return runtime::RunOutcome::Failed;
  }

private:
  std::string architecture;
};

} // namespace

static std::unique_ptr<runtime::Code>
loadCuda(const TargetRow &row, const Binary &binary, RunError &error) {
  if (row.ordinal < 0)
    return std::make_unique<UnloadedCode>(row.facts.processor.substr(3));
  runtime::CudaDevice *device = runtime::CudaDevice::get(row.ordinal, error);
  return device ? runtime::loadCudaCode(*device, binary.name, binary.code,
                                        binary.arguments, binary.gpu, error)
                : nullptr;
}

static TargetFacts noFacts() { return {}; }

/// The architecture whose code suits a GPU best: its own, or the newest before
/// it, whose PTX the driver translates. Empty where there is none.
static std::string architectureOf(int capability) {
  // What ends in "a" runs on no other.
  if (std::string own = std::to_string(capability) + "a"; nvidia::factsFor(own))
    return own;
  for (; capability > 0; --capability)
    if (nvidia::factsFor(std::to_string(capability)))
      return std::to_string(capability);
  return "";
}

std::optional<CudaName> parseCudaName(std::string_view text) {
  if (text == "cuda")
    return CudaName();
  if (!text.starts_with("cuda:"))
    return std::nullopt;
  text.remove_prefix(5);
  CudaName name;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), name.ordinal);
  if (error != std::errc() || name.ordinal < 0)
    return std::nullopt;
  if (name.ordinal >= 50 || end != text.data() + text.size())
    name.architecture = text;
  return name;
}

/// The architecture to compile for on a GPU; empty, with the reason in `error`,
/// where there is none.
static std::string architectureFor(const runtime::CudaDevice &device,
                                   RunError &error) {
  // A setting may ask for an older one.
  std::string wished = Session::get().options.cudaArchitecture;
  if (!wished.empty())
    return wished;
  std::string name = architectureOf(device.capability());
  if (name.empty())
    error = {DiagId::UnknownDevice,
             "the GPU `" + device.name() +
                 "` is too old: its compute capability is " +
                 std::to_string(device.capability() / 10) + "." +
                 std::to_string(device.capability() % 10) +
                 ", and 8.0 is the oldest that is supported"};
  return name;
}

const TargetRow *cudaRow(const CudaName &name, RunError &error) {
  std::string architecture = name.architecture;
  int ordinal = -1;
  if (architecture.empty()) {
    ordinal = name.ordinal;
    runtime::CudaDevice *device = runtime::CudaDevice::get(ordinal, error);
    if (device)
      architecture = architectureFor(*device, error);
    if (architecture.empty())
      return nullptr;
  }
  std::optional<TargetFacts> facts = nvidia::factsFor(architecture);
  if (!facts) {
    error = {DiagId::UnknownDevice, "the architecture `cuda:" + architecture +
                                        "` is not supported; those that are: " +
                                        nvidia::supportedArchitectures()};
    return nullptr;
  }
  struct Rows {
    std::mutex mutex;
    std::map<std::pair<int, std::string>, std::unique_ptr<TargetRow>> made;
  };
  // Never destroyed: kernels of other statics may outlive it.
  static Rows &rows = *new Rows();
  std::lock_guard lock(rows.mutex);
  std::unique_ptr<TargetRow> &row = rows.made[{ordinal, architecture}];
  if (!row) {
    row = std::make_unique<TargetRow>(
        TargetRow{{"cuda", noFacts, nvidia::compile}, loadCuda});
    row->facts = *facts;
    row->ordinal = ordinal;
    row->name = ordinal < 0 ? "cuda:" + architecture
                            : "cuda:" + std::to_string(ordinal);
  }
  return row.get();
}

} // namespace tesela::driver
