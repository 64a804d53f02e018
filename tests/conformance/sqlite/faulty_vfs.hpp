// SPDX-License-Identifier: MIT
// An SQLite VFS over the default one whose calls are counted and fail where a test says so.
#pragma once
#include <cstdint>
#include <mutex>

#include <sqlite3.h>

namespace sessionkit_test {

/// One for the process, registered as "sessionkit-faulty" when it is first asked for.
struct FaultyVfs {
  std::mutex mutex;
  std::int64_t at = -1, calls = 0, fired = 0;
  std::uint64_t syncs = 0;
  bool sticky = false;
  int code = SQLITE_IOERR;  ///< what fails says this, made particular: a read SQLITE_IOERR_READ, ...
  bool always_busy = false; ///< a lock that fails for ever is busy: who waits does so to the end

  static FaultyVfs& get();
  static char const* name() { return "sessionkit-faulty"; }
  bool fails() {
    std::lock_guard<std::mutex> const lock(mutex);
    bool const now = at >= 0 && (sticky ? calls >= at : calls == at);
    ++calls;
    fired += now ? 1 : 0;
    return now;
  }
  bool says_busy() const { return always_busy || !sticky; }
  bool arm(std::int64_t n, bool stay) {
    std::lock_guard<std::mutex> const lock(mutex);
    bool const did = fired > 0;
    at = n, sticky = stay, calls = fired = 0;
    return did;
  }
};

}
