//===- StackArray.h - a few elements without an allocation ----------------===//

#ifndef TESELA_PYTHON_STACKARRAY_H
#define TESELA_PYTHON_STACKARRAY_H

#include <cstddef>
#include <memory>

namespace tesela::python {

/// An array of default values whose length is known when it is made: inside the
/// object up to `N` elements, else on the heap.
template <typename T, size_t N>
class StackArray {
public:
  explicit StackArray(size_t length)
      : heap(length > N ? new T[length]() : nullptr), length(length) {
    if (!heap)
      std::uninitialized_value_construct_n(begin(), length);
  }
  ~StackArray() {
    if (!heap)
      std::destroy_n(begin(), length);
  }
  StackArray(const StackArray &) = delete;
  StackArray &operator=(const StackArray &) = delete;

  size_t size() const { return length; }
  T *begin() { return heap ? heap.get() : reinterpret_cast<T *>(storage); }
  const T *begin() const { return const_cast<StackArray *>(this)->begin(); }
  T &operator[](size_t index) { return begin()[index]; }
  const T &operator[](size_t index) const { return begin()[index]; }

private:
  std::unique_ptr<T[]> heap;
  size_t length;
  alignas(T) std::byte storage[N * sizeof(T)];
};

} // namespace tesela::python

#endif // TESELA_PYTHON_STACKARRAY_H
