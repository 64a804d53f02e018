// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_doubts.hpp>
#include <sessionkit/detail/base/system_fault.hpp>
#include <sessionkit/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The part of a file's status that the library uses.
struct FileStatus {
  enum Kind { regular, directory, link, other };
  Kind kind = other;
  std::uint64_t device = 0, inode = 0, size = 0, links = 0;
  std::int64_t modified_ns = 0; ///< the time of the last change: nanoseconds since 1970
  /// The time of the last change of the bytes or of this status, in the same unit. A program can set
  /// `modified_ns`, but not this time. Zero if the system has no such time.
  std::int64_t changed_ns = 0;
  unsigned owner = 0;
  unsigned mode = 0; ///< who may do what, as the bits of `chmod`: 0600 is a file for its owner only
  bool same_file(FileStatus const& o) const noexcept { return device == o.device && inode == o.inode; }
  /// True for the same file with unchanged bytes, as far as its size and time show.
  bool same_version(FileStatus const& o) const noexcept {
    return same_file(o) && size == o.size && modified_ns == o.modified_ns;
  }
};

/// Says what the times of files on a file system prove.
struct TimeScope {
  /// Names this start of the machine, this mount of the file system, and its device. As long as the name is
  /// the same, a file with the same inode, size and times has the same bytes. Empty: times prove nothing.
  std::string name = {};
  /// True if a change always gives a file other times than those that the last `status` before it returned.
  /// False if two changes within a few milliseconds may get the same time.
  bool fine = false;
};

/// The process that has the lock of a file.
struct LockHolder {
  int process = 0;       ///< the id of the process; zero: the system does not show the id
  std::string host = {}; ///< the name of this machine
};

/// A list of file names. They are kept in one string, because a directory may contain a hundred thousand
/// files.
class FileNames {
 public:
  void push_back(std::string_view name) {
    text_.append(name).push_back('\0'); // no name contains this byte
    ++size_;
  }
  void clear() noexcept {
    text_.clear();
    size_ = 0;
  }
  std::size_t size() const noexcept { return size_; }
  /// Calls `use` with each name.
  template <class Use> void each(Use&& use) const {
    for (std::size_t at = 0, end = 0; at != text_.size(); at = end + 1) {
      end = text_.find('\0', at);
      use(std::string_view(text_).substr(at, end - at));
    }
  }
  /// Returns the names for which `wanted` is true, sorted by their bytes.
  SESSIONKIT_API std::vector<std::string> sorted(bool (*wanted)(std::string_view name)) const;

 private:
  std::string text_;
  std::size_t size_ = 0;
};

/// A value for the argument `directory` of the functions of `FileOps`. With this value, the argument `name`
/// is a path that is absolute, or relative to the working directory.
inline constexpr int working_directory = std::numeric_limits<int>::min();

