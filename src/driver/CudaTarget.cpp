//===- CudaTarget.cpp - GPUs of NVIDIA as targets -------------------------===//
//
// There is a row for each GPU of the machine, since code is loaded on one, and
// for each architecture that is only compiled for.
//
//===----------------------------------------------------------------------===//

#include "driver/CudaTarget.h"

#include "runtime/CudaCode.h"
#include "target/nvidia/Nvidia.h"

#include <charconv>
#include <map>
#include <mutex>

namespace tesela::driver {

using runtime::RunError;

namespace {

struct Architecture {
  const char *name;
  int capability;
  /// Has instructions of no other architecture: its code runs on no later one.
  bool isSpecific = false;
};

/// In rising order.
constexpr Architecture architectures[] = {
    {"80", 80},        {"86", 86},   {"87", 87},   {"89", 89},   {"90", 90},
    {"90a", 90, true}, {"100", 100}, {"103", 103}, {"120", 120},
};

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

static TargetFacts cudaFacts(std::string_view architecture) {
  TargetFacts facts;
  facts.kind = "cuda";
  facts.triple = "nvptx64-nvidia-cuda";
  facts.processor = "sm_" + std::string(architecture);
  facts.vectorBytes = 16;
  facts.warpSize = 32;
  return facts;
}

static TargetFacts noFacts() { return {}; }

/// The best architecture whose code runs on a GPU; empty where there is none.
static std::string architectureOf(int capability) {
  std::string best;
  for (const Architecture &architecture : architectures)
    if (architecture.isSpecific ? architecture.capability == capability
                                : architecture.capability <= capability)
      best = architecture.name;
  return best;
}

static std::string architectureNames() {
  std::string names;
  for (const Architecture &architecture : architectures)
    names += (names.empty() ? "`cuda:" : ", `cuda:") +
             std::string(architecture.name) + "`";
  return names;
}

static bool isSupported(std::string_view name) {
  for (const Architecture &architecture : architectures)
    if (name == architecture.name)
      return true;
  return false;
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

const TargetRow *cudaRow(const CudaName &name, RunError &error) {
  std::string architecture = name.architecture;
  int ordinal = -1;
  if (architecture.empty()) {
    ordinal = name.ordinal;
    runtime::CudaDevice *device = runtime::CudaDevice::get(ordinal, error);
    if (!device)
      return nullptr;
    architecture = architectureOf(device->capability());
    if (architecture.empty()) {
      error = {DiagId::UnknownDevice,
               "the GPU `" + device->name() +
                   "` is too old: its compute "
                   "capability is " +
                   std::to_string(device->capability() / 10) + "." +
                   std::to_string(device->capability() % 10) +
                   ", and 8.0 is the oldest that is supported"};
      return nullptr;
    }
  } else if (!isSupported(architecture)) {
    error = {DiagId::UnknownDevice,
             "the architecture `cuda:" + architecture +
                 "` is not supported; those that are: " + architectureNames()};
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
    row->facts = cudaFacts(architecture);
    row->ordinal = ordinal;
    row->name = ordinal < 0 ? "cuda:" + architecture
                            : "cuda:" + std::to_string(ordinal);
  }
  return row.get();
}

} // namespace tesela::driver
