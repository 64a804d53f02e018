// SPDX-License-Identifier: MIT
// Implements `FileOps` by the system calls of Windows 10 and later.
#pragma once
#include <sessionkit/detail/base/file_access_windows.hpp>
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/file_status_windows.hpp>
#include <sessionkit/detail/base/native_name_windows.hpp>
#include <sessionkit/detail/base/windows_codes.hpp>
#include <sessionkit/detail/base/windows_header.hpp>
#include <sessionkit/detail/base/windows_names.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include <winternl.h>

namespace sessionkit { inline namespace v0 { namespace detail {

// Microsoft's <winternl.h> lacks these functions of ntdll; the headers of its driver kit and of MinGW-w64
// have them. If a header has them too, the two declarations are of the same functions.
namespace ntdll {
#if defined(__MINGW32__)
using VolumeClass = FS_INFORMATION_CLASS;
#else
using VolumeClass = int;
#endif
extern "C" NTSTATUS NTAPI NtQueryInformationFile(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG,
                                                 FILE_INFORMATION_CLASS);
extern "C" NTSTATUS NTAPI NtSetInformationFile(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG,
                                               FILE_INFORMATION_CLASS);
extern "C" NTSTATUS NTAPI NtQueryVolumeInformationFile(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG, VolumeClass);
}

namespace file_ops_windows_inl { namespace {

int last_failure() noexcept { return -static_cast<int>(::GetLastError()); }

// The system's own translation makes "access denied" of these.
int failure_of(NTSTATUS status) noexcept {
  switch (static_cast<unsigned long>(status)) {
  case 0xC00000BA: return -windows_code::is_a_directory; // STATUS_FILE_IS_A_DIRECTORY
  case 0xC0000056: return -ERROR_DELETE_PENDING;         // STATUS_DELETE_PENDING
  default: return status < 0 ? -static_cast<int>(::RtlNtStatusToDosError(status)) : 0;
  }
}

class Handle {
 public:
  explicit Handle(HANDLE handle = nullptr) noexcept : handle_(handle) {}
  Handle(Handle&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
  Handle& operator=(Handle&& o) noexcept {
    std::swap(handle_, o.handle_);
    return *this;
  }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;
  ~Handle() {
    if (handle_ != nullptr) ::CloseHandle(handle_);
  }
  HANDLE get() const noexcept { return handle_; }
  int release() noexcept { return descriptor_of(std::exchange(handle_, nullptr)); }

 private:
  HANDLE handle_;
};

// Others may read, write, rename and remove every file that is open here.
constexpr ULONG share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

struct Opening {
  ACCESS_MASK access;
  ULONG options = 0;
  ULONG disposition = FILE_OPEN;
  void* security = nullptr; // of a new file
};

int open_native(NativeName const& name, Opening const& how, Handle& out) {
  std::size_t const bytes = name.text.size() * sizeof(wchar_t);
  if (bytes > 0xFFFC) return -ERROR_FILENAME_EXCED_RANGE;
  UNICODE_STRING text;
  text.Buffer = const_cast<wchar_t*>(name.text.c_str());
  text.Length = text.MaximumLength = static_cast<USHORT>(bytes);
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &text, OBJ_CASE_INSENSITIVE, name.root, how.security);
  IO_STATUS_BLOCK io = {};
  HANDLE handle = nullptr;
  NTSTATUS const status =
      ::NtCreateFile(&handle, how.access | SYNCHRONIZE, &attributes, &io, nullptr, FILE_ATTRIBUTE_NORMAL,
                     share, how.disposition, how.options | FILE_SYNCHRONOUS_IO_NONALERT, nullptr, 0);
  if (status < 0) return failure_of(status);
  out = Handle(handle);
  return 0;
}

// Scanners and indexers open a file for moments and share it with nobody. They are waited for.
constexpr std::chrono::milliseconds longest_wait{2000};
template <class Call> int when_shared(Call&& call, bool denied_too = false) {
  auto const deadline = std::chrono::steady_clock::now() + longest_wait;
  std::chrono::milliseconds step{1};
  for (;;) {
    int const result = call();
    bool const waits = result == -ERROR_SHARING_VIOLATION || result == -ERROR_DELETE_PENDING
                       || result == -ERROR_USER_MAPPED_FILE || (denied_too && result == -ERROR_ACCESS_DENIED);
    if (!waits || std::chrono::steady_clock::now() >= deadline) return result;
    std::this_thread::sleep_for(step);
    step = std::min(step * 2, std::chrono::milliseconds{50});
  }
}

// Where Windows protects a folder from a program ("Controlled folder access"), it answers "not found" to a
// new file. If its directory is there, access was denied.
int unless_protected(NativeName name, int failed) {
  if (failed != -ERROR_FILE_NOT_FOUND && failed != -ERROR_PATH_NOT_FOUND) return failed;
  std::size_t const end = name.text.find_last_of(L'\\');
  name.text.erase(end == std::wstring::npos ? 0 : end);
  Handle parent;
  return open_native(name, {FILE_READ_ATTRIBUTES, FILE_DIRECTORY_FILE}, parent) == 0 ? -ERROR_ACCESS_DENIED
                                                                                     : failed;
}

bool is_directory(HANDLE handle) noexcept {
  FILE_STANDARD_INFO info = {};
  return ::GetFileInformationByHandleEx(handle, FileStandardInfo, &info, sizeof info) != 0
         && info.Directory != 0;
}

// The path of an open file below the root of its volume, which is `\`; empty if the system does not say.
std::wstring path_of_open(HANDLE handle) {
  constexpr int normalized_class = 48, name_class = 9; // the first is there since Windows 10 1803
  constexpr ULONG bytes = sizeof(ULONG) + 32768 * sizeof(wchar_t);
  std::unique_ptr<ULONG[]> const memory(new ULONG[bytes / sizeof(ULONG)]);
  IO_STATUS_BLOCK io = {};
  for (int const kind : {normalized_class, name_class}) {
    auto const what = static_cast<FILE_INFORMATION_CLASS>(kind);
    if (ntdll::NtQueryInformationFile(handle, &io, memory.get(), bytes, what) < 0) continue;
    return {reinterpret_cast<wchar_t const*>(memory.get() + 1), memory[0] / sizeof(wchar_t)};
  }
  return {};
}

// The name of an open file as its directory has it; empty if the system does not say.
std::wstring name_of_open(HANDLE handle) {
  std::wstring const path = path_of_open(handle);
  return path.substr(path.find_last_of(L'\\') + 1);
}

// True if a file below an open directory was opened, and its name has other capital letters.
bool has_other_case(HANDLE file, NativeName const& name) {
  if (name.root == nullptr) return false;
  std::wstring_view const asked = std::wstring_view(name.text).substr(name.text.find_last_of(L'\\') + 1);
  return differ_in_case_only(asked, std::wstring_view(name_of_open(file))) && !is_directory(file);
}

// True if the name leads to such a file.
bool leads_to_other_case(NativeName const& name) {
  Handle file;
  return open_native(name, {FILE_READ_ATTRIBUTES, FILE_OPEN_REPARSE_POINT}, file) == 0
         && has_other_case(file.get(), name);
}

// Refuses links of all kinds. A file whose bytes a service keeps is opened again, by way of the service.
int refuse_link(NativeName const& name, Opening how, Handle& file) {
  DWORD tag = 0;
  int failed = read_tag(file.get(), tag);
  if (failed < 0 || tag == 0) return failed;
  if (leads_elsewhere(tag)) return -windows_code::is_a_link;
  how.options &= ~ULONG{FILE_OPEN_REPARSE_POINT};
  how.disposition = FILE_OPEN;
  Handle again;
  FileStatus first, second;
  failed = when_shared([&] { return open_native(name, how, again); });
  if (failed == 0) failed = read_status(file.get(), first);
  if (failed == 0) failed = read_status(again.get(), second);
  if (failed < 0) return failed;
  if (!first.same_file(second)) return -windows_code::is_a_link; // put there meanwhile
  file = std::move(again);
  return 0;
}

// The kernel's request to rename (FILE_RENAME_INFORMATION), before the characters of the name.
struct RenameRequest {
  ULONG flags;
  HANDLE root;
  ULONG name_bytes;
};
constexpr ULONG replace_flag = 1, posix_flag = 2; // of FileRenameInformationEx; the first is ReplaceIfExists
// A file with the attribute "read-only" is replaced and removed as on POSIX; since Windows 10 1809.
constexpr ULONG rename_read_only = 0x40, remove_read_only = 0x10;
constexpr int rename_class = 10, rename_ex_class = 65, remove_class = 13, remove_ex_class = 64;

template <class Value>
int set_information(HANDLE handle, int kind, Value* value, std::size_t bytes) noexcept {
  IO_STATUS_BLOCK io = {};
  return failure_of(ntdll::NtSetInformationFile(handle, &io, value, static_cast<ULONG>(bytes),
                                                static_cast<FILE_INFORMATION_CLASS>(kind)));
}

// A file system without these requests, such as FAT.
bool is_unknown(int failure) noexcept {
  return failure == -ERROR_INVALID_PARAMETER || failure == -ERROR_NOT_SUPPORTED
         || failure == -ERROR_INVALID_FUNCTION || failure == -ERROR_CALL_NOT_IMPLEMENTED
         || failure == -windows_code::no_such_request;
}

int rename_open(HANDLE file, NativeName const& to, bool replace) {
  constexpr std::size_t begin = offsetof(RenameRequest, name_bytes) + sizeof(ULONG);
  std::size_t const name_bytes = to.text.size() * sizeof(wchar_t);
  std::size_t const bytes = std::max(begin + name_bytes, sizeof(RenameRequest));
  std::unique_ptr<std::uint64_t[]> memory(new std::uint64_t[bytes / sizeof(std::uint64_t) + 1]());
  auto* const request = reinterpret_cast<RenameRequest*>(memory.get());
  request->root = to.root;
  request->name_bytes = static_cast<ULONG>(name_bytes);
  std::copy_n(reinterpret_cast<char const*>(to.text.data()), name_bytes,
              reinterpret_cast<char*>(memory.get()) + begin);
  ULONG const replaces = replace ? replace_flag : 0;
  for (ULONG const flags : {posix_flag | rename_read_only, posix_flag}) {
    request->flags = flags | replaces;
    int const failed = set_information(file, rename_ex_class, request, bytes);
    if (!is_unknown(failed)) return failed;
  }
  request->flags = replaces;
  return set_information(file, rename_class, request, bytes);
}

int remove_open(HANDLE file) noexcept {
  constexpr ULONG remove_flags = 1 | 2; // FILE_DISPOSITION_DELETE, FILE_DISPOSITION_POSIX_SEMANTICS
  for (ULONG flags : {remove_flags | remove_read_only, remove_flags}) {
    int const failed = set_information(file, remove_ex_class, &flags, sizeof flags);
    if (!is_unknown(failed)) return failed;
  }
  BOOLEAN removed = TRUE;
  return set_information(file, remove_class, &removed, sizeof removed);
}

int remove_name(int directory, char const* name, ULONG kind) {
  NativeName native;
  if (int const failed = make_native(directory, name, native); failed < 0) return failed;
  return when_shared(
      [&]() -> int {
        Handle file;
        int const failed =
            open_native(native, {DELETE, kind | FILE_OPEN_REPARSE_POINT | FILE_WRITE_THROUGH}, file);
        if (failed == 0 && has_other_case(file.get(), native)) return -ERROR_FILE_NOT_FOUND;
        return failed < 0 ? failed : remove_open(file.get());
      },
      true);
}

// One byte, where no file has bytes: a lock keeps others from reading what it covers.
OVERLAPPED locked_place() noexcept {
  OVERLAPPED place = {};
  place.OffsetHigh = 0x40000000;
  return place;
}
OVERLAPPED place_at(std::uint64_t offset) noexcept {
  OVERLAPPED place = {};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}
DWORD size_of_call(std::size_t bytes) noexcept {
  return static_cast<DWORD>(std::min(bytes, std::size_t{1} << 30));
}

Opening opening_of(OpenFlags flags) noexcept {
  Opening how{READ_CONTROL | FILE_READ_ATTRIBUTES};
  if (has(flags, OpenFlags::directory)) {
    how.access |= FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_ADD_FILE; // the last for a sync
    how.options |= FILE_DIRECTORY_FILE;
  } else if (has(flags, OpenFlags::write)) {
    how.options |= FILE_NON_DIRECTORY_FILE;
    how.access |= has(flags, OpenFlags::append) ? FILE_APPEND_DATA : FILE_WRITE_DATA;
  }
  // What can only append cannot be locked.
  if (!has(flags, OpenFlags::write) || has(flags, OpenFlags::read | OpenFlags::append))
    how.access |= FILE_READ_DATA;
  if (!has(flags, OpenFlags::follow_links)) how.options |= FILE_OPEN_REPARSE_POINT;
  if (has(flags, OpenFlags::create)) how.disposition = FILE_OPEN_IF;
  if (has(flags, OpenFlags::only_new)) how.disposition = FILE_CREATE;
  if (how.disposition != FILE_OPEN) how.security = private_security(false);
  return how;
}

// The kernel's answer about the device of a volume (FILE_FS_DEVICE_INFORMATION).
struct VolumeDevice {
  ULONG type = 0;
  ULONG characteristics = 0;
};

class SystemFileOps final : public FileOps {
 public:
  int open(int directory, char const* name, OpenFlags flags) override {
    NativeName native;
    if (int const failed = make_native(directory, name, native); failed < 0) return failed;
    Opening how = opening_of(flags);
    Handle file;
    auto const try_open = [&] { return open_native(native, how, file); };
    int failed = when_shared(try_open);
    if (how.disposition != FILE_OPEN) failed = unless_protected(native, failed);
    if (has(flags, OpenFlags::directory)
        && (failed == -ERROR_ACCESS_DENIED || failed == -ERROR_WRITE_PROTECT)) {
      how.access &= ~static_cast<ACCESS_MASK>(FILE_ADD_FILE);
      failed = when_shared(try_open);
    }
    if (failed == -ERROR_ALREADY_EXISTS && leads_to_other_case(native)) return -windows_code::other_case;
    if (failed < 0) return failed;
    if (has_other_case(file.get(), native))
      return has(flags, OpenFlags::create) ? -windows_code::other_case : -ERROR_FILE_NOT_FOUND;
    if (::GetFileType(file.get()) != FILE_TYPE_DISK) return -ERROR_BAD_DEVICE;
    if (!has(flags, OpenFlags::follow_links))
      if (int const refused = refuse_link(native, how, file); refused < 0) return refused;
    FILE_END_OF_FILE_INFO empty = {};
    if (has(flags, OpenFlags::truncate)
        && ::SetFileInformationByHandle(file.get(), FileEndOfFileInfo, &empty, sizeof empty) == 0)
      return last_failure();
    return file.release();
  }
  int close(int descriptor) override {
    return ::CloseHandle(handle_of(descriptor)) != 0 ? 0 : last_failure();
  }
  std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) override {
    OVERLAPPED place = place_at(offset);
    DWORD got = 0;
    if (::ReadFile(handle_of(descriptor), to, size_of_call(bytes), &got, &place) != 0) return got;
    return ::GetLastError() == ERROR_HANDLE_EOF ? 0 : last_failure();
  }
  std::int64_t write(int descriptor, char const* from, std::size_t bytes) override {
    DWORD put = 0;
    return ::WriteFile(handle_of(descriptor), from, size_of_call(bytes), &put, nullptr) != 0
               ? std::int64_t{put}
               : last_failure();
  }
  std::int64_t pwrite(int descriptor, char const* from, std::size_t bytes, std::uint64_t offset) override {
    OVERLAPPED place = place_at(offset);
    DWORD put = 0;
    return ::WriteFile(handle_of(descriptor), from, size_of_call(bytes), &put, &place) != 0
               ? std::int64_t{put}
               : last_failure();
  }
  int sync_data(int descriptor) override { return sync(descriptor); }
  int sync(int descriptor) override {
    HANDLE const handle = handle_of(descriptor);
    // The call would flush the whole disk.
    if (is_directory(handle) && path_of_open(handle) == L"\\") return 0;
    if (::FlushFileBuffers(handle) != 0) return 0;
    int const failed = last_failure();
    // Names are written through to the disk, whether the file system takes this call for a directory or not.
    bool const cannot =
        failed == -ERROR_ACCESS_DENIED || failed == -ERROR_WRITE_PROTECT || is_unknown(failed);
    return is_directory(handle) && cannot ? 0 : failed;
  }
  int status(int descriptor, FileStatus& out) override { return read_status(handle_of(descriptor), out); }
  int status_at(int directory, char const* name, FileStatus& out) override {
    NativeName native;
    if (int const failed = make_native(directory, name, native); failed < 0) return failed;
    Handle file;
    int const failed =
        open_native(native, {FILE_READ_ATTRIBUTES | READ_CONTROL, FILE_OPEN_REPARSE_POINT}, file);
    if (failed == -ERROR_DELETE_PENDING) return -ERROR_FILE_NOT_FOUND;
    if (failed == 0 && has_other_case(file.get(), native)) return -ERROR_FILE_NOT_FOUND;
    return failed < 0 ? failed : read_status(file.get(), out);
  }
  int try_lock(int descriptor) override {
    OVERLAPPED place = locked_place();
    constexpr DWORD how = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    return ::LockFileEx(handle_of(descriptor), how, 0, 1, 0, &place) != 0 ? 0 : last_failure();
  }
  int unlock(int descriptor) override {
    OVERLAPPED place = locked_place();
    return ::UnlockFileEx(handle_of(descriptor), 0, 1, 0, &place) != 0 ? 0 : last_failure();
  }
  LockHolder lock_holder(int) override { return {}; } // the system does not say
  int set_mode(int descriptor, unsigned mode) override {
    HANDLE const handle = handle_of(descriptor);
    return set_access(handle, is_directory(handle), mode);
  }
  int make_directory(int directory, char const* name) override {
    NativeName native;
    if (int const failed = make_native(directory, name, native); failed < 0) return failed;
    Handle made;
    constexpr ULONG options = FILE_DIRECTORY_FILE | FILE_WRITE_THROUGH;
    Opening const how{FILE_READ_ATTRIBUTES, options, FILE_CREATE, private_security(true)};
    return unless_protected(native, open_native(native, how, made));
  }
  int rename(int from_directory, char const* from, int to_directory, char const* to, bool replace) override {
    NativeName source, target;
    if (int const failed = make_native(from_directory, from, source); failed < 0) return failed;
    if (int const failed = make_native(to_directory, to, target); failed < 0) return failed;
    if (replace && leads_to_other_case(target)) return -windows_code::other_case;
    return when_shared(
        [&]() -> int {
          Handle file; // through to the disk: the new name too
          int const failed =
              open_native(source, {DELETE, FILE_OPEN_REPARSE_POINT | FILE_WRITE_THROUGH}, file);
          if (failed == 0 && has_other_case(file.get(), source)) return -ERROR_FILE_NOT_FOUND;
          return failed < 0 ? failed : rename_open(file.get(), target, replace);
        },
        true);
  }
  int unlink(int directory, char const* name) override {
    return remove_name(directory, name, FILE_NON_DIRECTORY_FILE);
  }
  int list(int directory, FileNames& names) override {
    OpenFile const own(*this, open(directory, ".", OpenFlags::directory)); // reading moves its place
    if (!own) return own.get();
    constexpr DWORD bytes = 1 << 16;
    std::unique_ptr<std::uint64_t[]> const memory(new std::uint64_t[bytes / sizeof(std::uint64_t)]);
    names.clear();
    std::string name;
    while (::GetFileInformationByHandleEx(handle_of(own.get()), FileIdBothDirectoryInfo, memory.get(), bytes)
           != 0) {
      auto const* at = reinterpret_cast<char const*>(memory.get());
      for (;;) {
        auto const* const entry = reinterpret_cast<FILE_ID_BOTH_DIR_INFO const*>(at);
        name.clear();
        append_utf8(std::wstring_view(entry->FileName, entry->FileNameLength / sizeof(wchar_t)), name);
        if (name != "." && name != "..") names.push_back(name);
        if (entry->NextEntryOffset == 0) break;
        at += entry->NextEntryOffset;
      }
    }
    DWORD const end = ::GetLastError();
    // The root of an empty disk has not even a name for itself.
    bool const is_empty = names.size() == 0 && end == ERROR_FILE_NOT_FOUND;
    return end == ERROR_NO_MORE_FILES || is_empty ? 0 : -static_cast<int>(end);
  }
  int file_system(int descriptor, std::string_view& network) override {
    VolumeDevice device;
    IO_STATUS_BLOCK io = {};
    constexpr auto device_class = static_cast<ntdll::VolumeClass>(4); // FileFsDeviceInformation
    int const failed = failure_of(ntdll::NtQueryVolumeInformationFile(handle_of(descriptor), &io, &device,
                                                                      sizeof device, device_class));
    if (failed < 0) return failed;
    constexpr ULONG remote_device = 0x10; // FILE_REMOTE_DEVICE
    network = (device.characteristics & remote_device) != 0 ? std::string_view("a network drive")
                                                            : std::string_view();
    return 0;
  }

