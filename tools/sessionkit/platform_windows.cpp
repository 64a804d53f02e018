// SPDX-License-Identifier: MIT
#include "platform.hpp"
#include "windows_header.hpp"

#include <algorithm>
#include <common/failure.hpp>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

namespace cli {

namespace {

// A narrow path of libstdc++ is UTF-8.
std::string utf8_of(wchar_t const* text) { return std::filesystem::path(text).string(); }
std::filesystem::path path_of(std::string const& path) { return path; }

HANDLE handle_of(Stream stream) {
  DWORD const kinds[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  return GetStdHandle(kinds[static_cast<int>(stream)]);
}

// What is typed, in UTF-8. Other calls give it in the console's code page, which lacks most characters.
std::string read_console() {
  constexpr DWORD most = 4096;
  wchar_t typed[most + 1];
  DWORD got = 0, other_half = 0;
  HANDLE const console = handle_of(Stream::in);
  bool done = ReadConsoleW(console, typed, most, &got, nullptr) != 0;
  bool const is_half = done && got == most && IS_HIGH_SURROGATE(typed[got - 1]); // of a character
  if (is_half) done = ReadConsoleW(console, typed + got, 1, &other_half, nullptr) != 0;
  got += other_half;
  if (!done)
    throw system_failure(std::error_code(static_cast<int>(GetLastError()), std::system_category()),
                         "cannot read the console");
  constexpr wchar_t end_key = 26; // Ctrl-Z
  if (got == 0 || typed[0] == end_key) return {};
  auto const convert = [&](char* to, int room) {
    return WideCharToMultiByte(CP_UTF8, 0, typed, static_cast<int>(got), to, room, nullptr, nullptr);
  };
  std::string text(static_cast<std::size_t>(convert(nullptr, 0)), '\0');
  convert(text.data(), static_cast<int>(text.size()));
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return text;
}

}

/// The streams carry the bytes that are written, and a console shows UTF-8 and colours.
void prepare_process() {
  for (FILE* const stream : {stdin, stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
  static UINT const code_page = GetConsoleOutputCP(); // zero without a console
  SetConsoleOutputCP(CP_UTF8);
  std::atexit([] { SetConsoleOutputCP(code_page); }); // for the programs after this one
  for (Stream const stream : {Stream::out, Stream::error}) {
    DWORD mode = 0;
    if (GetConsoleMode(handle_of(stream), &mode) != 0)
      SetConsoleMode(handle_of(stream), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

// Those of `main` are in the system's own code page.
std::vector<std::string> arguments_of(int argc, char** argv) {
  int count = 0;
  LPWSTR* const wide = CommandLineToArgvW(GetCommandLineW(), &count);
  if (wide == nullptr) return {argv, argv + argc};
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(utf8_of(wide[i]));
  LocalFree(wide);
  return arguments;
}

std::string environment(char const* variable) {
  wchar_t const* const value = _wgetenv(path_of(variable).c_str());
  return value == nullptr ? "" : utf8_of(value);
}

std::string home_folder() {
  auto const home = environment("HOME");
  return home.empty() ? environment("USERPROFILE") : home;
}

bool is_terminal(Stream stream) {
  DWORD mode = 0;
  return GetConsoleMode(handle_of(stream), &mode) != 0;
}

Screen size_of_terminal() {
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (GetConsoleScreenBufferInfo(handle_of(Stream::out), &info) == 0) return {};
  SMALL_RECT const& window = info.srWindow;
  return {static_cast<std::size_t>(window.Right - window.Left + 1),
          static_cast<std::size_t>(window.Bottom - window.Top + 1)};
}

std::size_t read_stdin(char* to, std::size_t bytes) {
  static std::string typed;
  if (is_terminal(Stream::in)) {
    if (typed.empty()) typed = read_console();
    std::size_t const n = typed.copy(to, bytes);
    typed.erase(0, n);
    return n;
  }
  int const n = _read(0, to, static_cast<unsigned>(bytes));
  if (n < 0) throw system_failure(errno, "cannot read stdin");
  return static_cast<std::size_t>(n);
}

// Below the folder of this user, which others may not read.
std::string make_temporary_folder() {
  std::error_code error;
  std::random_device random;
  for (int tries = 0; tries < 100; ++tries) {
    auto const path =
        std::filesystem::temp_directory_path(error) / ("sessionkit-" + std::to_string(random()));
    if (std::filesystem::create_directory(path, error)) return path.string();
  }
  throw system_failure(error, "cannot make a temporary folder");
}

int open_new_file(std::string const& path) {
  constexpr int how = _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT;
  return _wopen(path_of(path).c_str(), how, _S_IREAD | _S_IWRITE);
}
std::ptrdiff_t write_to(int descriptor, char const* from, std::size_t bytes) {
  return _write(descriptor, from, static_cast<unsigned>(bytes));
}
int sync_file(int descriptor) { return _commit(descriptor); }
int close_file(int descriptor) { return _close(descriptor); }
void remove_file(std::string const& path) { _wunlink(path_of(path).c_str()); }

}
