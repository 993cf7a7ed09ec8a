//===- CudaDevice.h - one GPU and its primary context ---------------------===//
//
// The primary context of a device is the one that CUDA's runtime, and with it
// PyTorch and CuPy, uses too: memory and streams are shared with them.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_RUNTIME_CUDADEVICE_H
#define TESELA_RUNTIME_CUDADEVICE_H

#include "runtime/CudaDriver.h"

#include <atomic>
#include <mutex>
#include <set>

namespace tesela::runtime {

class CudaDevice {
public:
  /// Null where there is no such device or its context can't be had.
  static std::unique_ptr<CudaDevice> open(const CudaDriver &driver, int ordinal,
                                          RunError &error);
  /// That of the process, opened once and kept.
  static CudaDevice *get(int ordinal, RunError &error);

  const CudaDriver &driver() const { return table; }
  int ordinal() const { return number; }
  /// "NVIDIA H200".
  const std::string &name() const { return title; }
  /// 90 for compute capability 9.0.
  int capability() const { return compute; }
  /// That one block may have.
  uint64_t sharedBytes() const { return shared; }
  /// Multiprocessors.
  unsigned processors() const { return unsigned(count); }

  /// Waits until everything queued on the device is done.
  bool synchronize(RunError &error) const;

  /// Memory of the device; null where there is none left.
  void *allocate(size_t bytes, RunError &error) const;
  void release(void *memory) const;
  /// Wait for all that was queued before, and return when done.
  bool copyIn(void *to, const void *from, size_t bytes, RunError &error) const;
  bool copyOut(void *to, const void *from, size_t bytes, RunError &error) const;

  /// An event at the end of what is queued on a stream; null where it fails.
  void *recordEvent(void *stream, RunError &error) const;
  void releaseEvent(void *event) const;
  /// Waits for both.
  bool elapsed(void *begin, void *end, double &milliseconds,
               RunError &error) const;

  /// The same characters for as long as the process lives.
  const char *intern(const std::string &kernel) const;
  void noteLaunch(const char *kernel) const {
    lastKernel.store(kernel, std::memory_order_relaxed);
  }
  /// Says what a failed call of the driver means; always false.
  bool fail(CudaResult result, const std::string &what, RunError &error) const;

private:
  friend class CurrentContext;
  CudaDevice(const CudaDriver &table, int ordinal)
      : table(table), number(ordinal) {}

  const CudaDriver &table;
  int number;
  void *context = nullptr;
  std::string title;
  int compute = 0;
  uint64_t shared = 0;
  int count = 0;
  mutable std::mutex naming;
  mutable std::set<std::string> kernels;
  mutable std::atomic<const char *> lastKernel = nullptr;
};

/// Makes a device's context that of the thread while it lives.
class CurrentContext {
public:
  explicit CurrentContext(const CudaDevice &device);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  CudaResult result() const { return status; }

private:
  const CudaDevice &device;
  CudaResult status;
  bool pushed = false;
};

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_CUDADEVICE_H
