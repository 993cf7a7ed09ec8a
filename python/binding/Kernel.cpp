//===- Kernel.cpp - the type of jit functions -----------------------------===//
//
//   kernel[grid](x, y, n, BLOCK=1024)
//
// `kernel[grid]` is a built-in method bound to the pair (kernel, grid), so that
// its call gets its arguments without a tuple or a dict being made.
//
// A kernel reads its text and is made known to the library when it is first
// needed. Python's `JITFunction` derives from this type.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

namespace tesela::python {

PyObject *kernelType = nullptr;

namespace {

struct KernelState {
  Ref function; // the Python function
  Signature signature;
  bool noinline = false;
  std::vector<std::string> doNotSpecialize, doNotSpecializeOnAlignment;
  std::shared_ptr<ProcessEnvironment> environment;
  std::shared_ptr<const Function> source;
  std::optional<Kernel> kernel;
  /// `self[grid]` of the last grid that nothing but its extents hang on.
  Ref lastLauncher;
  PyObject *lastGrid = nullptr; // alive as long as `lastLauncher`
};

struct KernelObject {
  PyObject_HEAD KernelState *state;
};

KernelState &stateOf(PyObject *self) {
  return *reinterpret_cast<KernelObject *>(self)->state;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
  auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject *self = allocate(type, 0);
  if (self)
    reinterpret_cast<KernelObject *>(self)->state = new KernelState;
  return self;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (KernelState *state = reinterpret_cast<KernelObject *>(self)->state) {
    Py_VISIT(state->function.get());
    Py_VISIT(state->lastLauncher.get());
    for (const Signature::Parameter &parameter : state->signature.parameters)
      Py_VISIT(parameter.defaultValue.get());
  }
  return 0;
}

int clear(PyObject *self) {
  if (KernelState *state = reinterpret_cast<KernelObject *>(self)->state) {
    if (state->environment)
      state->environment->forget();
    Ref function = std::move(state->function);
    Ref launcher = std::move(state->lastLauncher);
    for (Signature::Parameter &parameter : state->signature.parameters)
      Ref defaultValue = std::move(parameter.defaultValue);
  }
  return 0;
}

void destroy(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  delete std::exchange(reinterpret_cast<KernelObject *>(self)->state, nullptr);
  auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(self);
  Py_DECREF(reinterpret_cast<PyObject *>(type));
}

std::vector<std::string> toTexts(PyObject *tuple) {
  std::vector<std::string> texts;
  for (Py_ssize_t i = 0, end = PyTuple_Size(tuple); i < end; ++i)
    texts.push_back(toText(PyTuple_GetItem(tuple, i)));
  return texts;
}

/// define(function, name, parameters, constexprs, defaults, noinline,
///        do_not_specialize, do_not_specialize_on_alignment)
PyObject *define(PyObject *self, PyObject *args) {
  PyObject *function, *name, *parameters, *constexprs, *defaults;
  PyObject *unspecialised, *unaligned;
  int noinline = 0;
  if (!PyArg_ParseTuple(args, "OUO!O!O!pO!O!:define", &function, &name,
                        &PyTuple_Type, &parameters, &PySet_Type, &constexprs,
                        &PyDict_Type, &defaults, &noinline, &PyTuple_Type,
                        &unspecialised, &PyTuple_Type, &unaligned))
    return nullptr;
  KernelState &state = stateOf(self);
  if (state.function) {
    PyErr_SetString(PyExc_RuntimeError, "the kernel is defined already");
    return nullptr;
  }
  for (Py_ssize_t i = 0, end = PyTuple_Size(parameters); i < end; ++i) {
    PyObject *parameter = Py_NewRef(PyTuple_GetItem(parameters, i));
    PyUnicode_InternInPlace(&parameter);
    state.signature.parameters.push_back(
        {Ref(parameter),
         {toText(parameter), PySet_Contains(constexprs, parameter) == 1},
         Ref::share(PyDict_GetItemWithError(defaults, parameter)),
         isLaunchOption(parameter)});
  }
  if (PyErr_Occurred())
    return nullptr;
  state.signature.function = toText(name);
  state.noinline = noinline != 0;
  state.doNotSpecialize = toTexts(unspecialised);
  state.doNotSpecializeOnAlignment = toTexts(unaligned);
  state.environment = std::make_shared<ProcessEnvironment>(function);
  state.function = Ref::share(function);
  Py_RETURN_NONE;
}

/// The library's kernel behind `self`.
const Kernel *kernelOf(PyObject *self) {
  KernelState &state = stateOf(self);
  if (!state.kernel) {
    std::shared_ptr<const Function> function = functionOf(self);
    if (!function)
      return nullptr;
    Result<Kernel> kernel = Kernel::create(std::move(function));
    if (!kernel) {
      raise(kernel.error());
      return nullptr;
    }
    state.kernel = std::move(*kernel);
  }
  return &*state.kernel;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

bool readExtent(PyObject *value, int64_t &extent) {
  Ref integer =
      PyLong_CheckExact(value) ? Ref::share(value) : Ref(PyNumber_Index(value));
  if (!integer) {
    PyErr_Format(PyExc_TypeError,
                 "the grid has %s in it; its extents are integers",
                 describe(value).c_str());
    return false;
  }
  int overflow = 0;
  extent = PyLong_AsLongLongAndOverflow(integer.get(), &overflow);
  // The library refuses both ends with its own message.
  if (overflow)
    extent = overflow > 0 ? INT64_MAX : INT64_MIN;
  return true;
}

/// A grid is an integer, or a sequence of up to three.
bool readGrid(PyObject *value, Grid &grid) {
  if (PyLong_Check(value))
    return readExtent(value, grid.x);
  if (!PyTuple_Check(value) && !PyList_Check(value)) {
    Ref integer(PyNumber_Index(value));
    if (integer)
      return readExtent(integer.get(), grid.x);
    PyErr_Format(PyExc_TypeError,
                 "the grid is %s; expected an integer, a tuple of up to three, "
                 "or a function that returns one",
                 describe(value).c_str());
    return false;
  }
  Py_ssize_t rank =
      PyTuple_CheckExact(value) ? PyTuple_Size(value) : PySequence_Size(value);
  if (rank < 1 || rank > 3) {
    PyErr_Format(PyExc_ValueError,
                 "the grid has %zd extents; it has to have one, two or three",
                 rank);
    return false;
  }
  int64_t *extents[] = {&grid.x, &grid.y, &grid.z};
  for (Py_ssize_t i = 0; i < rank; ++i) {
    // An extent's `__index__` may change a list.
    Ref item = PyTuple_CheckExact(value) ? Ref::share(PyTuple_GetItem(value, i))
                                         : Ref(PySequence_GetItem(value, i));
    if (!item || !readExtent(item.get(), *extents[i]))
      return false;
  }
  return true;
}

bool resolveGrid(PyObject *value, const Call &call, Grid &grid) {
  if (PyTuple_Check(value) || !PyCallable_Check(value))
    return readGrid(value, grid);
  Ref meta = call.meta();
  Ref result(meta ? PyObject_CallFunctionObjArgs(value, meta.get(), nullptr)
                  : nullptr);
  return result && readGrid(result.get(), grid);
}

PyObject *launch(PyObject *pair, PyObject *const *values, Py_ssize_t count,
                 PyObject *names) {
  PyObject *self = PyTuple_GetItem(pair, 0);
  // Alive until the call returns, as `self` is.
  const Kernel *kernel = kernelOf(self);
  if (!kernel)
    return nullptr;
  Call call(stateOf(self).signature);
  Grid grid;
  if (!call.bind(values, count, names) ||
      !resolveGrid(PyTuple_GetItem(pair, 1), call, grid) ||
      !call.convertValues())
    return nullptr;
  // As in Triton, a grid without an instance runs nothing.
  if ((grid.x == 0 || grid.y == 0 || grid.z == 0) && grid.x >= 0 &&
      grid.y >= 0 && grid.z >= 0)
    Py_RETURN_NONE;
  const Device *device = call.launchDevice();
  if (!device)
    return nullptr;
  Result<Done> done =
      kernel->launch(*device, grid, call.arguments(), {}, call.options());
  if (!done) {
    raise(done.error());
    return nullptr;
  }
  // A warning may be an exception.
  if (PyErr_Occurred())
    return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef launchMethod = {
    "launch",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launch)),
    METH_FASTCALL | METH_KEYWORDS, "Runs the kernel on its grid."};

/// Whether a grid is extents and nothing else, so that keeping it keeps no
/// tensor alive.
bool isPlainGrid(PyObject *grid) {
  if (!PyTuple_CheckExact(grid))
    return false;
  for (Py_ssize_t i = 0, end = PyTuple_Size(grid); i < end; ++i)
    if (!PyLong_CheckExact(PyTuple_GetItem(grid, i)))
      return false;
  return true;
}

PyObject *subscript(PyObject *self, PyObject *grid) {
  KernelState &state = stateOf(self);
  if (state.lastLauncher && grid == state.lastGrid)
    return Py_NewRef(state.lastLauncher.get());
  Ref pair(PyTuple_Pack(2, self, grid));
  Ref launcher(pair ? PyCFunction_NewEx(&launchMethod, pair.get(), nullptr)
                    : nullptr);
  if (launcher && isPlainGrid(grid)) {
    state.lastGrid = grid;
    state.lastLauncher = Ref::share(launcher.get());
  }
  return launcher.release();
}

//===----------------------------------------------------------------------===//
// Compiling without a launch
//===----------------------------------------------------------------------===//

/// compile(args, kwargs) -> (origin, {stage: seconds}, bytes of code, device,
///                           bytes of shared memory, bytes of scratch memory)
PyObject *compile(PyObject *self, PyObject *args) {
  PyObject *positional, *named;
  if (!PyArg_ParseTuple(args, "O!O!:compile", &PyTuple_Type, &positional,
                        &PyDict_Type, &named))
    return nullptr;
  const Kernel *kernel = kernelOf(self);
  Call call(stateOf(self).signature);
  if (!kernel || !call.bind(positional, named) || !call.convertValues())
    return nullptr;
  const Device *device = call.compileDevice();
  if (!device)
    return nullptr;
  Result<CompileReport> report =
      Kernel(*kernel).compile(*device, call.arguments(), {}, call.options());
  if (!report) {
    raise(report.error());
    return nullptr;
  }
  for (const Message &warning : report->warnings)
    warn(warning);
  if (PyErr_Occurred())
    return nullptr;
  Ref stages(PyDict_New());
  for (const CompileReport::Stage &stage : report->stages) {
    Ref seconds(PyFloat_FromDouble(stage.seconds));
    if (!seconds || PyDict_SetItemString(stages.get(), stage.name.c_str(),
                                         seconds.get()) != 0)
      return nullptr;
  }
  std::string_view name = device->name();
  return Py_BuildValue("(sOns#nn)", report->origin.c_str(), stages.get(),
                       Py_ssize_t(report->codeBytes), name.data(),
                       Py_ssize_t(name.size()), Py_ssize_t(report->sharedBytes),
                       Py_ssize_t(report->scratchBytes));
}

/// show(stage, args, kwargs, source_lines) -> text
PyObject *show(PyObject *self, PyObject *args) {
  const char *stage;
  PyObject *positional, *named;
  int sourceLines = 0;
  if (!PyArg_ParseTuple(args, "sO!O!|p:show", &stage, &PyTuple_Type,
                        &positional, &PyDict_Type, &named, &sourceLines))
    return nullptr;
  const Kernel *kernel = kernelOf(self);
  Call call(stateOf(self).signature);
  if (!kernel || !call.bind(positional, named) || !call.convertValues())
    return nullptr;
  const Device *device = call.compileDevice();
  if (!device)
    return nullptr;
  Result<std::string> text = Kernel(*kernel).show(
      *device, stage, call.arguments(), {}, call.options(), sourceLines != 0);
  if (!text) {
    raise(text.error());
    return nullptr;
  }
  if (PyErr_Occurred())
    return nullptr;
  return PyUnicode_DecodeUTF8(text->data(), Py_ssize_t(text->size()),
                              "replace");
}

PyMethodDef methods[] = {
    {"define", define, METH_VARARGS,
     "define(function, name, parameters, constexprs, defaults, noinline, "
     "do_not_specialize, do_not_specialize_on_alignment)"},
    {"compile", compile, METH_VARARGS,
     "compile(args, kwargs) -> (origin, {stage: seconds}, bytes of code, "
     "device, bytes of shared memory, bytes of scratch memory)"},
    {"show", show, METH_VARARGS,
     "show(stage, args, kwargs, source_lines=False) -> text"},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

std::shared_ptr<const Function> functionOf(PyObject *kernel) {
  KernelState &state = stateOf(kernel);
  if (state.source)
    return state.source;
  if (!state.function) {
    PyErr_SetString(PyExc_RuntimeError, "the kernel is not defined");
    return nullptr;
  }
  // (file, first line, text)
  Ref read(PyObject_CallMethod(kernel, "_read_source", nullptr));
  PyObject *fileName; // in the encoding of the file system
  const char *text;
  int firstLine;
  if (!read ||
      !PyArg_ParseTuple(read.get(), "O&is:_read_source", PyUnicode_FSConverter,
                        &fileName, &firstLine, &text))
    return nullptr;
  Ref file(fileName);
  auto function = std::make_shared<Function>();
  function->name = state.signature.function;
  function->file = PyBytes_AsString(file.get());
  function->firstLine = firstLine;
  function->source = text;
  function->environment = state.environment;
  function->noinline = state.noinline;
  function->doNotSpecialize = state.doNotSpecialize;
  function->doNotSpecializeOnAlignment = state.doNotSpecializeOnAlignment;
  state.source = std::move(function);
  return state.source;
}

PyObject *createKernelType() {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char *>("What a jit function is made of.")},
      {Py_tp_new, reinterpret_cast<void *>(create)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
      {Py_tp_clear, reinterpret_cast<void *>(clear)},
      {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
      {Py_mp_subscript, reinterpret_cast<void *>(subscript)},
      {Py_tp_methods, methods},
      {0, nullptr},
  };
  static PyType_Spec spec = {
      "tesela._binding.Kernel", sizeof(KernelObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  return PyType_FromSpec(&spec);
}

} // namespace tesela::python
