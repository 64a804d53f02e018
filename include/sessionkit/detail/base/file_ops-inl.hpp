// SPDX-License-Identifier: MIT
// Implements `FileOps` by system calls, and the steps that its callers share.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/lock_holder.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/standard_descriptors.hpp>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_ops_inl { namespace {

template <class T> T or_errno(T result) noexcept { return result < 0 ? static_cast<T>(-errno) : result; }

FileStatus file_status_of(struct stat const& s) noexcept {
  FileStatus out;
  out.kind = S_ISREG(s.st_mode)   ? FileStatus::regular
             : S_ISDIR(s.st_mode) ? FileStatus::directory
             : S_ISLNK(s.st_mode) ? FileStatus::link
                                  : FileStatus::other;
  out.device = s.st_dev;
  out.inode = s.st_ino;
  out.size = static_cast<std::uint64_t>(s.st_size);
  out.links = s.st_nlink;
  out.modified_ns = std::int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec;
  out.owner = s.st_uid;
  out.mode = s.st_mode & 07777U;
  return out;
}

constexpr std::size_t longest_lock_table = std::size_t{1} << 20;

// What the kernel knows about locks; empty if it does not say.
SESSIONKIT_SELDOM std::string lock_table(FileOps& ops) {
  std::string table;
  OpenFile const file(ops, ops.open(AT_FDCWD, "/proc/locks", O_RDONLY | O_CLOEXEC, 0));
  char piece[4096];
  std::int64_t got = 1;
  while (file && got > 0 && table.size() < longest_lock_table) {
    got = uninterrupted([&] { return ops.pread(file.get(), piece, sizeof piece, table.size()); });
    if (got > 0) table.append(piece, static_cast<std::size_t>(got));
  }
  return table;
}

class SystemFileOps final : public FileOps {
 public:
  int open(int directory, char const* name, int flags, unsigned mode) override {
    return above_standard(or_errno(::openat(directory, name, flags, mode)));
  }
  int close(int descriptor) override { return or_errno(::close(descriptor)); }
  std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) override {
    return or_errno<std::int64_t>(::pread(descriptor, to, bytes, static_cast<off_t>(offset)));
  }
  std::int64_t write(int descriptor, char const* from, std::size_t bytes) override {
    return or_errno<std::int64_t>(::write(descriptor, from, bytes));
  }
  std::int64_t pwrite(int descriptor, char const* from, std::size_t bytes, std::uint64_t offset) override {
    return or_errno<std::int64_t>(::pwrite(descriptor, from, bytes, static_cast<off_t>(offset)));
  }
  int sync_data(int descriptor) override { return or_errno(::fdatasync(descriptor)); }
  int sync(int descriptor) override { return or_errno(::fsync(descriptor)); }
  int status(int descriptor, FileStatus& out) override {
    struct stat s;
    int const result = or_errno(::fstat(descriptor, &s));
    if (result == 0) out = file_status_of(s);
    return result;
  }
  int status_at(int directory, char const* name, FileStatus& out) override {
    struct stat s;
    int const result = or_errno(::fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW));
    if (result == 0) out = file_status_of(s);
    return result;
  }
  int try_lock(int descriptor) override { return or_errno(::flock(descriptor, LOCK_EX | LOCK_NB)); }
  int unlock(int descriptor) override { return or_errno(::flock(descriptor, LOCK_UN)); }
  LockHolder lock_holder(int descriptor) override {
    LockHolder holder;
    FileStatus file;
    if (status(descriptor, file) < 0) return holder;
    holder.process = holder_in_lock_table(file_ops_inl::lock_table(*this), file.device, file.inode);
    char host[256] = {};
    if (::gethostname(host, sizeof host - 1) == 0) holder.host = host;
    return holder;
  }
  int set_mode(int descriptor, unsigned mode) override { return or_errno(::fchmod(descriptor, mode)); }
  int make_directory(int directory, char const* name, unsigned mode) override {
    return or_errno(::mkdirat(directory, name, mode));
  }
  int rename(int from_directory, char const* from, int to_directory, char const* to, bool replace) override {
    if (replace) return or_errno(::renameat(from_directory, from, to_directory, to));
    int const result = or_errno(::renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE));
    if (result != -EINVAL && result != -ENOSYS) return result;
    // A file system without the flag: look first, which leaves a small window.
    FileStatus taken;
    if (status_at(to_directory, to, taken) == 0) return -EEXIST;
    return or_errno(::renameat(from_directory, from, to_directory, to));
  }
  int unlink(int directory, char const* name) override { return or_errno(::unlinkat(directory, name, 0)); }
  int list(int directory, FileNames& names) override {
    int const own = open(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (own < 0) return own;
    DIR* const stream = ::fdopendir(own);
    if (stream == nullptr) {
      int const failed = -errno;
      ::close(own);
      return failed;
    }
    names.clear();
    errno = 0;
    while (dirent const* entry =
               ::readdir(stream)) { // NOLINT(concurrency-mt-unsafe): the stream is ours alone
      std::string_view const name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
      errno = 0;
    }
    int const failed = -errno;
    ::closedir(stream);
    return failed;
  }
  std::int64_t file_system(int descriptor) override {
    struct statfs s;
    int const result = or_errno(::fstatfs(descriptor, &s));
    return result < 0 ? result : static_cast<std::int64_t>(static_cast<std::uint32_t>(s.f_type));
  }

  int process() override { return ::getpid(); }
  unsigned user() override { return ::geteuid(); }
  std::chrono::steady_clock::time_point now() override { return std::chrono::steady_clock::now(); }
  std::int64_t wall_ns() override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  void pause(std::chrono::milliseconds time) override { std::this_thread::sleep_for(time); }
};

