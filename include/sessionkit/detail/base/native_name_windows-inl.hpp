// SPDX-License-Identifier: MIT
// Converts names of files to those that the kernel of Windows takes.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/native_name_windows.hpp>
#include <sessionkit/detail/base/windows_header.hpp>
#include <sessionkit/detail/base/windows_names.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <winternl.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace native_name_windows_inl { namespace {

bool begins_with(std::string_view text, std::string_view begin) noexcept {
  return text.substr(0, begin.size()) == begin;
}

// `\\server\share\x` and `C:\x`, below the kernel's directory of DOS devices.
std::wstring below_devices(std::wstring const& path) {
  bool const on_server = path.size() > 2 && path[0] == L'\\' && path[1] == L'\\';
  return on_server ? L"\\??\\UNC" + path.substr(1) : L"\\??\\" + path;
}

// `call` writes a path, and returns its length, or the room that it needs. Both may grow between two calls.
template <class Call> int read_path(Call&& call, std::wstring& out) {
  for (DWORD room = MAX_PATH;;) {
    out.resize(room);
    DWORD const size = call(&out[0], room);
    if (size == 0) return -static_cast<int>(::GetLastError());
    if (size < room) {
      out.resize(size);
      return 0;
    }
    room = size + 1;
  }
}

int make_full(std::wstring const& path, std::wstring& out) {
  auto const ask = [&](wchar_t* to, DWORD room) {
    return ::GetFullPathNameW(path.c_str(), room, to, nullptr);
  };
  std::wstring full;
  if (int const failed = read_path(ask, full); failed < 0) return failed;
  out = below_devices(full);
  return 0;
}

// The kernel's path of a name that begins with `..`, which the kernel does not know, below an open directory.
// The volume of the directory need not have a letter.
int make_full_below(HANDLE directory, std::wstring const& name, std::wstring& out) {
  constexpr auto name_of_object = static_cast<OBJECT_INFORMATION_CLASS>(1);
  constexpr ULONG bytes = sizeof(UNICODE_STRING) + 32768 * sizeof(wchar_t);
  std::unique_ptr<std::uint64_t[]> const memory(new std::uint64_t[bytes / sizeof(std::uint64_t)]);
  NTSTATUS const status = ::NtQueryObject(directory, name_of_object, memory.get(), bytes, nullptr);
  if (status < 0) return -static_cast<int>(::RtlNtStatusToDosError(status));
  auto const& text = *reinterpret_cast<UNICODE_STRING const*>(memory.get());
  std::wstring path(text.Buffer, text.Length / sizeof(wchar_t)), below; // of the volume's root
  auto const ask = [&](wchar_t* to, DWORD room) {
    return ::GetFinalPathNameByHandleW(directory, to, room, VOLUME_NAME_NONE);
  };
  if (int const failed = read_path(ask, below); failed < 0) return failed;
  std::size_t const root = path.size() - std::min(path.size(), below.size());
  if (path.size() > root && path.back() == L'\\') path.pop_back();
  for (std::size_t at = 0; at < name.size();) {
    std::size_t const end = std::min(name.find(L'\\', at), name.size());
    std::wstring const part = name.substr(at, end - at);
    if (part == L"..")
      path.resize(std::max(root, path.find_last_of(L'\\')));
    else if (!part.empty() && part != L".")
      path += L'\\' + part;
    at = end + 1;
  }
  if (path.size() == root) path += L'\\'; // without it, the name is that of the volume
  out = std::move(path);
  return 0;
}

int make_path(std::string_view path, NativeName& out) {
  std::string name(path);
  std::replace(name.begin(), name.end(), '/', '\\');
  bool const verbatim = begins_with(name, "\\\\?\\");
  if (begins_with(name, "\\\\.\\")) return -ERROR_BAD_DEVICE;
  std::size_t begin = verbatim ? 4 : 0;
  if (name.size() >= begin + 2 && name[begin + 1] == ':') begin += 2; // a drive
  if (name.empty()) return -ERROR_PATH_NOT_FOUND;
  if (!has_windows_names(std::string_view(name).substr(begin), "\\")) return -ERROR_INVALID_NAME;
  std::wstring wide;
  if (!append_utf16(name, wide)) return -ERROR_NO_UNICODE_TRANSLATION;
  if (!verbatim) return make_full(wide, out.text);
  out.text = L"\\??\\" + wide.substr(4);
  return 0;
}

}}

int make_native(int directory, char const* name, NativeName& out) {
  std::string_view const given = name;
  if (directory == working_directory) return native_name_windows_inl::make_path(given, out);
  out.root = handle_of(directory);
  if (given.empty()) return -ERROR_PATH_NOT_FOUND;
  if (given == ".") return 0;
  if (!has_windows_names(given, "/")) return -ERROR_INVALID_NAME;
  if (!append_utf16(given, out.text)) return -ERROR_NO_UNICODE_TRANSLATION;
  std::replace(out.text.begin(), out.text.end(), L'/', L'\\');
  if (given != ".." && !native_name_windows_inl::begins_with(given, "../")) return 0;
  std::wstring const up = std::exchange(out.text, {});
  return native_name_windows_inl::make_full_below(std::exchange(out.root, nullptr), up, out.text);
}

}}}
