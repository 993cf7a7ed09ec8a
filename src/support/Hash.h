//===- Hash.h - the hash that names contents ------------------------------===//

#ifndef TESELA_SUPPORT_HASH_H
#define TESELA_SUPPORT_HASH_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tesela {

/// A cryptographic hash (BLAKE3) of a sequence of values: what two sequences
/// share, they are equal in. Texts are hashed with their length, so that their
/// borders count.
class Hasher {
public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher &) = delete;
  Hasher &operator=(const Hasher &) = delete;

  Hasher &add(std::string_view text);
  Hasher &add(uint64_t number);

  /// 64 hexadecimal digits.
  std::string hex() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tesela

#endif // TESELA_SUPPORT_HASH_H
