//===- Futex.h - sleep until a word changes -------------------------------===//

#ifndef TESELA_RUNTIME_FUTEX_H
#define TESELA_RUNTIME_FUTEX_H

#include <atomic>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tesela::runtime {

/// Sleeps while the word is `value`; may also return for no reason.
inline void sleepWhile(std::atomic<uint32_t> &word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

/// Wakes as many of those that sleep on the word.
inline void wake(std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

/// Tells the processor that this is a loop that waits.
inline void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

} // namespace tesela::runtime

#endif // TESELA_RUNTIME_FUTEX_H
