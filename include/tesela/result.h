//===- result.h - a value, or what is wrong -------------------------------===//

#ifndef TESELA_RESULT_H
#define TESELA_RESULT_H

#include "tesela/types.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tesela {
inline namespace v1 {

/// One thing that is wrong, as the command line prints it.
struct Message {
  /// "error", "warning" or "note".
  std::string severity;
  /// The stable name of what is wrong, such as "dot-shape".
  std::string id;
  std::string file;
  int line = 0;   // 1-based; 0 where no place is known
  int column = 0; // 1-based, in code points
  std::string text;
  /// All of it: place, text, source line, caret and notes.
  std::string rendered;
};

/// Why a call failed.
struct Error {
  std::vector<Message> messages;

  /// The messages, rendered one after the other.
  TESELA_API std::string text() const;
};

/// A value, or why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Error error) : state(std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() & { return std::get<0>(state); }
  const T &operator*() const & { return std::get<0>(state); }
  T &&operator*() && { return std::get<0>(std::move(state)); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  const Error &error() const { return std::get<1>(state); }

private:
  std::variant<T, Error> state;
};

/// Success without a value.
struct Done {};

} // namespace v1
} // namespace tesela

#endif // TESELA_RESULT_H
