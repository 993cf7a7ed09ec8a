//===- NumpyArrays.cpp - arrays of NumPy, without an object in between ----===//
//
// NumPy's protocols all make objects, which costs more than the rest of a small
// launch. Its C API, however, reads an array through macros, so that compiled
// extension modules have the offsets of its fields in them: they have been the
// same since NumPy 1.0 and cannot change without breaking all of these. That
// they are is checked, on the first array that is seen, against what NumPy's
// protocol says of it.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include <cstring>

namespace tesela::python {

namespace {

/// `PyArrayObject`, up to where it has always been the same.
struct NumpyArray {
  PyObject_HEAD char *data;
  int rank;
  Py_ssize_t *shape;
  Py_ssize_t *strides;
  PyObject *base;
  PyObject *descriptor;
  int flags;
};

const NumpyArray &fieldsOf(PyObject *array) {
  return *reinterpret_cast<const NumpyArray *>(array);
}

/// A descriptor whose elements are in the machine's byte order.
struct KnownDescriptor {
  PyObject *descriptor;
  DType dtype;
};

} // namespace

bool hasNumpyLayout(PyObject *array) {
  static PyObject *base = PyUnicode_InternFromString("base");
  static PyObject *dtype = PyUnicode_InternFromString("dtype");
  Ref capsule(PyObject_GetAttrString(array, "__array_struct__"));
  Ref descriptor(PyObject_GetAttr(array, dtype));
  Ref owner(PyObject_GetAttr(array, base));
  void *interface =
      capsule ? PyCapsule_GetPointer(capsule.get(), nullptr) : nullptr;
  PyErr_Clear();
  if (!interface || !descriptor || !owner)
    return false;
  const auto &said = *static_cast<const ArrayStruct *>(interface);
  const NumpyArray &fields = fieldsOf(array);
  auto agree = [&](const intptr_t *one, const Py_ssize_t *other) {
    return std::memcmp(one, other, size_t(said.rank) * sizeof *one) == 0;
  };
  // The protocol adds flags of its own.
  constexpr int ownFlags = 0x501;
  return fields.data == said.data && fields.rank == said.rank &&
         fields.descriptor == descriptor.get() &&
         (fields.base ? fields.base : Py_None) == owner.get() &&
         (fields.flags & ownFlags) == (said.flags & ownFlags) &&
         (said.rank == 0 || (agree(said.shape, fields.shape) &&
                             agree(said.strides, fields.strides)));
}

std::optional<Array> readNumpyArray(PyObject *array, const std::string &name,
                                    Borrowed &borrowed) {
  // Kept alive, so that an address never means another one.
  static KnownDescriptor known[16];
  static size_t numKnown = 0;
  const NumpyArray &fields = fieldsOf(array);
  for (size_t i = 0; i < numKnown; ++i)
    if (known[i].descriptor == fields.descriptor)
      return aligned({fields.data, known[i].dtype,
                      !(fields.flags & ArrayStruct::writeable)},
                     name);
  std::optional<Array> read = readArrayStruct(array, name, borrowed);
  if (read && numKnown < std::size(known))
    known[numKnown++] = {Py_NewRef(fields.descriptor), read->dtype};
  return read;
}

} // namespace tesela::python
