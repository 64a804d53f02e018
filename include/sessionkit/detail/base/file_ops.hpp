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

/// What the library reads of the status of a file.
struct FileStatus {
  enum Kind { regular, directory, link, other };
  Kind kind = other;
  std::uint64_t device = 0, inode = 0, size = 0, links = 0;
  std::int64_t modified_ns = 0; ///< since 1970
  unsigned owner = 0;
  unsigned mode = 0; ///< who may do what, as the bits of `chmod`: 0600 is a file for its owner only
  bool same_file(FileStatus const& o) const noexcept { return device == o.device && inode == o.inode; }
  /// True for the same file with unchanged bytes, as far as its size and time show.
  bool same_version(FileStatus const& o) const noexcept {
    return same_file(o) && size == o.size && modified_ns == o.modified_ns;
  }
};

/// The process that has the lock of a file.
struct LockHolder {
  int process = 0; ///< its id; zero: the system does not show it
  std::string host = {};
};

/// A list of file names in one string, because a directory may contain a hundred thousand.
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
  /// The names for which `wanted` is true, in the order of their bytes.
  SESSIONKIT_API std::vector<std::string> sorted(bool (*wanted)(std::string_view name)) const;

 private:
  std::string text_;
  std::size_t size_ = 0;
};

/// The directory argument of a function of `FileOps` whose name is a path: the path is relative to the
/// working directory, or absolute.
inline constexpr int working_directory = std::numeric_limits<int>::min();

/// How a file is opened. A symbolic link is refused, and no open waits for the other end of a pipe.
enum class OpenFlags : unsigned {
  read = 1,
  write = 2,
  append = 4,        ///< with `write`: each write goes to the end of the file
  create = 8,        ///< a missing file is made, for its owner only
  only_new = 16,     ///< the file is made as by `create`, and its name may not exist before
  truncate = 32,     ///< the file loses its content
  directory = 64,    ///< the name must be a directory; it is opened for its names, and to be synced
  follow_links = 128 ///< a symbolic link leads to its target
};
constexpr OpenFlags operator|(OpenFlags a, OpenFlags b) noexcept {
  return static_cast<OpenFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(OpenFlags flags, OpenFlags flag) noexcept {
  return (static_cast<unsigned>(flags) & static_cast<unsigned>(flag)) != 0;
}

/// Makes every system call on the files of a store, so that a test can count the calls and let them fail. A
/// function returns the result of its system call, or a failure (below zero, see `fault_of`). No function
/// repeats a call, but on Windows for two seconds if another program does not share the file.
class SESSIONKIT_API FileOps {
 public:
  virtual ~FileOps() = default;

  /// Returns a descriptor: a number by which the other functions know the open file.
  virtual int open(int directory, char const* name, OpenFlags flags) = 0;
  virtual int close(int descriptor) = 0;
  virtual std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) = 0;
  virtual std::int64_t write(int descriptor, char const* from, std::size_t bytes) = 0;
  /// Writes at an offset of a file that was opened without `append`.
  virtual std::int64_t pwrite(int descriptor, char const* from, std::size_t bytes, std::uint64_t offset) = 0;
  virtual int sync_data(int descriptor) = 0;
  virtual int sync(int descriptor) = 0;
  virtual int status(int descriptor, FileStatus& out) = 0;
  /// Reads the status of the name itself: a symbolic link is not followed.
  virtual int status_at(int directory, char const* name, FileStatus& out) = 0;
  /// Takes an exclusive lock of the file, without waiting. Closing the descriptor, or the end of the process,
  /// gives it back.
  virtual int try_lock(int descriptor) = 0;
  virtual int unlock(int descriptor) = 0;
  /// Returns who has the lock that `try_lock` did not get. Nothing is believed that is older than the call.
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
  /// Sets `network` to the name of the network file system that has the file, such as "NFS"; empty: it is on
  /// a disk of this machine.
  virtual int file_system(int descriptor, std::string_view& network) = 0;

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

/// The `FileOps` that calls the operating system.
SESSIONKIT_API FileOps& system_file_ops() noexcept;

/// True if this process may write to a file, or make files in a directory.
SESSIONKIT_API bool may_write(char const* path) noexcept;

/// Removes an empty directory.
SESSIONKIT_API int remove_directory(char const* path) noexcept;

/// An open descriptor that closes itself.
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

/// Returns the code that shows what a caller can do about a failure. `system` is the system's number of it,
/// above zero.
SESSIONKIT_API Errc errc_of(int system) noexcept;
/// Makes the error `path: doing: the system's message; the fix`. `system` is as above.
SESSIONKIT_API Error file_error(int system, std::string_view path, std::string_view doing);

/// Takes the exclusive lock within `wait`, or fails with `timed_out` and names the process that has the lock.
/// The pause between tries is 1 ms at first and doubles up to 50 ms.
SESSIONKIT_API Result<void> lock_within(FileOps& ops, int descriptor, std::chrono::milliseconds wait,
                                        std::string_view path);

/// Reads exactly `bytes` bytes. Fails with `io_error` if the file ends before.
SESSIONKIT_API Result<void> read_exactly(FileOps& ops, int descriptor, char* to, std::size_t bytes,
                                         std::uint64_t offset, std::string_view path);

/// Opens a regular file for reading, whichever user owns it, and sets `status` unless it is null. Never waits
/// for the other end of a pipe.
SESSIONKIT_API Result<OpenFile> open_for_reading(FileOps& ops, int directory, char const* name,
                                                 bool follow_links, std::string_view path,
                                                 FileStatus* status = nullptr);

/// Syncs a directory, so that the names in it survive power loss.
SESSIONKIT_API Result<void> sync_directory(FileOps& ops, int directory, std::string_view path);

/// Returns where the last name of a path begins; the size of the path if it ends with a separator.
SESSIONKIT_API std::size_t name_begin(std::string_view path) noexcept;

/// Returns the size of a path's beginning that is no name: the "/" of an absolute path, or the drive.
SESSIONKIT_API std::size_t root_length(std::string_view path) noexcept;

/// The directory part of a path, or "." if the path has none.
SESSIONKIT_API std::string parent_directory(std::string_view path);

}}}
