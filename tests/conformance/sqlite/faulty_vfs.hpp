// SPDX-License-Identifier: MIT
// An SQLite VFS over the default one that counts its calls and fails on request.
#pragma once
#include <cstdint>
#include <mutex>

#include <sqlite3.h>

namespace sessionkit_test {

/// One for the process, registered as "sessionkit-faulty" when it is first asked for.
struct FaultyVfs {
  enum class Call { open, read, write, lock, other };

  std::mutex mutex;
  std::int64_t at = -1, calls = 0, fired = 0; ///< calls of the kinds that `code` concerns
  std::uint64_t syncs = 0;
  bool sticky = false;
  /// SQLITE_IOERR: any call fails, and reports which (a read SQLITE_IOERR_READ, an open SQLITE_CANTOPEN,
  /// ...). SQLITE_FULL: writes. SQLITE_BUSY: locks. SQLITE_IOERR_SHORT_READ: reads, which find the file's
  /// end.
  int code = SQLITE_IOERR;

  static FaultyVfs& get();
  static char const* name();
  bool fails(Call call);
  bool arm(std::int64_t n, bool stay) {
    std::lock_guard<std::mutex> const lock(mutex);
    bool const did = fired > 0;
    at = n, sticky = stay, calls = fired = 0;
    return did;
  }

 private:
  bool concerns(Call call) const;
};

}
