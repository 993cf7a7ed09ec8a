//===- Hash.cpp - the hash that names contents ----------------------------===//

#include "support/Hash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

namespace tesela {

struct Hasher::State {
  llvm::BLAKE3 blake;
};

Hasher::Hasher() : state(std::make_unique<State>()) {}

Hasher::~Hasher() = default;

Hasher &Hasher::add(std::string_view text) {
  add(text.size());
  state->blake.update(llvm::StringRef(text.data(), text.size()));
  return *this;
}

Hasher &Hasher::add(uint64_t number) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = uint8_t(number >> (8 * i));
  state->blake.update(llvm::ArrayRef(bytes));
  return *this;
}

std::string Hasher::hex() const {
  return llvm::toHex(state->blake.final(), /*LowerCase=*/true);
}

} // namespace tesela
