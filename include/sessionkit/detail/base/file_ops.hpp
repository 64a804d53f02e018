// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_doubts.hpp>
#include <sessionkit/result.hpp>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The members of `fstat` that the library reads.
struct FileStatus {
  enum Kind { regular, directory, link, other };
  Kind kind = other;
  std::uint64_t device = 0, inode = 0, size = 0, links = 0;
  std::int64_t modified_ns = 0; ///< since 1970
  unsigned owner = 0, mode = 0; ///< permission bits only
  bool same_file(FileStatus const& o) const noexcept { return device == o.device && inode == o.inode; }
  /// The same file with unchanged bytes, as far as size and time show.
  bool same_version(FileStatus const& o) const noexcept {
    return same_file(o) && size == o.size && modified_ns == o.modified_ns;
  }
};

/// The names of files, one after the other: a directory may hold a hundred thousand.
class FileNames {
 public:
  void push_back(std::string_view name) {
    text_.append(name).push_back('\0'); // which is in no name
    ++size_;
  }
  void clear() noexcept {
    text_.clear();
    size_ = 0;
  }
  std::size_t size() const noexcept { return size_; }
  /// Calls `use` with each of them.
  template <class Use> void each(Use&& use) const {
    for (std::size_t at = 0, end = 0; at != text_.size(); at = end + 1) {
      end = text_.find('\0', at);
      use(std::string_view(text_).substr(at, end - at));
    }
  }

 private:
  std::string text_;
  std::size_t size_ = 0;
};

/// Every system call on the files of a store goes through here, so that a test can count each one and fail
/// it. Calls return what the system call returns, or minus errno; none retries.
class SESSIONKIT_API FileOps {
 public:
  virtual ~FileOps() = default;

  virtual int open(int directory, char const* name, int flags, unsigned mode) = 0;
  virtual int close(int descriptor) = 0;
  virtual std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) = 0;
  virtual std::int64_t write(int descriptor, char const* from, std::size_t bytes) = 0;
  /// Writes at a place of a file that was opened without `O_APPEND`.
  virtual std::int64_t pwrite(int descriptor, char const* from, std::size_t bytes, std::uint64_t offset) = 0;
  virtual int sync_data(int descriptor) = 0;
  virtual int sync(int descriptor) = 0;
  virtual int status(int descriptor, FileStatus& out) = 0;
  /// Of the name itself: a symbolic link is not followed.
  virtual int status_at(int directory, char const* name, FileStatus& out) = 0;
  /// Exclusive `flock`, without waiting.
  virtual int try_lock(int descriptor) = 0;
  virtual int unlock(int descriptor) = 0;
  virtual int set_mode(int descriptor, unsigned mode) = 0;
  virtual int make_directory(int directory, char const* name, unsigned mode) = 0;
  /// If `replace` is false and the new name is taken: minus EEXIST.
  virtual int rename(int from_directory, char const* from, int to_directory, char const* to,
                     bool replace) = 0;
  virtual int unlink(int directory, char const* name) = 0;
  /// The names in an open directory, without `.` and `..`, in any order.
  virtual int list(int directory, FileNames& names) = 0;
  /// The magic number of the file system (`statfs`).
  virtual std::int64_t file_system(int descriptor) = 0;

  virtual int process() = 0;
  virtual unsigned user() = 0;
  virtual std::chrono::steady_clock::time_point now() = 0;
  virtual std::int64_t wall_ns() = 0;
  virtual void pause(std::chrono::milliseconds) = 0;

  /// What this process knows of syncs that failed.
  FileDoubts& doubts() noexcept { return doubts_; }

 private:
  FileDoubts doubts_;
};

/// The calls of this operating system.
SESSIONKIT_API FileOps& system_file_ops() noexcept;

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
  /// Ignores the result of `close`: what had to be on the disk was synced before.
  void reset() noexcept {
    if (descriptor_ >= 0) ops_->close(std::exchange(descriptor_, -1));
  }

 private:
  FileOps* ops_ = nullptr;
  int descriptor_ = -1;
};

/// Repeats a call that a signal interrupted. Gives up in the end: a test's calls may return EINTR each time.
template <class Call> auto uninterrupted(Call&& call) -> decltype(call()) {
  auto result = call();
  for (int i = 0; i < 64 && result == -EINTR; ++i) result = call();
  return result;
}

/// What a caller can do about an errno.
SESSIONKIT_API Errc errc_of(int system) noexcept;
/// `path: doing: what the system said; the fix`. `system` is errno, positive.
SESSIONKIT_API Error file_error(int system, std::string_view path, std::string_view doing);

/// Takes the exclusive lock within `wait`: 1 ms between tries, doubling to 50 ms. `timed_out`.
SESSIONKIT_API Result<void> lock_within(FileOps& ops, int descriptor, std::chrono::milliseconds wait,
                                        std::string_view path);

/// Reads all of `bytes`; `io_error` if the file ends before.
SESSIONKIT_API Result<void> read_exactly(FileOps& ops, int descriptor, char* to, std::size_t bytes,
                                         std::uint64_t offset, std::string_view path);

/// Opens a regular file for reading, whichever user owns it, and reports its `status`. Never waits for the
/// other end of a pipe.
SESSIONKIT_API Result<OpenFile> open_for_reading(FileOps& ops, int directory, char const* name,
                                                 bool follow_links, std::string_view path,
                                                 FileStatus* status = nullptr);

/// Makes the entries of a directory survive power loss.
SESSIONKIT_API Result<void> sync_directory(FileOps& ops, int directory, std::string_view path);

/// The directory part of a path; "." where there is none.
SESSIONKIT_API std::string parent_directory(std::string_view path);

}}}
