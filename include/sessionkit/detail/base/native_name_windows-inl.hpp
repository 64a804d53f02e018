// SPDX-License-Identifier: MIT
// Converts names of files to those that the kernel of Windows takes.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/native_name_windows.hpp>
#include <sessionkit/detail/base/windows_header.hpp>
#include <sessionkit/detail/base/windows_names.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

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

// The path of an open directory, below which there is a name with `..`, which the kernel does not know.
int make_full_below(HANDLE directory, std::wstring const& name, std::wstring& out) {
  auto const ask = [&](wchar_t* to, DWORD room) {
    return ::GetFinalPathNameByHandleW(directory, to, room, FILE_NAME_NORMALIZED);
  };
  std::wstring path;
  if (int const failed = read_path(ask, path); failed < 0) return failed;
  constexpr std::wstring_view server = L"\\\\?\\UNC\\", local = L"\\\\?\\";
  path = path.substr(0, server.size()) == server
             ? L"\\\\" + path.substr(server.size())
             : path.substr(path.substr(0, local.size()) == local ? local.size() : 0);
  return make_full(path + L"\\" + name, out);
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