/// Says how a file is opened. Without `follow_links`, a symbolic link is refused. Opening a pipe never waits
/// for the other end of the pipe.
enum class OpenFlags : unsigned {
  read = 1,
  write = 2,
  append = 4,        ///< with `write`: each write goes to the end of the file
  create = 8,        ///< a missing file is made, for its owner only
  only_new = 16,     ///< as `create`, but opening fails if the name exists already
  truncate = 32,     ///< the file loses its content
  directory = 64,    ///< the name must be a directory; its names can be listed, and it can be synced
  follow_links = 128 ///< a symbolic link is followed to its target
};
constexpr OpenFlags operator|(OpenFlags a, OpenFlags b) noexcept {
  return static_cast<OpenFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(OpenFlags flags, OpenFlags flag) noexcept {
  return (static_cast<unsigned>(flags) & static_cast<unsigned>(flag)) != 0;
}

/// Makes every system call on the files of a store, so that a test can count the calls and let them fail. A
/// function returns the result of its system call, or a failure (below zero, see `fault_of`). No function
/// repeats a system call, with one exception: on Windows, if another program does not share the file, the
/// call is repeated for two seconds.
class SESSIONKIT_API FileOps {
 public:
  virtual ~FileOps() = default;

  /// Opens a file. Returns a descriptor, the number of the open file in calls of the other functions.
  virtual int open(int directory, char const* name, OpenFlags flags) = 0;
  virtual int close(int descriptor) = 0;
  virtual std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) = 0;
  virtual std::int64_t write(int descriptor, char const* from, std::size_t bytes) = 0;
  /// Writes at an offset of a file that was opened without `append`.
  virtual std::int64_t pwrite(int descriptor, char const* from, std::size_t bytes, std::uint64_t offset) = 0;
  virtual int sync_data(int descriptor) = 0;
  virtual int sync(int descriptor) = 0;
  virtual int status(int descriptor, FileStatus& out) = 0;
  /// Reads the status of a name. For a symbolic link, this is the status of the link, not of its target.
  virtual int status_at(int directory, char const* name, FileStatus& out) = 0;
  /// Does the same as `status_at`, but the two times may stay as they are. Use this before a write: on Linux,
  /// a write after its file's times were read must store new times, and the next sync must write them too. If
  /// `name` is empty, `directory` is an open file, and the status is that of this file. `links` is then zero
  /// if the file was removed or replaced. A system that does not tell this fails such a call.
  virtual int status_at_without_time(int directory, char const* name, FileStatus& out) {
    return *name == '\0' ? -system_code(SystemFault::missing) : status_at(directory, name, out);
  }
  /// Takes an exclusive lock of the file, without waiting. The lock is released when the descriptor is closed
  /// or the process ends.
  virtual int try_lock(int descriptor) = 0;
  virtual int unlock(int descriptor) = 0;
  /// Returns the process that has the lock which `try_lock` did not get. Each call asks the system again.
  virtual LockHolder lock_holder(int descriptor) = 0;
  virtual int set_mode(int descriptor, unsigned mode) = 0;
  /// Makes a directory for its owner only.
  virtual int make_directory(int directory, char const* name) = 0;
  /// Fails with `exists` if `replace` is false and the new name exists.
  virtual int rename(int from_directory, char const* from, int to_directory, char const* to,
                     bool replace) = 0;
  virtual int unlink(int directory, char const* name) = 0;
  /// Lists the names in an open directory, without `.` and `..`, in any order.
  virtual int list(int directory, FileNames& names) = 0;
  /// Sets `network` to the name of the network file system that has the file, such as "NFS". If the file is
  /// on a disk of this machine, `network` becomes empty.
  virtual int file_system(int descriptor, std::string_view& network) = 0;
  /// Reads what times prove on the file system of an open file. By default, they prove nothing.
  virtual int time_scope(int descriptor, TimeScope& out) {
    (void)descriptor;
    out = {};
    return 0;
  }

  virtual int process() = 0;
  virtual unsigned user() = 0;
  virtual std::chrono::steady_clock::time_point now() = 0;
  virtual std::int64_t wall_ns() = 0;
  virtual void pause(std::chrono::milliseconds) = 0;

  /// The files for which a sync of this process failed.
  FileDoubts& doubts() noexcept { return doubts_; }

 private:
  FileDoubts doubts_;
};

/// The `FileOps` that calls the operating system. If the system takes names in capital and small letters for
/// the same (Windows, macOS), a file below an open directory is still found by its exact name only: another
/// name is `missing`, and `other_case` if a file would be made. On Linux, this is not done for a directory
/// that ignores case (`chattr +F`).
SESSIONKIT_API FileOps& system_file_ops() noexcept;

/// True if this process may write to the file `path`, or make files in the directory `path`.
SESSIONKIT_API bool may_write(char const* path) noexcept;

/// Removes an empty directory.
SESSIONKIT_API int remove_directory(char const* path) noexcept;

