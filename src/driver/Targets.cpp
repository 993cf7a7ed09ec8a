//===- Targets.cpp - the list of targets ----------------------------------===//

#include "driver/Targets.h"

#include "driver/Session.h"
#include "target/cpu/Cpu.h"

namespace tesela::driver {

static std::unique_ptr<runtime::Code>
loadCpu(const TargetRow &, const Binary &binary, runtime::RunError &error) {
  std::shared_ptr<cpu::LoadedObject> object =
      cpu::LoadedObject::load(binary.code, error.text);
  if (!object)
    return nullptr;
  auto entry = reinterpret_cast<CpuEntry>(object->find(binary.name));
  CpuPrecondition precondition = nullptr;
  if (!binary.precondition.empty())
    precondition =
        reinterpret_cast<CpuPrecondition>(object->find(binary.precondition));
  if (!entry || (!precondition && !binary.precondition.empty())) {
    error.text = "the object code lacks `" + binary.name + "`";
    return nullptr;
  }
  return runtime::makeCpuCode(object, entry, precondition, binary.scratchBytes);
}

llvm::ArrayRef<TargetRow> targets() {
  // Never destroyed: kernels of other statics may outlive it.
  static const std::vector<TargetRow> &rows = *[] {
    auto *rows = new std::vector<TargetRow>{
        {cpu::target(), loadCpu},
        interpreterTarget(),
    };
    for (TargetRow &row : *rows)
      row.facts = row.target.hostFacts();
    Session &session = Session::get();
    const std::string &without = session.options.cpuWithout;
    if (std::string problem = cpu::switchOff(rows->front().facts, without);
        !problem.empty())
      session.warn("`TESELA_CPU_WITHOUT` is `" + without +
                   "`, which has no effect: " + problem);
    return rows;
  }();
  return rows;
}

const TargetRow *findTarget(std::string_view name) {
  for (const TargetRow &row : targets())
    if (name == row.target.name)
      return &row;
  return nullptr;
}

} // namespace tesela::driver
