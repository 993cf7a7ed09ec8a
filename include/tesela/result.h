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
  /// Prints the text to the standard error output and ends the process.
  [[noreturn]] TESELA_API void endProcess() const;
};

/// A value, or why there is none. Convert it to `bool` first: where there is no
/// value, `*` and `->` print the error and end the process, as `error()` does
/// where there is one.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Error error) : state(std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() & { return *operator->(); }
  const T &operator*() const & { return *operator->(); }
  T &&operator*() && { return std::move(*operator->()); }
  T *operator->() { return const_cast<T *>(std::as_const(*this).operator->()); }
  const T *operator->() const {
    if (const T *value = std::get_if<0>(&state))
      return value;
    std::get_if<1>(&state)->endProcess();
  }
  const Error &error() const {
    if (const Error *error = std::get_if<1>(&state))
      return *error;
    const char *text = "the error of a `Result` that has a value is used";
    Error{{{"error", "no-error", "", 0, 0, text, std::string(text) + "\n"}}}
        .endProcess();
  }

private:
  std::variant<T, Error> state;
};

/// Success without a value.
struct Done {};

} // namespace v1
} // namespace tesela

#endif // TESELA_RESULT_H
