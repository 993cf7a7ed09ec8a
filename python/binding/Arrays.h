//===- Arrays.h - arrays of every library as pointers ---------------------===//

#ifndef TESELA_PYTHON_ARRAYS_H
#define TESELA_PYTHON_ARRAYS_H

#include "Binding.h"

#include <cstdint>

namespace tesela::python {

/// Whose memory an array is in.
enum class Memory : uint8_t {
  /// Nobody's: it stands for an array where nothing is run.
  None,
  Host,
  /// The host's, where GPUs reach it too.
  Pinned,
  Gpu,
};

/// Where the elements of an array are. Strides and shape are the kernel's
/// business: a launch passes those that it wants.
struct Array {
  void *data = nullptr;
  DType dtype = DType::Int32;
  bool readOnly = false;
  /// Zero for an array without elements, whose address may be null.
  size_t bytes = Argument::unknownBytes;
  Memory memory = Memory::Host;
  /// Of the GPU.
  int ordinal = 0;
  /// On a GPU: the stream that its contents are made on, where its library
  /// says so; else launches take PyTorch's current one.
  std::optional<uintptr_t> stream = {};
};

/// The struct behind `__array_struct__`, as NumPy documents it.
struct ArrayStruct {
  int two;
  int rank;
  char kind;
  int itemBytes;
  int flags;
  intptr_t *shape;
  intptr_t *strides;
  void *data;
  PyObject *descriptor;

  static constexpr int nativeOrder = 0x200;
  static constexpr int writeable = 0x400;
};

/// Whether a `numpy.ndarray` lies in memory as `readNumpyArray` expects.
bool hasNumpyLayout(PyObject *array);

// Each reads one protocol; nothing, and an exception that names the parameter,
// where the array cannot be used.
std::optional<Array> readTensor(PyObject *tensor, const std::string &name);
std::optional<Array> readNumpyArray(PyObject *array, const std::string &name,
                                    Borrowed &borrowed);
std::optional<Array> readArrayStruct(PyObject *array, const std::string &name,
                                     Borrowed &borrowed);
std::optional<Array> readArrayInterface(PyObject *array,
                                        const std::string &name,
                                        Borrowed &borrowed);
std::optional<Array> readCudaInterface(PyObject *array, const std::string &name,
                                       Borrowed &borrowed);
std::optional<Array> readBuffer(PyObject *exporter, const std::string &name,
                                Borrowed &borrowed);
std::optional<Array> readDLPack(PyObject *array, const std::string &name,
                                Borrowed &borrowed);

/// The array, unless its address is not a multiple of its elements' size.
std::optional<Array> aligned(const Array &array, const std::string &name);

/// What an array's attribute `protocol`, a dict, says of it: the address, the
/// type of the elements and whether they may be written. `interface` gets the
/// dict.
std::optional<Array> readInterface(PyObject *array, const char *protocol,
                                   const std::string &name, Ref &interface);

/// By NumPy's kind ('i', 'u', 'f', 'b') and size in bytes.
std::optional<DType> dtypeOfKind(char kind, size_t bytes);
/// The dtype of an array whose elements NumPy itself has no kind for
/// (`bfloat16` of ml_dtypes), or an exception.
std::optional<DType> dtypeByName(PyObject *array, const std::string &name);

/// Raises that the language has no type for the elements.
std::nullopt_t failElementType(const std::string &name,
                               const std::string &type);

} // namespace tesela::python

#endif // TESELA_PYTHON_ARRAYS_H