struct ErrnoRow {
  int system;
  Errc code;
  char const* fix;
};
constexpr ErrnoRow errno_table[] = {
    {ENOSPC, Errc::no_space, "free space on this disk and repeat the call"},
    {EDQUOT, Errc::no_space, "free space within the quota and repeat the call"},
    {EFBIG, Errc::no_space, "raise the file size limit (ulimit -f) and repeat the call"},
    {ENOENT, Errc::not_found, "create it first, or look elsewhere"},
    {ELOOP, Errc::unsafe_path, "name the file itself, not a symbolic link to it"},
    {EISDIR, Errc::unsafe_path, "there is a directory where a file is meant"},
    {ENOTDIR, Errc::unsafe_path, "there is a file where a directory is meant"},
    {ENXIO, Errc::unsafe_path, "there is a special file where a regular file is meant"},
    {EACCES, Errc::io_error, "give this user the right to it"},
    {EPERM, Errc::io_error, "give this user the right to it"},
    {EROFS, Errc::io_error, "mount the file system for writing"},
    {EMFILE, Errc::io_error, "raise the limit of open files (ulimit -n), or close some"},
    {ENAMETOOLONG, Errc::invalid_argument, "use a shorter name"},
};
constexpr ErrnoRow other_errno{0, Errc::io_error, "see to the disk, then repeat the call"};

ErrnoRow const& errno_row(int system) noexcept {
  for (ErrnoRow const& row : errno_table)
    if (row.system == system) return row;
  return other_errno;
}

}}

FileOps& system_file_ops() noexcept {
  static file_ops_inl::SystemFileOps ops; // holds nothing
  return ops;
}

Errc errc_of(int system) noexcept { return file_ops_inl::errno_row(system).code; }

Error file_error(int system, std::string_view path, std::string_view doing) {
  file_ops_inl::ErrnoRow const& row = file_ops_inl::errno_row(system);
  return detail::make_error(row.code, system, "{}: {}: {}; {}", path, doing,
                            std::generic_category().message(system), row.fix);
}

namespace file_ops_inl { namespace {

SESSIONKIT_SELDOM Error lock_timed_out(FileOps& ops, int descriptor, std::chrono::milliseconds wait,
                                       std::string_view path) {
  LockHolder const holder = ops.lock_holder(descriptor);
  std::string const who =
      holder.process == 0
          ? std::string("another process")
          : detail::format_text("process {}{} on host '{}'", holder.process,
                                holder.process == ops.process() ? " (this one)" : "", holder.host);
  return detail::make_error(
      Errc::timed_out,
      "{}: {} has the file's lock, and kept it for more than {} ms; nothing happened; let "
      "it close the session or end it, or wait longer, then repeat the call",
      path, who, wait.count());
}

}}

SESSIONKIT_SELDOM std::vector<std::string> FileNames::sorted(bool (*wanted)(std::string_view name)) const {
  std::vector<std::string> names;
  each([&](std::string_view name) {
    if (wanted(name)) names.emplace_back(name);
  });
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> lock_within(FileOps& ops, int descriptor, std::chrono::milliseconds wait,
                         std::string_view path) {
  int result = uninterrupted([&] { return ops.try_lock(descriptor); });
  if (result == 0) return {};
  auto const deadline = ops.now() + wait;
  std::chrono::milliseconds step{1};
  while (result == -EWOULDBLOCK || result == -EINTR) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - ops.now());
    if (left.count() <= 0) return file_ops_inl::lock_timed_out(ops, descriptor, wait, path);
    ops.pause(std::min(step, left));
    step = std::min(step * 2, std::chrono::milliseconds{50});
    result = uninterrupted([&] { return ops.try_lock(descriptor); });
  }
  if (result < 0) return file_error(-result, path, "cannot lock the file");
  return {};
}

Result<void> read_exactly(FileOps& ops, int descriptor, char* to, std::size_t bytes, std::uint64_t offset,
                          std::string_view path) {
  std::size_t have = 0;
  while (have < bytes) {
    auto const got =
        uninterrupted([&] { return ops.pread(descriptor, to + have, bytes - have, offset + have); });
    if (got < 0)
      return file_error(
          static_cast<int>(-got), path,
          detail::format_text("cannot read {} bytes at offset {}", bytes - have, offset + have));
    if (got == 0)
      return detail::make_error(
          Errc::io_error,
          "{}: the file ends at offset {}, it became shorter while it was read; read it "
          "again",
          path, offset + have);
    have += static_cast<std::size_t>(got);
  }
  return {};
}

Result<OpenFile> open_for_reading(FileOps& ops, int directory, char const* name, bool follow_links,
                                  std::string_view path, FileStatus* status) {
  int const flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (follow_links ? 0 : O_NOFOLLOW);
  int const descriptor = uninterrupted([&] { return ops.open(directory, name, flags, 0); });
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open the file");
  OpenFile file(ops, descriptor);
  FileStatus now;
  int const failed = ops.status(descriptor, now);
  if (failed < 0) return file_error(-failed, path, "cannot look at the file");
  if (now.kind != FileStatus::regular)
    return detail::make_error(Errc::unsafe_path, "{}: not a regular file; name one", path);
  if (status != nullptr) *status = now;
  return file;
}

Result<void> sync_directory(FileOps& ops, int directory, std::string_view path) {
  int const result = uninterrupted([&] { return ops.sync(directory); });
  if (result < 0) return file_error(-result, path, "cannot sync the directory");
  return {};
}

std::string parent_directory(std::string_view path) {
  auto const slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

}}}
