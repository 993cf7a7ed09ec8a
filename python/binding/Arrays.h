//===- Arrays.h - arrays of every library as pointers ---------------------===//

#ifndef TESELA_PYTHON_ARRAYS_H
#define TESELA_PYTHON_ARRAYS_H

#include "Binding.h"

namespace tesela::python {

/// Where the elements of an array are. Strides and shape are the kernel's
/// business: a launch passes those that it wants.
struct Array {
  void *data = nullptr;
  DType dtype = DType::Int32;
  bool readOnly = false;
  /// Zero for an array without elements, whose address may be null.
  size_t bytes = Argument::unknownBytes;
};

// Each reads one protocol; nothing, and an exception that names the parameter,
// where the array cannot be used.
std::optional<Array> readTensor(PyObject *tensor, const std::string &name);
std::optional<Array> readArrayStruct(PyObject *array, const std::string &name,
                                     Borrowed &borrowed);
std::optional<Array> readArrayInterface(PyObject *array,
                                        const std::string &name,
                                        Borrowed &borrowed);
std::optional<Array> readBuffer(PyObject *exporter, const std::string &name,
                                Borrowed &borrowed);
std::optional<Array> readDLPack(PyObject *array, const std::string &name,
                                Borrowed &borrowed);

/// The array, or an exception where its address is no multiple of the size of
/// its elements.
std::optional<Array> aligned(Array array, const std::string &name);

/// Raises that the language has no type for the elements.
std::nullopt_t failElementType(const std::string &name,
                               const std::string &type);

} // namespace tesela::python

#endif // TESELA_PYTHON_ARRAYS_H
