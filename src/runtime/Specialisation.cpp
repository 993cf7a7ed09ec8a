//===- Specialisation.cpp - the code of a kernel for one key --------------===//

#include "runtime/Specialisation.h"

#include "support/Values.h"

#include <cstring>

namespace tesela::runtime {

//===----------------------------------------------------------------------===//
// One specialisation
//===----------------------------------------------------------------------===//

Specialisation::Specialisation(const Key &key, std::span<const Argument> bound)
    : key(key), owned(key.parameters.begin(), key.parameters.end()) {
  for (size_t i = 0; i < owned.size(); ++i)
    constants.push_back(owned[i].kind == ParameterKind::Constant
                            ? objectOf(bound[i])
                            : Object{Object::None{}});
}

Specialisation::~Specialisation() {
  for (Variant *variant = newest; variant;) {
    Variant *next = variant->next;
    delete variant;
    variant = next;
  }
}

bool Specialisation::matches(const Key &other,
                             std::span<const Argument> bound) const {
  if (key.hash != other.hash || key.target != other.target ||
      key.settings != other.settings ||
      std::memcmp(owned.data(), other.parameters.data(),
                  owned.size() * sizeof(ParameterKey)) != 0)
    return false;
  for (size_t i = 0; i < owned.size(); ++i) {
    if (!owned[i].isHashed())
      continue;
    const Argument &argument = bound[i];
    auto *text = std::get_if<std::string>(&constants[i].value);
    bool same = text && argument.kind == Argument::Kind::Text
                    ? *text == std::string_view(argument.text, argument.bytes)
                    : sameValue(constants[i], objectOf(argument));
    if (!same)
      return false;
  }
  return true;
}

Variant *Specialisation::find() const {
  Variant *variant = newest.load(std::memory_order_acquire);
  while (variant && !hold(variant->captures))
    variant = variant->next;
  return variant;
}

void Specialisation::add(std::unique_ptr<Variant> variant) {
  variant->next = newest.load(std::memory_order_relaxed);
  newest.store(variant.release(), std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

SpecialisationTable::SpecialisationTable() {
  generations.push_back(std::make_unique<Slots>(16));
  current.store(generations.back().get());
}

SpecialisationTable::~SpecialisationTable() = default;

Specialisation *
SpecialisationTable::find(const Key &key,
                          std::span<const Argument> bound) const {
  const Slots &slots = *current.load(std::memory_order_acquire);
  for (size_t i = key.hash;; ++i) {
    Specialisation *found =
        slots[i & (slots.size() - 1)].load(std::memory_order_acquire);
    if (!found || found->matches(key, bound))
      return found;
  }
}

void SpecialisationTable::insert(Slots &slots, Specialisation *specialisation) {
  for (size_t i = specialisation->hash();; ++i) {
    std::atomic<Specialisation *> &slot = slots[i & (slots.size() - 1)];
    if (slot.load(std::memory_order_relaxed))
      continue;
    slot.store(specialisation, std::memory_order_release);
    return;
  }
}

Specialisation &SpecialisationTable::get(const Key &key,
                                         std::span<const Argument> bound) {
  std::lock_guard lock(adding);
  if (Specialisation *found = find(key, bound))
    return *found;
  all.push_back(std::make_unique<Specialisation>(key, bound));
  Slots *slots = generations.back().get();
  if (all.size() * 2 > slots->size()) {
    auto larger = std::make_unique<Slots>(slots->size() * 2);
    for (const auto &specialisation : all)
      insert(*larger, specialisation.get());
    current.store(larger.get(), std::memory_order_release);
    generations.push_back(std::move(larger));
  } else {
    insert(*slots, all.back().get());
  }
  return *all.back();
}

} // namespace tesela::runtime
