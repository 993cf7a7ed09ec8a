//===- Module.cpp - the extension module `tesela._binding` ----------------===//

#include "Locations.h"

namespace tesela::python {

Classes classes;

/// Never destroyed: its threads may outlive this library's static objects, and
/// those of a parent process are not there to be joined.
static Device *chosen = nullptr;

const Device *chosenDevice() { return chosen; }

/// setup(constexpr, dtype, builtin, wrapper, CompileError, Diagnostic,
///       OutOfResources, CompilationWarning)
static PyObject *setup(PyObject *, PyObject *args) {
  PyObject *given[8];
  if (!PyArg_ParseTuple(args, "OOOOOOOO:setup", &given[0], &given[1], &given[2],
                        &given[3], &given[4], &given[5], &given[6], &given[7]))
    return nullptr;
  PyObject **wanted[] = {&classes.constexprClass, &classes.dtypeClass,
                         &classes.builtinClass,   &classes.wrapperClass,
                         &classes.compileError,   &classes.diagnostic,
                         &classes.outOfResources, &classes.compilationWarning};
  for (int i = 0; i < 8; ++i) {
    Ref before(*wanted[i]);
    *wanted[i] = Py_NewRef(given[i]);
  }
  Py_RETURN_NONE;
}

/// use_device(name, threads)
static PyObject *useDeviceNamed(PyObject *, PyObject *args) {
  const char *name;
  int threads = 0;
  if (!PyArg_ParseTuple(args, "s|i:use_device", &name, &threads))
    return nullptr;
  if (threads < 0) {
    PyErr_SetString(PyExc_ValueError, "the number of threads is negative");
    return nullptr;
  }
  std::string_view wanted = name;
  if (wanted == "auto") {
    chosen = nullptr;
    Py_RETURN_NONE;
  }
  Result<Device> found = threads > 0 && wanted == "cpu"
                             ? Result<Device>(Device::cpu(threads))
                             : Device::named(wanted);
  if (!found) {
    raise(found.error());
    return nullptr;
  }
  chosen = new Device(std::move(*found));
  Py_RETURN_NONE;
}

static PyObject *deviceName(PyObject *, PyObject *) {
  std::string_view name = chosen ? chosen->name() : "auto";
  return PyUnicode_FromStringAndSize(name.data(), Py_ssize_t(name.size()));
}

static PyObject *cudaCount(PyObject *, PyObject *) {
  return PyLong_FromLong(Device::cudaCount());
}

static PyObject *cudaInUse(PyObject *, PyObject *) {
  return PyBool_FromLong(usedGpu() != nullptr);
}

static constexpr const char *eventName = "tesela.event";

/// record_event() -> capsule
static PyObject *recordEvent(PyObject *, PyObject *) {
  const Device *gpu = usedGpu();
  Result<Event> event = (gpu ? *gpu : Device::cpu()).record();
  if (!event) {
    raise(event.error());
    return nullptr;
  }
  return PyCapsule_New(
      new Event(std::move(*event)), eventName, [](PyObject *capsule) {
        delete static_cast<Event *>(PyCapsule_GetPointer(capsule, eventName));
      });
}

/// elapsed(earlier, later) -> milliseconds
static PyObject *elapsed(PyObject *, PyObject *args) {
  PyObject *given[2];
  if (!PyArg_ParseTuple(args, "OO:elapsed", &given[0], &given[1]))
    return nullptr;
  auto *begin = static_cast<Event *>(PyCapsule_GetPointer(given[0], eventName));
  auto *end =
      begin ? static_cast<Event *>(PyCapsule_GetPointer(given[1], eventName))
            : nullptr;
  if (!end)
    return nullptr;
  Result<double> time = end->since(*begin);
  if (!time) {
    raise(time.error());
    return nullptr;
  }
  return PyFloat_FromDouble(*time);
}

/// synchronize(name)
static PyObject *synchronize(PyObject *, PyObject *args) {
  const char *name;
  if (!PyArg_ParseTuple(args, "z:synchronize", &name))
    return nullptr;
  const Device *gpu = usedGpu();
  if (!name && !gpu)
    Py_RETURN_NONE;
  Result<Device> found = name ? Device::named(name) : Result<Device>(*gpu);
  if (!found) {
    raise(found.error());
    return nullptr;
  }
  PyThreadState *state = PyEval_SaveThread();
  Result<Done> done = found->synchronize();
  PyEval_RestoreThread(state);
  if (!done) {
    raise(done.error());
    return nullptr;
  }
  Py_RETURN_NONE;
}

/// function_lines(text) -> the lines of the function that it begins with
static PyObject *functionLinesOf(PyObject *, PyObject *text) {
  Py_ssize_t length = 0;
  const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
  if (!bytes)
    return nullptr;
  std::string lines = functionLines(std::string(bytes, size_t(length)));
  return PyUnicode_FromStringAndSize(lines.data(), Py_ssize_t(lines.size()));
}

static PyObject *libraryVersion(PyObject *, PyObject *) {
  return PyUnicode_FromString(version());
}

static PyMethodDef functions[] = {
    {"setup", setup, METH_VARARGS,
     "Tells the binding of the classes that it has to know."},
    {"use_device", useDeviceNamed, METH_VARARGS,
     "use_device(name, threads=0): where launches run from now on."},
    {"device_name", deviceName, METH_NOARGS,
     "Where launches were told to run; \"auto\" where they follow their "
     "arrays."},
    {"cuda_count", cudaCount, METH_NOARGS,
     "How many GPUs NVIDIA's driver finds."},
    {"cuda_in_use", cudaInUse, METH_NOARGS,
     "Whether a launch has gone to a GPU."},
    {"record_event", recordEvent, METH_NOARGS,
     "A mark on the default stream of the GPU that was used last."},
    {"elapsed", elapsed, METH_VARARGS,
     "elapsed(earlier, later) -> the milliseconds between two events."},
    {"synchronize", synchronize, METH_VARARGS,
     "synchronize(name): waits for all that was queued on a device; without a "
     "name on the GPU that was used last."},
    {"function_lines", functionLinesOf, METH_O,
     "function_lines(text) -> the lines of the function that it begins with."},
    {"version", libraryVersion, METH_NOARGS, "The version of the library."},
    {nullptr, nullptr, 0, nullptr},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "tesela._binding",
    "The native part of the package.",
    -1,
    functions,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

} // namespace tesela::python

PyMODINIT_FUNC PyInit__binding() {
  using namespace tesela::python;
  Ref module(PyModule_Create(&definition));
  if (!module)
    return nullptr;
  kernelType = createKernelType();
  if (!kernelType ||
      PyModule_AddObjectRef(module.get(), "Kernel", kernelType) != 0)
    return nullptr;
  return module.release();
}
