// SPDX-License-Identifier: MIT
// Up to clang 16, the address sanitizer does not hold its own locks while a process forks: a child whose
// parent had another thread in malloc then waits for ever. clang 17 and later lock as below
// (llvm.org/D148280).
#if defined(__clang__) && __clang_major__ < 17
#if __has_feature(address_sanitizer)
#include <pthread.h>

// Functions of the sanitizer's runtime, which names itself so.
namespace __lsan {
void LockAllocator();
void UnlockAllocator();
}
namespace __sanitizer {
void StackDepotLockAll();
void StackDepotUnlockAll();
}

namespace {

void before_fork() {
  __lsan::LockAllocator();
  __sanitizer::StackDepotLockAll();
}
void after_fork() {
  __sanitizer::StackDepotUnlockAll();
  __lsan::UnlockAllocator();
}
[[maybe_unused]] int const installed = ::pthread_atfork(before_fork, after_fork, after_fork);

}
#endif
#endif
