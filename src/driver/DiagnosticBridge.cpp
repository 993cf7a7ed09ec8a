//===- DiagnosticBridge.cpp - MLIR's diagnostics at the user's lines ------===//

#include "driver/DiagnosticBridge.h"

#include "mlir/IR/Location.h"

#include <algorithm>

namespace tesela::driver {

DiagnosticBridge::DiagnosticBridge(mlir::MLIRContext &context,
                                   const Function &kernel, const char *target,
                                   Diagnostics &diags)
    : kernel(kernel), target(target), diags(diags),
      handler(&context, [this](mlir::Diagnostic &diagnostic) {
        report(diagnostic);
        return mlir::success();
      }) {
  sources.push_back(
      Source::create(kernel.file, kernel.source, kernel.firstLine));
}

void DiagnosticBridge::addSources(const std::vector<SourceRef> &more) {
  sources.insert(sources.begin(), more.begin(), more.end());
}

Location DiagnosticBridge::kernelLocation() const {
  // The line of its `def`, after the decorators.
  const SourceRef &source = sources.back();
  int32_t line = kernel.firstLine;
  std::string_view text;
  for (int32_t i = 0; i < 64; ++i) {
    text = source->line(line + i);
    size_t begin = text.find_first_not_of(" \t");
    if (begin != text.npos && text.substr(begin).starts_with("def ")) {
      int32_t name = int32_t(begin) + 4;
      return {source, line + i, name, line + i,
              name + int32_t(kernel.name.size())};
    }
  }
  return {source, line, 0, line, 0};
}

Location DiagnosticBridge::find(mlir::FileLineColRange range) const {
  llvm::StringRef file = range.getFilename().getValue();
  int32_t line = int32_t(range.getStartLine());
  for (const SourceRef &source : sources) {
    if (file != source->name() || source->line(line).empty())
      continue;
    // MLIR counts columns from 1.
    return {source, line, std::max(int32_t(range.getStartColumn()) - 1, 0),
            int32_t(range.getEndLine()),
            std::max(int32_t(range.getEndColumn()) - 1, 0)};
  }
  return {};
}

std::vector<Location> DiagnosticBridge::unwind(mlir::Location location) const {
  std::vector<Location> places;
  mlir::Location rest = location;
  while (true) {
    if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(rest)) {
      std::vector<Location> inner = unwind(call.getCallee());
      places.insert(places.end(), inner.begin(), inner.end());
      rest = call.getCaller();
      continue;
    }
    if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(rest)) {
      if (fused.getLocations().empty())
        break;
      rest = fused.getLocations().front();
      continue;
    }
    if (auto named = llvm::dyn_cast<mlir::NameLoc>(rest)) {
      rest = named.getChildLoc();
      continue;
    }
    if (auto range = llvm::dyn_cast<mlir::FileLineColRange>(rest))
      if (Location place = find(range); place.source)
        places.push_back(std::move(place));
    break;
  }
  return places;
}

void DiagnosticBridge::report(mlir::Diagnostic &diagnostic) {
  bool isError = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
  if (!isError)
    return;
  std::vector<Location> places = unwind(diagnostic.getLocation());
  Location place = places.empty() ? kernelLocation() : places.front();
  std::string message = "the target `" + std::string(target) +
                        "` cannot compile this: " + diagnostic.str();
  // One op may be refused by several patterns in the same words.
  for (const Diagnostic &earlier : diags.all())
    if (earlier.message == message && earlier.location.line == place.line)
      return;
  Diagnostic &error = diags.error(DiagId::Unsupported, place, message);
  for (size_t i = 1; i < places.size(); ++i)
    error.notes.push_back({places[i], "in the call here"});
}

void DiagnosticBridge::ensureError() {
  if (!diags.hasErrors())
    diags.error(DiagId::Unsupported, kernelLocation(),
                "the target `" + std::string(target) + "` cannot compile `" +
                    kernel.name + "`");
}

} // namespace tesela::driver
