// SPDX-License-Identifier: MIT
// Implements `FileOps` by the system calls of POSIX.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/file_ops_posix.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/lock_holder.hpp>
#if defined(__APPLE__)
#include <sessionkit/detail/base/exact_names.hpp>
#include <sessionkit/detail/base/name_rules.hpp>
#endif
#include <sessionkit/detail/base/standard_descriptors.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/attr.h>
#include <sys/mount.h>
#elif defined(__FreeBSD__)
#include <sys/mount.h>
#else
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#endif

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_ops_posix_inl { namespace {

template <class T> T or_errno(T result) noexcept { return result < 0 ? static_cast<T>(-errno) : result; }

#if defined(__APPLE__)
timespec modified(struct stat const& s) noexcept { return s.st_mtimespec; }
timespec changed(struct stat const& s) noexcept { return s.st_ctimespec; }

// `fsync` leaves the bytes in the memory of the disk. Not every file system has the other call, and HFS+
// refuses it on a disk that is mounted read-only, as `/` is.
int sync_to_disk(int descriptor) noexcept {
  int const result = ::fcntl(descriptor, F_FULLFSYNC);
  bool const cannot = errno == ENOTSUP || errno == EINVAL || errno == ENOTTY || errno == EROFS;
  return result < 0 && cannot ? ::fsync(descriptor) : result;
}
int sync_data_to_disk(int descriptor) noexcept { return sync_to_disk(descriptor); }

int rename_to_new(int from_directory, char const* from, int to_directory, char const* to) noexcept {
  return ::renameatx_np(from_directory, from, to_directory, to, RENAME_EXCL);
}

// The directory's own spelling of a name, as getattrlist(2) puts it into memory.
struct TrueName {
  std::uint32_t bytes;
  attrreference_t place;
  char text[1024];
};

// If the system does not say how the directory spells the name, the name counts as exact.
bool named_otherwise(int directory, char const* name) noexcept {
  attrlist wanted = {};
  wanted.bitmapcount = ATTR_BIT_MAP_COUNT;
  wanted.commonattr = ATTR_CMN_NAME;
  TrueName found = {};
  if (::getattrlistat(directory, name, &wanted, &found, sizeof found - 1, FSOPT_NOFOLLOW) != 0) return false;
  char const* const spelling = reinterpret_cast<char const*>(&found.place) + found.place.attr_dataoffset;
  return ends_in_other_case(name, spelling);
}
#else
timespec modified(struct stat const& s) noexcept { return s.st_mtim; }
timespec changed(struct stat const& s) noexcept { return s.st_ctim; }

int sync_to_disk(int descriptor) noexcept { return ::fsync(descriptor); }
int sync_data_to_disk(int descriptor) noexcept { return ::fdatasync(descriptor); }

#if defined(__FreeBSD__)
// There is no such call.
int rename_to_new(int, char const*, int, char const*) noexcept { return errno = ENOSYS, -1; }
#else
// Not every C library has a function for this call.
int rename_to_new(int from_directory, char const* from, int to_directory, char const* to) noexcept {
  constexpr unsigned no_replace = 1; // RENAME_NOREPLACE of linux/fs.h
  return static_cast<int>(::syscall(SYS_renameat2, from_directory, from, to_directory, to, no_replace));
}
#endif
#endif

#if defined(MNT_LOCAL)
std::string_view network_of(struct statfs const& s) noexcept {
  for (std::string_view const name : {"nfs", "smbfs", "afpfs", "webdav"})
    if (name == s.f_fstypename) return name;
  if ((s.f_flags & MNT_LOCAL) != 0) return {};
  // Programs mount these. FreeBSD calls none of them local, so it does not say which ones are.
  for (std::string_view const name : {"fusefs", "macfuse", "osxfuse"})
    if (std::string_view(s.f_fstypename).substr(0, name.size()) == name) return "FUSE";
  return "unknown";
}
#else
std::string_view network_of(struct statfs const& s) noexcept {
  return network_file_system_of(static_cast<std::uint32_t>(s.f_type));
}
#endif

FileStatus::Kind kind_of(mode_t mode) noexcept {
  return S_ISREG(mode)   ? FileStatus::regular
         : S_ISDIR(mode) ? FileStatus::directory
         : S_ISLNK(mode) ? FileStatus::link
                         : FileStatus::other;
}

constexpr mode_t permissions = 07777;

std::int64_t nanoseconds_of(timespec const& time) noexcept {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileStatus file_status_of(struct stat const& s) noexcept {
  FileStatus out;
  out.kind = kind_of(s.st_mode);
  out.device = static_cast<std::uint64_t>(s.st_dev);
  out.inode = s.st_ino;
  out.size = static_cast<std::uint64_t>(s.st_size);
  out.links = s.st_nlink;
  out.modified_ns = nanoseconds_of(modified(s));
  out.changed_ns = nanoseconds_of(changed(s));
  out.owner = s.st_uid;
  out.mode = s.st_mode & permissions;
  return out;
}

#if defined(STATX_INO)
constexpr unsigned all_but_times = STATX_TYPE | STATX_MODE | STATX_INO | STATX_SIZE | STATX_NLINK | STATX_UID;

// Leaves the time out.
void take_status(struct statx const& s, FileStatus& out) noexcept {
  out.kind = kind_of(s.stx_mode);
  out.device = makedev(s.stx_dev_major, s.stx_dev_minor);
  out.inode = s.stx_ino;
  out.size = s.stx_size;
  out.links = s.stx_nlink;
  out.owner = s.stx_uid;
  out.mode = s.stx_mode & permissions;
}
#endif

// Descriptors, flags and modes as the system takes them.
int directory_of(int directory) noexcept { return directory == working_directory ? AT_FDCWD : directory; }

int flags_of(OpenFlags flags) noexcept {
  int const access = !has(flags, OpenFlags::write) ? O_RDONLY
                     : has(flags, OpenFlags::read) ? O_RDWR
                                                   : O_WRONLY;
  return access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (has(flags, OpenFlags::append) ? O_APPEND : 0)
         | (has(flags, OpenFlags::create) ? O_CREAT : 0)
         | (has(flags, OpenFlags::only_new) ? O_CREAT | O_EXCL : 0)
         | (has(flags, OpenFlags::truncate) ? O_TRUNC : 0)
         | (has(flags, OpenFlags::directory) ? O_DIRECTORY : 0)
         | (has(flags, OpenFlags::follow_links) ? 0 : O_NOFOLLOW);
}

// No system takes more bytes in one call. Linux takes a part; macOS refuses the call.
constexpr std::size_t most_bytes = 0x7FFFF000;
std::size_t size_of_call(std::size_t bytes) noexcept { return std::min(bytes, most_bytes); }

static_assert(sizeof(off_t) == 8, "files may have more than 2 GiB: compile with -D_FILE_OFFSET_BITS=64");

constexpr unsigned new_file_mode = 0600, new_directory_mode = 0700;

// A file system on which locks and syncs do less than on a disk (linux/magic.h).
struct NetworkFileSystem {
  std::uint32_t magic;
  std::string_view name;
};
constexpr NetworkFileSystem network_file_systems[] = {
    {0x6969, "NFS"}, {0x517B, "SMB"}, {0xFE534D42, "SMB2"}, {0xFF534D42, "CIFS"}};

#if defined(STATX_MNT_ID)
constexpr unsigned unique_mount_id = 0x4000; // STATX_MNT_ID_UNIQUE: an id that no later mount gets

// The file systems whose times are known to show each change: ext4, XFS, Btrfs and tmpfs (linux/magic.h).
constexpr std::uint32_t exact_file_systems[] = {0xEF53, 0x58465342, 0x9123683E, 0x01021994};

bool has_exact_times(struct statfs const& s) noexcept {
  auto const* const end = std::end(exact_file_systems);
  return std::find(std::begin(exact_file_systems), end, static_cast<std::uint32_t>(s.f_type)) != end;
}

// Each start of the kernel has another id. Empty if the system does not show it.
SESSIONKIT_SELDOM std::string boot_id(FileOps& ops) {
  OpenFile const file(ops, ops.open(working_directory, "/proc/sys/kernel/random/boot_id", OpenFlags::read));
  char id[64];
  auto const got = file ? uninterrupted([&] { return ops.pread(file.get(), id, sizeof id, 0); }) : -1;
  return got > 0 ? std::string(id, static_cast<std::size_t>(got)) : std::string{};
}

// Since Linux 6.13, a write after a look at the file's times gets a time of its own.
SESSIONKIT_SELDOM bool has_fine_times() noexcept {
  utsname system;
  return ::uname(&system) == 0 && linux_is_at_least(system.release, 6, 13);
}
#endif

constexpr std::size_t longest_lock_table = std::size_t{1} << 20;

// What the kernel knows about locks; empty if it does not say.
SESSIONKIT_SELDOM std::string lock_table(FileOps& ops) {
  std::string table;
  OpenFile const file(ops, ops.open(working_directory, "/proc/locks", OpenFlags::read));
  char piece[4096];
  std::int64_t got = 1;
  while (file && got > 0 && table.size() < longest_lock_table) {
    got = uninterrupted([&] { return ops.pread(file.get(), piece, sizeof piece, table.size()); });
    if (got > 0) table.append(piece, static_cast<std::size_t>(got));
  }
  return table;
}

class SystemFileOps : public FileOps {
 public:
  int open(int directory, char const* name, OpenFlags flags) override {
    return above_standard(or_errno(::openat(directory_of(directory), name, flags_of(flags), new_file_mode)));
  }
  int close(int descriptor) override { return or_errno(::close(descriptor)); }
  std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) override {
    return or_errno<std::int64_t>(::pread(descriptor, to, size_of_call(bytes), static_cast<off_t>(offset)));
  }
  std::int64_t write(int descriptor, char const* from, std::size_t bytes) override {
    return or_errno<std::int64_t>(::write(descriptor, from, size_of_call(bytes)));
  }
  std::int64_t pwrite(int descriptor, char const* from, std::size_t bytes, std::uint64_t offset) override {
    return or_errno<std::int64_t>(
        ::pwrite(descriptor, from, size_of_call(bytes), static_cast<off_t>(offset)));
  }
  int sync_data(int descriptor) override { return or_errno(sync_data_to_disk(descriptor)); }
  int sync(int descriptor) override { return or_errno(sync_to_disk(descriptor)); }
  int status(int descriptor, FileStatus& out) override {
    struct stat s;
    int const result = or_errno(::fstat(descriptor, &s));
    if (result == 0) out = file_status_of(s);
    return result;
  }
  int status_at(int directory, char const* name, FileStatus& out) override {
    struct stat s;
    int const result = or_errno(::fstatat(directory_of(directory), name, &s, AT_SYMLINK_NOFOLLOW));
    if (result == 0) out = file_status_of(s);
    return result;
  }
#if defined(STATX_INO)
  int status_at_without_time(int directory, char const* name, FileStatus& out) override {
    struct statx s;
    int const flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
    int const result = or_errno(::statx(directory_of(directory), name, flags, all_but_times, &s));
    if (result == -ENOSYS || result == -EPERM) // an old container
      return FileOps::status_at_without_time(directory, name, out);
    if (result == 0) take_status(s, out);
    return result;
  }
#endif
  int try_lock(int descriptor) override { return or_errno(::flock(descriptor, LOCK_EX | LOCK_NB)); }
  int unlock(int descriptor) override { return or_errno(::flock(descriptor, LOCK_UN)); }
  LockHolder lock_holder(int descriptor) override {
    LockHolder holder;
    FileStatus file;
    if (status(descriptor, file) < 0) return holder;
    holder.process = holder_in_lock_table(file_ops_posix_inl::lock_table(*this), file.device, file.inode);
    char host[256] = {};
    if (::gethostname(host, sizeof host - 1) == 0) holder.host = host;
    return holder;
  }
  int set_mode(int descriptor, unsigned mode) override {
    return or_errno(::fchmod(descriptor, static_cast<mode_t>(mode)));
  }
  int make_directory(int directory, char const* name) override {
    return or_errno(::mkdirat(directory_of(directory), name, new_directory_mode));
  }
  int rename(int from_directory, char const* from, int to_directory, char const* to, bool replace) override {
    int const source = directory_of(from_directory), target = directory_of(to_directory);
    if (replace) return or_errno(::renameat(source, from, target, to));
    int const result = or_errno(rename_to_new(source, from, target, to));
    if (result != -EINVAL && result != -ENOSYS && result != -ENOTSUP) return result;
    // A file system without the flag: look first, which leaves a small window.
    FileStatus taken;
    if (status_at(to_directory, to, taken) == 0) return -EEXIST;
    return or_errno(::renameat(source, from, target, to));
  }
  int unlink(int directory, char const* name) override {
    return or_errno(::unlinkat(directory_of(directory), name, 0));
  }
  int list(int directory, FileNames& names) override {
    int const own = open(directory, ".", OpenFlags::directory);
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
  int file_system(int descriptor, std::string_view& network) override {
    struct statfs s;
    int const result = or_errno(::fstatfs(descriptor, &s));
    if (result == 0) network = network_of(s);
    return result;
  }
#if defined(STATX_MNT_ID)
  int time_scope(int descriptor, TimeScope& out) override {
    out = {};
    struct statfs system;
    if (int const failed = or_errno(::fstatfs(descriptor, &system)); failed < 0) return failed;
    struct statx s;
    int const looked = or_errno(::statx(descriptor, "", AT_EMPTY_PATH, unique_mount_id, &s));
    std::string const boot = looked == 0 ? boot_id(*this) : std::string{};
    if (boot.empty() || (s.stx_mask & unique_mount_id) == 0 || !has_exact_times(system)) return 0;
    out.name = detail::format_text("{}/{}/{}:{}", boot, s.stx_mnt_id, s.stx_dev_major, s.stx_dev_minor);
    out.fine = has_fine_times();
    return 0;
  }
#endif

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

#if defined(__APPLE__)
using OwnFileOps = ExactNames<SystemFileOps, named_otherwise>;
#else
using OwnFileOps = SystemFileOps;
#endif

}}

std::string_view network_file_system_of(std::uint32_t magic) noexcept {
  for (file_ops_posix_inl::NetworkFileSystem const& one : file_ops_posix_inl::network_file_systems)
    if (one.magic == magic) return one.name;
  return {};
}

bool linux_is_at_least(char const* release, int major, int minor) noexcept {
  char* end = nullptr;
  long const first = std::strtol(release, &end, 10);
  long const second = *end == '.' ? std::strtol(end + 1, &end, 10) : 0;
  return first != major ? first > major : second >= minor;
}

FileOps& system_file_ops() noexcept {
  static file_ops_posix_inl::OwnFileOps ops; // holds nothing
  return ops;
}

bool may_write(char const* path) noexcept { return ::faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0; }

int remove_directory(char const* path) noexcept {
  return file_ops_posix_inl::or_errno(::unlinkat(AT_FDCWD, path, AT_REMOVEDIR));
}

std::size_t name_begin(std::string_view path) noexcept { return path.find_last_of('/') + 1; } // npos + 1 is 0

std::size_t root_length(std::string_view path) noexcept {
  return !path.empty() && path.front() == '/' ? 1 : 0;
}

}}}
