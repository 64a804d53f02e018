// SPDX-License-Identifier: MIT
// Looks at the file often. The next write shows that the reader of stdout has ended.
#include "waiting.hpp"
#include "windows_header.hpp"

#include <atomic>

namespace cli {

namespace {

constexpr DWORD pause_ms = 200;
std::atomic<bool> got_interrupt{false};

BOOL WINAPI note_interrupt(DWORD event) {
  if (event != CTRL_C_EVENT) return FALSE;
  got_interrupt = true;
  return TRUE;
}

}

struct FileWatch::Watch {
  Watch() { SetConsoleCtrlHandler(note_interrupt, TRUE); }
  Watch(Watch const&) = delete;
  Watch& operator=(Watch const&) = delete;
  ~Watch() { SetConsoleCtrlHandler(note_interrupt, FALSE); }
};

FileWatch::FileWatch(std::string const&) : watch_(std::make_unique<Watch>()) {}
FileWatch::~FileWatch() = default;

bool FileWatch::stopped() { return got_interrupt; }

FileWatch::Woken FileWatch::wait() {
  Sleep(pause_ms);
  return got_interrupt ? Woken::interrupted : Woken::look;
}

}
