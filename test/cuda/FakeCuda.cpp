//===- FakeCuda.cpp - a driver of NVIDIA's that only takes notes ----------===//
//
// Tests point TESELA_CUDA_LIBRARY at this library. It has as many devices as it
// is told, runs nothing, writes down what it was asked for and fails where a
// test wants it to. Memory of its devices is the host's.
//
// Settings are words of the form NAME=VALUE in TESELA_FAKE_CUDA:
//   devices=1 version=12080 capability=90 shared=232448 threads=1024 memory=N
//   parameters=8,8,4   bytes of each parameter, to note their contents
//   fail=launch:700@2  the second call of `launch` gives 700
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct State {
  std::map<std::string, std::string> settings;
  std::map<std::string, int> calls;
  std::string log;
  std::map<uint64_t, size_t> memory;
  int sticky = 0;
  void *context = nullptr;
};

State &state() {
  static State *made = [] {
    auto *state = new State;
    std::istringstream words(
        getenv("TESELA_FAKE_CUDA") ? getenv("TESELA_FAKE_CUDA") : "");
    for (std::string word; words >> word;)
      if (size_t equals = word.find('='); equals != word.npos)
        state->settings[word.substr(0, equals)] = word.substr(equals + 1);
    return state;
  }();
  return *made;
}

std::recursive_mutex mutex;

long setting(const char *name, long otherwise) {
  auto found = state().settings.find(name);
  return found == state().settings.end() ? otherwise
                                         : atol(found->second.c_str());
}

template <typename... Ts>
void note(const Ts &...parts) {
  std::ostringstream line;
  ((line << parts << ' '), ...);
  std::string text = line.str();
  text.back() = '\n';
  state().log += text;
  if (const char *path = getenv("TESELA_FAKE_CUDA_LOG"))
    if (FILE *file = fopen(path, "a")) {
      fputs(text.c_str(), file);
      fclose(file);
    }
}

/// What a call gives before it does anything.
int begin(const char *name) {
  State &now = state();
  int count = ++now.calls[name];
  auto wish = now.settings.find("fail");
  if (wish != now.settings.end()) {
    char what[64] = "";
    int code = 0, when = 1;
    sscanf(wish->second.c_str(), "%63[^:]:%d@%d", what, &code, &when);
    if (!strcmp(what, name) && count == when) {
      if (code >= 700 && code <= 719 && code != 701)
        now.sticky = code;
      return code;
    }
  }
  return now.sticky;
}

std::string hex(const void *bytes, size_t count) {
  std::string text;
  char digits[3];
  for (size_t i = 0; i < count; ++i) {
    snprintf(digits, sizeof digits, "%02x",
             static_cast<const unsigned char *>(bytes)[i]);
    text += digits;
  }
  return text;
}

void noteParameters(void **parameters) {
  std::istringstream sizes(state().settings["parameters"]);
  int index = 0;
  for (std::string size; std::getline(sizes, size, ','); ++index)
    note("parameter", index,
         hex(parameters[index], size_t(atol(size.c_str()))));
}

} // namespace

#define BEGIN(name)                                                            \
  std::lock_guard lock(mutex);                                                 \
  if (int result = begin(name))                                                \
    return result;

/// Replaces all settings and forgets all that was noted.
EXPORT void fakeCudaReset(const char *settings) {
  std::lock_guard lock(mutex);
  setenv("TESELA_FAKE_CUDA", settings, 1);
  State fresh;
  std::istringstream words(settings);
  for (std::string word; words >> word;)
    if (size_t equals = word.find('='); equals != word.npos)
      fresh.settings[word.substr(0, equals)] = word.substr(equals + 1);
  fresh.memory = state().memory;
  state() = fresh;
}

EXPORT const char *fakeCudaLog() { return state().log.c_str(); }

EXPORT int cuDriverGetVersion(int *version) {
  *version = int(setting("version", 12080));
  return 0;
}

EXPORT int cuInit(unsigned) {
  BEGIN("init");
  return setting("devices", 1) == 0 ? 100 : 0;
}

EXPORT int cuGetErrorName(int result, const char **text) {
  *text = result == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == 218 ? "CUDA_ERROR_INVALID_PTX"
                          : "CUDA_ERROR_OTHER";
  return 0;
}

EXPORT int cuGetErrorString(int result, const char **text) {
  *text = result == 2     ? "out of memory"
          : result == 700 ? "an illegal memory access was encountered"
          : result == 218 ? "a PTX JIT compilation failed"
                          : "something else";
  return 0;
}

EXPORT int cuDeviceGetCount(int *count) {
  BEGIN("deviceCount");
  *count = int(setting("devices", 1));
  return 0;
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
  BEGIN("deviceGet");
  *device = ordinal;
  return ordinal < setting("devices", 1) ? 0 : 101;
}

EXPORT int cuDeviceGetName(char *name, int bytes, int) {
  BEGIN("deviceName");
  snprintf(name, size_t(bytes), "Fake GPU");
  return 0;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  BEGIN("deviceAttribute");
  long capability = setting("capability", 90);
  *value = int(attribute == 75   ? capability / 10
               : attribute == 76 ? capability % 10
               : attribute == 97 ? setting("shared", 232448)
               : attribute == 16 ? 132
                                 : 0);
  return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  BEGIN("retainContext");
  *context = reinterpret_cast<void *>(uintptr_t(0x1000 + device));
  return 0;
}

static thread_local std::vector<void *> contexts;

