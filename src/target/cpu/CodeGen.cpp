//===- CodeGen.cpp - from the LLVM dialect to object code -----------------===//
//
//   module of the LLVM dialect ─┬─> LLVM IR, passes, object ─┬─> one object
//            second half of it ─┴─> LLVM IR, passes, object ─┘
//
// Where somebody looks at the text, and for assembly, there is one module: the
// same functions.
//
//===----------------------------------------------------------------------===//

#include "target/LlvmCode.h"
#include "target/LlvmErrors.h"
#include "target/cpu/Cpu.h"
#include "target/cpu/JoinObjects.h"
#include "target/cpu/Machine.h"
#include "target/SplitCode.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <csignal>
#include <pthread.h>

using namespace mlir;

namespace tesela::cpu {

/// Says on each function what the vectors are, so that LLVM neither splits the
/// ones that it finds wide nor shies away from scalable registers. A check runs
/// once a launch, in nanoseconds whatever LLVM does: it does the least.
static void describeFunctions(llvm::Module &module, const TargetFacts &facts,
                              const llvm::Triple &triple) {
  std::string bits = std::to_string(facts.vectorBytes * 8);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (isPrecondition(function)) {
      function.addFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::OptimizeNone);
    }
    if (triple.isX86_64()) {
      function.addFnAttr("prefer-vector-width", bits);
      function.addFnAttr("min-legal-vector-width", bits);
    } else if (facts.vectorBytes > 16) {
      // At least so wide; the architecture allows 16 times 128 bits.
      function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(
          module.getContext(), facts.vectorBytes / 16, 16));
    }
  }
}

/// Consumes the module, as writing object code does.
static std::string writeAssembly(llvm::Module &module,
                                 llvm::TargetMachine &machine) {
  std::unique_ptr<CodeWriter> writer =
      CodeWriter::create(machine, llvm::CodeGenFileType::AssemblyFile);
  return writer ? writer->write(module) : std::string();
}

/// Does both, one of them in a thread of its own where one is to be had.
static void runBoth(llvm::function_ref<void()> first,
                    llvm::function_ref<void()> second) {
  auto enter = [](void *work) -> void * {
    (*static_cast<llvm::function_ref<void()> *>(work))();
    return nullptr;
  };
  // LLVM's passes call themselves deeply.
  constexpr size_t stackBytes = size_t(8) << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  // Signals are for the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  bool isStarted = !pthread_create(&thread, &attributes, enter, &second);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  first();
  if (isStarted)
    pthread_join(thread, nullptr);
  else
    second();
}

namespace {

/// A module on its way, with all that one thread needs for it.
struct Part {
  LentMachine machine;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::string code, error;

  bool translate(ModuleOp from, const TargetFacts &facts, bool keepNames);
  void optimise() { cpu::optimise(*module, *machine->target); }
  void write() { code = machine->objects->write(*module); }
};

} // namespace

bool Part::translate(ModuleOp from, const TargetFacts &facts, bool keepNames) {
  machine = lendMachine(facts, error);
  if (!machine)
    return false;
  context.setDiscardValueNames(!keepNames);
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(error));
  module = translateModuleToLLVMIR(from, context, "kernel");
  if (!module) {
    if (error.empty())
      error = "the module does not translate to LLVM IR";
    return false;
  }
  llvm::TargetMachine &target = *machine->target;
  module->setTargetTriple(target.getTargetTriple());
  module->setDataLayout(target.createDataLayout());
  describeFunctions(*module, facts, target.getTargetTriple());
  return true;
}

/// Writes the stages for those who look.
static void show(Part &part, StageObserver observe) {
  observe("llvm", [&] { return printLlvm(*part.module); });
  observe("asm", [&] {
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*part.module);
    return writeAssembly(*copy, *part.machine->target);
  });
}

std::string generateCode(ModuleOp module, const TargetFacts &facts,
                         bool asAssembly, StageObserver observe,
                         std::string &error, bool lines) {
  error.clear();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  // Lines and names cost time, and are for those who look at the stages;
  // nothing of them is in the object.
  bool isSeen = observe && lines;
  if (isSeen) {
    PassManager scopes(module.getContext(), ModuleOp::getOperationName());
    scopes.enableVerifier(false);
    scopes.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
    if (failed(scopes.run(module))) {
      error = "the module takes no line numbers";
      return {};
    }
  }

  Part first;
  std::optional<Part> second;
  OwningOpRef<ModuleOp> half;
  if (!isSeen && !asAssembly)
    half = takeSecondHalf(module);
  if (half && !second.emplace().translate(*half, facts, isSeen)) {
    error = second->error;
    return {};
  }

  auto finishFirst = [&] {
    if (!first.translate(module, facts, isSeen))
      return;
    first.optimise();
    if (observe)
      show(first, observe);
    if (isSeen)
      llvm::StripDebugInfo(*first.module);
    if (asAssembly)
      first.code = writeAssembly(*first.module, *first.machine->target);
    else
      first.write();
  };
  auto finishSecond = [&] {
    second->optimise();
    second->write();
  };
  if (second)
    runBoth(finishFirst, finishSecond);
  else
    finishFirst();

  error = first.error;
  if (second && error.empty())
    error = second->error;
  if (!error.empty())
    return {};
  return second ? joinObjects(first.code, second->code, error) : first.code;
}

} // namespace tesela::cpu