/// An open descriptor that the destructor closes.
class OpenFile {
 public:
  OpenFile() = default;
  OpenFile(FileOps& ops, int descriptor) noexcept : ops_(&ops), descriptor_(descriptor) {}
  OpenFile(OpenFile&& o) noexcept : ops_(o.ops_), descriptor_(std::exchange(o.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&& o) noexcept {
    if (this != &o) {
      reset();
      ops_ = o.ops_;
      descriptor_ = std::exchange(o.descriptor_, -1);
    }
    return *this;
  }
  OpenFile(OpenFile const&) = delete;
  OpenFile& operator=(OpenFile const&) = delete;
  ~OpenFile() { reset(); }

  int get() const noexcept { return descriptor_; }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  /// Ignores the result of `close`, because bytes that must be on the disk were synced before.
  void reset() noexcept {
    if (descriptor_ >= 0) ops_->close(std::exchange(descriptor_, -1));
  }

 private:
  FileOps* ops_ = nullptr;
  int descriptor_ = -1;
};

/// Repeats a call that a signal interrupted. Gives up after 64 repetitions, because the calls of a test may
/// be interrupted every time.
template <class Call> auto uninterrupted(Call&& call) -> decltype(call()) {
  auto result = call();
  for (int i = 0; i < 64 && fault_of(result) == SystemFault::interrupted; ++i) result = call();
  return result;
}

/// Returns the error code for a failure. `system` is the system's number of the failure, above zero.
SESSIONKIT_API Errc errc_of(int system) noexcept;
/// Makes the error `path: doing: the system's message; the fix`. `system` is as above.
SESSIONKIT_API Error file_error(int system, std::string_view path, std::string_view doing);

/// The exclusive lock of an open file. Releases it when destroyed; the file must stay open until then.
/// Closing the file is not enough: a child process of `fork` has the same open file, and would keep the lock.
class [[nodiscard]] FileLock {
 public:
  FileLock(FileOps& ops, int descriptor) noexcept : ops_(&ops), descriptor_(descriptor) {}
  FileLock(FileLock&& o) noexcept : ops_(o.ops_), descriptor_(std::exchange(o.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  FileLock(FileLock const&) = delete;
  FileLock& operator=(FileLock const&) = delete;
  ~FileLock() {
    if (descriptor_ >= 0) (void)ops_->unlock(descriptor_);
  }
  /// Leaves the lock to the caller, who must call `FileOps::unlock`.
  void leave() noexcept { descriptor_ = -1; }

 private:
  FileOps* ops_;
  int descriptor_;
};

/// Takes the exclusive lock within `wait`, or fails with `timed_out` and names the process that has the lock,
/// if the system says it. The pause between tries is 1 ms at first and doubles up to 50 ms.
SESSIONKIT_API Result<FileLock> lock_within(FileOps& ops, int descriptor, std::chrono::milliseconds wait,
                                            std::string_view path);

/// Reads exactly `bytes` bytes. Fails with `io_error` if the file has fewer bytes after `offset`.
SESSIONKIT_API Result<void> read_exactly(FileOps& ops, int descriptor, char* to, std::size_t bytes,
                                         std::uint64_t offset, std::string_view path);

/// Opens a regular file of any user for reading. If `status` is not null, it receives the status of the file.
/// The call never waits for the other end of a pipe.
SESSIONKIT_API Result<OpenFile> open_for_reading(FileOps& ops, int directory, char const* name,
                                                 bool follow_links, std::string_view path,
                                                 FileStatus* status = nullptr);

/// Syncs a directory, so that the names in it survive power loss.
SESSIONKIT_API Result<void> sync_directory(FileOps& ops, int directory, std::string_view path);

/// Returns the offset of the last name of a path. If the path ends with a separator, this is the size of the
/// path.
SESSIONKIT_API std::size_t name_begin(std::string_view path) noexcept;

/// Returns the length of a path's root: the "/" of an absolute path, on Windows also the drive. Zero if the
/// path has no root.
SESSIONKIT_API std::size_t root_length(std::string_view path) noexcept;

/// Returns the directory part of a path, or "." if the path has no such part.
SESSIONKIT_API std::string parent_directory(std::string_view path);

}}}
