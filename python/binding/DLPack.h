//===- DLPack.h - the layouts that DLPack lays down -----------------------===//

#ifndef TESELA_PYTHON_DLPACK_H
#define TESELA_PYTHON_DLPACK_H

#include "Arrays.h"

#include <cstdint>

namespace tesela::python {

struct DLDevice {
  int32_t type;
  int32_t id;
};

struct DLElement {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t rank;
  DLElement element;
  int64_t *shape;
  int64_t *strides;
  uint64_t byteOffset;

  void *begin() const { return static_cast<char *>(data) + byteOffset; }
};

constexpr int32_t deviceCpu = 1;
constexpr int32_t deviceCuda = 2;
constexpr int32_t deviceCudaHost = 3;
constexpr int32_t deviceRocmHost = 11;
constexpr int32_t deviceManaged = 13;

/// Nothing where the language has no such type.
std::optional<DType> dtypeOfElement(DLElement element);

/// What a type of arrays offers to C (DLPack 1.3): where an array of exactly
/// this type is, and which stream its library works on, without an object of
/// Python's being made. Both give 0, or -1 and an exception. It lives for ever.
struct DLExchange {
  uint32_t major;
  uint32_t minor;
  const DLExchange *older;
  void *allocate;
  void *takeObject;
  void *makeObject;
  int (*view)(void *object, DLTensor *tensor);
  int (*currentStream)(int32_t deviceType, int32_t id, void **stream);
};

/// That of a type; null, and no exception, where there is none that is
/// understood.
const DLExchange *exchangeOf(PyTypeObject *type);

/// Fills `array` in; false, and no exception, where the exchange cannot tell or
/// the array is nowhere that kernels run.
bool readExchange(PyObject *object, const DLExchange &exchange, Array &array);

} // namespace tesela::python

#endif // TESELA_PYTHON_DLPACK_H
