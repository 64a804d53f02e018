// SPDX-License-Identifier: MIT
// Runs other programs that write summaries.
#include "asking.hpp"
#include "platform.hpp"
#include "windows_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <common/failure.hpp>
#include <common/text.hpp>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto a_year = std::chrono::hours(24 * 365);         // stay within the clock's range
constexpr std::size_t longest_answer = std::size_t{16} << 20; // bytes: far more than any model reads

Failure cannot_use(std::string const& why) {
  return {Exit::runtime, "unavailable", fmt::format("{}; nothing was stored", why),
          "it gets the prompt on stdin and writes the summary to stdout"};
}

Failure system_refused(std::string const& what) {
  return system_failure(std::error_code(static_cast<int>(GetLastError()), std::system_category()), what);
}

void check_length(std::string const& text, char const* what) {
  if (text.size() > longest_answer)
    throw cannot_use(fmt::format("{} has more than {} bytes", what, longest_answer));
}

class Handle {
 public:
  explicit Handle(HANDLE handle = nullptr) : handle_(handle) {}
  Handle(Handle&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
  Handle& operator=(Handle&& o) noexcept {
    std::swap(handle_, o.handle_);
    return *this;
  }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;
  ~Handle() { close(); }
  HANDLE get() const { return handle_; }
  void close() {
    if (handle_ != nullptr) CloseHandle(std::exchange(handle_, nullptr));
  }

 private:
  HANDLE handle_;
};

struct Pipe {
  Handle read, write;
  Pipe() {
    SECURITY_ATTRIBUTES inherit{sizeof inherit, nullptr, TRUE};
    HANDLE ends[2] = {};
    if (CreatePipe(&ends[0], &ends[1], &inherit, 0) == 0) throw system_refused("cannot start a program");
    read = Handle(ends[0]);
    write = Handle(ends[1]);
  }
};

/// The system's own shell. By its name alone, a program in the working directory would be started.
std::wstring path_of_shell() {
  wchar_t folder[MAX_PATH];
  UINT const size = GetSystemDirectoryW(folder, MAX_PATH);
  if (size == 0 || size >= MAX_PATH) throw system_refused("cannot find cmd.exe");
  return std::wstring(folder, size) + L"\\cmd.exe";
}

/// A running shell. If it is still there with this object, it ends, and all processes that it has started.
class Child {
 public:
  explicit Child(std::string const& command) {
    SetHandleInformation(input_.write.get(), HANDLE_FLAG_INHERIT, 0);
    SetHandleInformation(output_.read.get(), HANDLE_FLAG_INHERIT, 0);
    STARTUPINFOW start = {};
    start.cb = sizeof start;
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = input_.read.get();
    start.hStdOutput = output_.write.get();
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    std::wstring const shell = path_of_shell();
    std::wstring line = std::filesystem::path("cmd.exe /d /s /c \"" + command + "\"").wstring();
    PROCESS_INFORMATION made = {};
    if (job_.get() == nullptr
        || CreateProcessW(shell.c_str(), line.data(), nullptr, nullptr, TRUE, CREATE_SUSPENDED, nullptr,
                          nullptr, &start, &made)
               == 0)
      throw system_refused("cannot start a program");
    process_ = Handle(made.hProcess);
    Handle const thread(made.hThread);
    AssignProcessToJobObject(job_.get(), process_.get());
    ResumeThread(thread.get());
    input_.read.close();
    output_.write.close();
  }
  ~Child() {
    if (!has_ended_ || !is_written_) { // any of the processes may keep the writer waiting
      TerminateJobObject(job_.get(), 1);
      TerminateProcess(process_.get(), 1); // where it could not be added to the job
    }
    if (writer_.joinable()) writer_.join();
  }
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;

  /// Writes in a thread, so that neither program waits for the other to read.
  void give(std::string const& text) {
    writer_ = std::thread([this, &text] {
      for (std::string_view rest = text; !rest.empty();) {
        DWORD put = 0;
        auto const bytes = static_cast<DWORD>(std::min<std::size_t>(rest.size(), 1 << 16));
        if (WriteFile(input_.write.get(), rest.data(), bytes, &put, nullptr) == 0) break;
        rest.remove_prefix(put);
      }
      input_.write.close();
      is_written_ = true;
    });
  }
  /// Adds what the program has written. False at its end.
  bool hear(std::string& text) {
    DWORD ready = 0;
    if (PeekNamedPipe(output_.read.get(), nullptr, 0, nullptr, &ready, nullptr) == 0) return false;
    char buffer[1 << 16];
    DWORD got = 0;
    auto const most = std::min<DWORD>(ready, sizeof buffer);
    if (ready > 0 && ReadFile(output_.read.get(), buffer, most, &got, nullptr) != 0) text.append(buffer, got);
    if (ready == 0) Sleep(5);
    return true;
  }
  /// Its exit code once it has ended.
  std::optional<DWORD> code() {
    DWORD ended = 0;
    if (WaitForSingleObject(process_.get(), 2) != WAIT_OBJECT_0) return std::nullopt;
    GetExitCodeProcess(process_.get(), &ended);
    has_ended_ = true;
    return ended;
  }

 private:
  Pipe input_, output_;
  Handle job_{CreateJobObjectW(nullptr, nullptr)};
  Handle process_;
  bool has_ended_ = false;
  std::atomic<bool> is_written_{false};
  std::thread writer_ = {};
};

void check_time(Clock::time_point deadline) {
  if (Clock::now() >= deadline) throw cannot_use("the program did not end in time (--deadline)");
}

}

std::string all_of_stdin() {
  std::string text, piece(std::size_t{1} << 16, '\0');
  while (std::size_t const n = read_stdin(piece.data(), piece.size())) {
    text.append(piece, 0, n);
    check_length(text, "stdin");
  }
  return text;
}

std::string output_of(std::string const& command, std::string const& input, std::chrono::milliseconds most) {
  auto const deadline = Clock::now() + std::min<std::chrono::milliseconds>(most, a_year);
  Child child(command);
  child.give(input);
  std::string text;
  while (child.hear(text)) {
    check_length(text, "the answer of the program");
    check_time(deadline);
  }
  std::optional<DWORD> code;
  while (!(code = child.code())) check_time(deadline);
  if (*code != 0) throw cannot_use(fmt::format("'{}' failed", one_line(command)));
  return text;
}

}