EXPORT int cuCtxGetCurrent(void **context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return 0;
}

EXPORT int cuCtxPushCurrent_v2(void *context) {
  BEGIN("pushContext");
  contexts.push_back(context);
  return 0;
}

EXPORT int cuCtxPopCurrent_v2(void **context) {
  if (contexts.empty())
    return 201;
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}

EXPORT int cuCtxSynchronize() {
  BEGIN("synchronize");
  note("synchronize");
  return 0;
}

EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                              int *options, void **values) {
  BEGIN("moduleLoad");
  if (contexts.empty())
    return 201;
  auto *text = static_cast<const char *>(image);
  if (strstr(text, "not PTX")) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        strcpy(static_cast<char *>(values[i]), "line 1: not PTX at all");
    return 218;
  }
  note("load", strlen(text));
  *module = strdup(text);
  return 0;
}

EXPORT int cuModuleUnload(void *module) {
  BEGIN("moduleUnload");
  note("unload");
  free(module);
  return 0;
}

EXPORT int cuModuleGetFunction(void **function, void *module,
                               const char *name) {
  BEGIN("moduleFunction");
  if (!strstr(static_cast<char *>(module), name))
    return 500;
  *function = strdup(name);
  return 0;
}

EXPORT int cuFuncGetAttribute(int *value, int attribute, void *) {
  BEGIN("functionAttribute");
  *value = int(attribute == 0   ? setting("threads", 1024)
               : attribute == 1 ? setting("static", 0)
                                : 0);
  return 0;
}

EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
  BEGIN("setFunctionAttribute");
  note("attribute", static_cast<char *>(function), attribute, value);
  return attribute == 8 && value > setting("shared", 232448) ? 1 : 0;
}

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int,
                                                       size_t) {
  BEGIN("residentBlocks");
  *blocks = int(setting("residents", 8));
  return 0;
}

EXPORT int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                          unsigned gridZ, unsigned blockX, unsigned blockY,
                          unsigned blockZ, unsigned sharedBytes, void *stream,
                          void **parameters, void **) {
  BEGIN("launch");
  if (contexts.empty())
    return 201;
  note("launch", static_cast<char *>(function), "grid", gridX, gridY, gridZ,
       "block", blockX, blockY, blockZ, "shared", sharedBytes, "stream",
       uintptr_t(stream), "context", uintptr_t(contexts.back()));
  noteParameters(parameters);
  return 0;
}

struct Config {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  void *stream;
  struct Attribute {
    int id;
    char padding[4];
    unsigned cluster[16];
  } *attributes;
  unsigned numAttributes;
};

EXPORT int cuLaunchKernelEx(const Config *config, void *function,
                            void **parameters, void **) {
  BEGIN("launchEx");
  note("launchEx", static_cast<char *>(function), "grid", config->grid[0],
       config->grid[1], config->grid[2], "block", config->block[0], "shared",
       config->sharedBytes, "stream", uintptr_t(config->stream));
  for (unsigned i = 0; i < config->numAttributes; ++i)
    note("attribute", config->attributes[i].id,
         config->attributes[i].cluster[0], config->attributes[i].cluster[1],
         config->attributes[i].cluster[2]);
  noteParameters(parameters);
  return 0;
}

EXPORT int cuTensorMapEncodeTiled(uint64_t *map, int dtype, unsigned rank,
                                  void *address, const uint64_t *extents,
                                  const uint64_t *strides, const uint32_t *box,
                                  const uint32_t *steps, int interleave,
                                  int swizzle, int promotion, int fill) {
  BEGIN("encodeTensorMap");
  std::ostringstream line;
  for (unsigned i = 0; i < rank; ++i)
    line << " [" << extents[i] << " box " << box[i] << " step " << steps[i]
         << (i ? " stride " + std::to_string(strides[i - 1]) : "") << "]";
  note("map type", dtype, "address", uintptr_t(address), "swizzle", swizzle,
       "interleave", interleave, "promotion", promotion, "fill", fill,
       line.str());
  if (uintptr_t(map) % 64 != 0 || uintptr_t(address) % 16 != 0)
    return 1;
  memset(map, 0, 128);
  map[0] = uintptr_t(address);
  return 0;
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  BEGIN("allocate");
  if (bytes > size_t(setting("memory", 1l << 30)))
    return 2;
  *address = reinterpret_cast<uint64_t>(aligned_alloc(256, (bytes | 255) + 1));
  state().memory[*address] = bytes;
  note("allocate", bytes);
  return 0;
}

EXPORT int cuMemFree_v2(uint64_t address) {
  BEGIN("release");
  if (!state().memory.erase(address))
    return 1;
  note("release");
  free(reinterpret_cast<void *>(address));
  return 0;
}

EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  BEGIN("copyIn");
  memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}

EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  BEGIN("copyOut");
  memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return 0;
}

EXPORT int cuEventCreate(void **event, unsigned) {
  *event = calloc(1, 8);
  return 0;
}

EXPORT int cuEventDestroy_v2(void *event) {
  free(event);
  return 0;
}

EXPORT int cuEventRecord(void *, void *stream) {
  BEGIN("eventRecord");
  note("record", uintptr_t(stream));
  return 0;
}

EXPORT int cuEventSynchronize(void *) {
  BEGIN("eventSynchronize");
  return 0;
}

EXPORT int cuEventElapsedTime(float *milliseconds, void *, void *) {
  *milliseconds = 1.5f;
  return 0;
}
