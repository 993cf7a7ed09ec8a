//===- Manifest.cpp - what compiled code was found to depend on -----------===//

#include "driver/Manifest.h"

#include "driver/Archive.h"
#include "support/Hash.h"
#include "support/Values.h"

#include <algorithm>
#include <bit>

namespace tesela::driver {

//===----------------------------------------------------------------------===//
// Hashes
//===----------------------------------------------------------------------===//

static void addFunction(Hasher &hasher, const Function &function) {
  hasher.add(function.name).add(function.source).add(function.noinline);
}

static void addObject(Hasher &hasher, const Object &value) {
  hasher.add(value.value.index());
  if (auto *number = std::get_if<double>(&value.value)) {
    hasher.add(std::bit_cast<uint64_t>(*number));
  } else if (auto *items = std::get_if<Object::Tuple>(&value.value)) {
    hasher.add(items->size());
    for (const Object &item : *items)
      addObject(hasher, item);
  } else if (auto *function = std::get_if<Object::FunctionRef>(&value.value)) {
    if (*function)
      addFunction(hasher, **function);
  } else {
    hasher.add(describe(value));
  }
}

std::string contentHash(const Object &value) {
  Hasher hasher;
  addObject(hasher, value);
  return hasher.hex();
}

std::string firstKey(const emit::Request &request,
                     const std::string &settings) {
  Hasher hasher;
  hasher.add(settings);
  addFunction(hasher, *request.function);
  hasher.add(uint64_t(request.numWarps)).add(uint64_t(request.numStages));
  hasher.add(request.parameters.size());
  for (const emit::Specialised &parameter : request.parameters) {
    hasher.add(uint64_t(parameter.kind));
    if (parameter.kind == emit::Specialised::Kind::Constant)
      addObject(hasher, parameter.constant);
    else
      hasher.add(uint64_t(parameter.dtype))
          .add(uint64_t(parameter.divisibility));
  }
  return hasher.hex();
}

std::string Manifest::binaryKey(const std::string &firstKey) const {
  Hasher hasher;
  hasher.add(firstKey).add(entries.size());
  for (const Entry &entry : entries)
    hasher.add(entry.function)
        .add(uint64_t(entry.module.has_value()))
        .add(entry.module.value_or(""))
        .add(entry.name)
        .add(entry.valueHash);
  return hasher.hex();
}

//===----------------------------------------------------------------------===//
// Numbering functions
//===----------------------------------------------------------------------===//

namespace {

class FunctionNumbers {
public:
  explicit FunctionNumbers(const emit::Request &request) {
    functions.push_back(request.function);
    for (const emit::Specialised &parameter : request.parameters)
      meet(parameter.constant);
  }

  void meet(const Object &value) {
    if (auto *items = std::get_if<Object::Tuple>(&value.value))
      for (const Object &item : *items)
        meet(item);
    if (auto *function = std::get_if<Object::FunctionRef>(&value.value))
      if (*function && !numberOf(function->get()))
        functions.push_back(*function);
  }

  std::optional<uint64_t> numberOf(const Function *function) const {
    for (size_t i = 0; i < functions.size(); ++i)
      if (functions[i].get() == function)
        return i;
    return std::nullopt;
  }

  std::shared_ptr<const Function> at(uint64_t number) const {
    return number < functions.size() ? functions[number] : nullptr;
  }

private:
  std::vector<std::shared_ptr<const Function>> functions;
};

} // namespace

std::optional<Manifest>
Manifest::of(const emit::Request &request,
             const std::vector<emit::Capture> &captures) {
  FunctionNumbers numbers(request);
  Manifest manifest;
  for (const emit::Capture &capture : captures) {
    std::optional<uint64_t> number = numbers.numberOf(capture.function.get());
    if (!number)
      return std::nullopt;
    Entry entry = {*number, std::nullopt, capture.name,
                   capture.value ? contentHash(*capture.value) : ""};
    if (capture.module)
      entry.module = capture.module->path;
    manifest.entries.push_back(std::move(entry));
    if (capture.value)
      numbers.meet(*capture.value);
  }
  return manifest;
}

std::optional<std::vector<emit::Capture>>
Manifest::replay(const emit::Request &request) const {
  FunctionNumbers numbers(request);
  std::vector<emit::Capture> captures;
  for (const Entry &entry : entries) {
    std::shared_ptr<const Function> function = numbers.at(entry.function);
    Environment *environment = function ? function->environment.get() : nullptr;
    if (!environment)
      return std::nullopt;
    std::optional<ModuleName> module;
    if (entry.module)
      module = ModuleName{*entry.module};
    std::optional<Object> value =
        module ? environment->attribute(*module, entry.name)
               : environment->lookup(entry.name);
    if ((value ? contentHash(*value) : "") != entry.valueHash)
      return std::nullopt;
    if (value)
      numbers.meet(*value);
    captures.push_back({function, module, entry.name, std::move(value)});
  }
  return captures;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

std::string encodeManifests(const std::vector<Manifest> &manifests) {
  ArchiveWriter writer;
  writer.add(manifests.size());
  for (const Manifest &manifest : manifests) {
    writer.add(manifest.entries.size());
    for (const Manifest::Entry &entry : manifest.entries) {
      writer.add(entry.function);
      writer.add(uint64_t(entry.module.has_value()));
      writer.add(entry.module.value_or(""));
      writer.add(entry.name);
      writer.add(entry.valueHash);
    }
  }
  return writer.take();
}

std::vector<Manifest> decodeManifests(std::string_view bytes) {
  ArchiveReader reader(bytes);
  std::vector<Manifest> manifests;
  uint64_t count = reader.number();
  for (uint64_t i = 0; i < count && reader.isValid(); ++i) {
    Manifest manifest;
    uint64_t entries = reader.number();
    for (uint64_t j = 0; j < entries && reader.isValid(); ++j) {
      Manifest::Entry entry;
      entry.function = reader.number();
      bool hasModule = reader.number() != 0;
      std::string module = reader.text();
      if (hasModule)
        entry.module = module;
      entry.name = reader.text();
      entry.valueHash = reader.text();
      manifest.entries.push_back(std::move(entry));
    }
    manifests.push_back(std::move(manifest));
  }
  if (!reader.isDone())
    manifests.clear();
  return manifests;
}

} // namespace tesela::driver
