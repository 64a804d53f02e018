// SPDX-License-Identifier: MIT
#include "sqlite/faulty_vfs.hpp"

#include <cstddef>
#include <cstring>

namespace sessionkit_test {

namespace {

struct FaultyFile {
  sqlite3_file base;
  sqlite3_file* real;
};
sqlite3_file* real_of(sqlite3_file* file) { return reinterpret_cast<FaultyFile*>(file)->real; }
FaultyVfs& faults() { return FaultyVfs::get(); }
using Call = FaultyVfs::Call;
sqlite3_vfs* default_vfs() {
  static sqlite3_vfs* const found = sqlite3_vfs_find(nullptr);
  return found;
}

int faulty_close(sqlite3_file* file) {
  int const result = real_of(file)->pMethods ? real_of(file)->pMethods->xClose(real_of(file)) : SQLITE_OK;
  sqlite3_free(real_of(file));
  return result;
}
int faulty_read(sqlite3_file* file, void* to, int bytes, sqlite3_int64 offset) {
  if (!faults().fails(Call::read)) return real_of(file)->pMethods->xRead(real_of(file), to, bytes, offset);
  if (faults().code != SQLITE_IOERR_SHORT_READ) return SQLITE_IOERR_READ;
  std::memset(to, 0, static_cast<std::size_t>(bytes));
  return SQLITE_IOERR_SHORT_READ;
}
int faulty_write(sqlite3_file* file, void const* from, int bytes, sqlite3_int64 offset) {
  if (faults().fails(Call::write)) return faults().code == SQLITE_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  return real_of(file)->pMethods->xWrite(real_of(file), from, bytes, offset);
}
int faulty_truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (faults().fails(Call::other)) return SQLITE_IOERR_TRUNCATE;
  return real_of(file)->pMethods->xTruncate(real_of(file), size);
}
int faulty_sync(sqlite3_file* file, int) {
  if (faults().fails(Call::other)) return SQLITE_IOERR_FSYNC;
  std::lock_guard<std::mutex> const lock(faults().mutex);
  ++faults().syncs; // counted, not done: this test does not cut the power
  static_cast<void>(file);
  return SQLITE_OK;
}
int faulty_size(sqlite3_file* file, sqlite3_int64* size) {
  if (faults().fails(Call::other)) return SQLITE_IOERR_FSTAT;
  return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
int faulty_lock(sqlite3_file* file, int level) {
  if (faults().fails(Call::lock)) return faults().code == SQLITE_BUSY ? SQLITE_BUSY : SQLITE_IOERR_LOCK;
  return real_of(file)->pMethods->xLock(real_of(file), level);
}
int faulty_unlock(sqlite3_file* file, int level) {
  return real_of(file)->pMethods->xUnlock(real_of(file), level);
}
int faulty_check_lock(sqlite3_file* file, int* out) {
  return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}
int faulty_control(sqlite3_file* file, int op, void* arg) {
  return real_of(file)->pMethods->xFileControl(real_of(file), op, arg);
}
int faulty_sector(sqlite3_file* file) { return real_of(file)->pMethods->xSectorSize(real_of(file)); }
int faulty_device(sqlite3_file* file) {
  return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}
int faulty_map(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  if (faults().fails(Call::other)) return SQLITE_IOERR_SHMMAP;
  return real_of(file)->pMethods->xShmMap(real_of(file), region, size, extend, out);
}
int faulty_shm_lock(sqlite3_file* file, int offset, int n, int flags) {
  bool const gives_back = (flags & SQLITE_SHM_UNLOCK) != 0;
  if (!gives_back && faults().fails(Call::lock))
    return faults().code == SQLITE_BUSY ? SQLITE_BUSY : SQLITE_IOERR_SHMLOCK;
  return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}
void faulty_barrier(sqlite3_file* file) { real_of(file)->pMethods->xShmBarrier(real_of(file)); }
int faulty_unmap(sqlite3_file* file, int remove) {
  return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

sqlite3_io_methods const faulty_methods{2,
                                        faulty_close,
                                        faulty_read,
                                        faulty_write,
                                        faulty_truncate,
                                        faulty_sync,
                                        faulty_size,
                                        faulty_lock,
                                        faulty_unlock,
                                        faulty_check_lock,
                                        faulty_control,
                                        faulty_sector,
                                        faulty_device,
                                        faulty_map,
                                        faulty_shm_lock,
                                        faulty_barrier,
                                        faulty_unmap,
                                        nullptr,
                                        nullptr};

int faulty_open(sqlite3_vfs*, char const* name, sqlite3_file* file, int flags, int* out) {
  auto* const made = reinterpret_cast<FaultyFile*>(file);
  made->base.pMethods = nullptr;
  if (faults().fails(Call::open)) return SQLITE_CANTOPEN;
  made->real = static_cast<sqlite3_file*>(sqlite3_malloc(default_vfs()->szOsFile));
  if (made->real == nullptr) return SQLITE_NOMEM;
  made->real->pMethods = nullptr;
  int const result = default_vfs()->xOpen(default_vfs(), name, made->real, flags, out);
  if (result != SQLITE_OK && made->real->pMethods == nullptr) {
    sqlite3_free(made->real);
    return result;
  }
  made->base.pMethods = &faulty_methods;
  return result;
}
int faulty_delete(sqlite3_vfs*, char const* name, int sync) {
  if (faults().fails(Call::other)) return SQLITE_IOERR_DELETE;
  return default_vfs()->xDelete(default_vfs(), name, sync);
}
int faulty_access(sqlite3_vfs*, char const* name, int flags, int* out) {
  if (faults().fails(Call::other)) return SQLITE_IOERR_ACCESS;
  return default_vfs()->xAccess(default_vfs(), name, flags, out);
}
int faulty_path(sqlite3_vfs*, char const* name, int size, char* out) {
  return default_vfs()->xFullPathname(default_vfs(), name, size, out);
}
// After some faults SQLite waits ten seconds, because it believes that others are writing.
int faulty_sleep(sqlite3_vfs*, int microseconds) {
  return faults().at >= 0 ? microseconds : default_vfs()->xSleep(default_vfs(), microseconds);
}

}

bool FaultyVfs::concerns(Call call) const {
  switch (code) {
  case SQLITE_FULL: return call == Call::write;
  case SQLITE_BUSY: return call == Call::lock;
  case SQLITE_IOERR_SHORT_READ: return call == Call::read;
  default: return true;
  }
}

bool FaultyVfs::fails(Call call) {
  std::lock_guard<std::mutex> const lock(mutex);
  if (!concerns(call)) return false;
  bool const now = at >= 0 && (sticky ? calls >= at : calls == at);
  ++calls;
  fired += now ? 1 : 0;
  return now;
}

constexpr char const* vfs_name = "sessionkit-faulty";

char const* FaultyVfs::name() {
  get();
  return vfs_name;
}

FaultyVfs& FaultyVfs::get() {
  static FaultyVfs state;
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs made = *default_vfs();
    made.pNext = nullptr;
    made.zName = vfs_name;
    made.szOsFile = sizeof(FaultyFile);
    made.xOpen = faulty_open;
    made.xDelete = faulty_delete;
    made.xAccess = faulty_access;
    made.xFullPathname = faulty_path;
    made.xSleep = faulty_sleep;
    return made;
  }();
  static int const registered = sqlite3_vfs_register(&vfs, 0);
  static_cast<void>(registered);
  return state;
}

}