  int process() override { return static_cast<int>(::GetCurrentProcessId()); }
  unsigned user() override { return windows_owner::user; }
  std::chrono::steady_clock::time_point now() override { return std::chrono::steady_clock::now(); }
  std::int64_t wall_ns() override {
    FILETIME time = {};
    ::GetSystemTimePreciseAsFileTime(&time);
    constexpr std::int64_t between_1601_and_1970 = 116'444'736'000'000'000;
    return (static_cast<std::int64_t>(std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime)
            - between_1601_and_1970)
           * 100;
  }
  void pause(std::chrono::milliseconds time) override { std::this_thread::sleep_for(time); }
};

bool is_separator(char c) noexcept { return c == '/' || c == '\\'; }

}}

FileOps& system_file_ops() noexcept {
  static file_ops_windows_inl::SystemFileOps ops; // holds nothing
  return ops;
}

bool may_write(char const* path) noexcept {
  NativeName native;
  file_ops_windows_inl::Handle file;
  return make_native(working_directory, path, native) == 0
         && file_ops_windows_inl::open_native(native, {FILE_WRITE_DATA}, file)
                == 0; // of a directory: add files
}

int remove_directory(char const* path) noexcept {
  return file_ops_windows_inl::remove_name(working_directory, path, FILE_DIRECTORY_FILE);
}

std::size_t name_begin(std::string_view path) noexcept {
  std::size_t begin = path.size();
  while (begin > root_length(path) && !file_ops_windows_inl::is_separator(path[begin - 1])) --begin;
  return begin;
}

std::size_t root_length(std::string_view path) noexcept {
  auto const separates = [&](std::size_t at) {
    return path.size() > at && file_ops_windows_inl::is_separator(path[at]);
  };
  // `\\?\C:\x` and `\\?\Volume{..}\x` are for the kernel as they are.
  bool const verbatim = separates(0) && separates(1) && separates(3) && path[2] == '?';
  std::size_t const begin = verbatim ? 4 : 0;
  if (std::size_t end = path.find('}'); verbatim && path.substr(begin, 7) == "Volume{" && end != path.npos)
    return end + (separates(end + 1) ? 2 : 1);
  std::size_t const drive = path.size() >= begin + 2 && path[begin + 1] == ':' ? begin + 2 : 0;
  return drive + (separates(drive) ? 1 : 0);
}

}}}
