// SPDX-License-Identifier: MIT
// Windows cannot copy a process: the checks that need a copy are not run there, and the report says so.
#pragma once
#include <sessionkit/testing/detail/child_process.hpp>
#include <sessionkit/testing/detail/trial.hpp>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

bool ChildProcess::possible() noexcept { return false; }

ChildProcess::ChildProcess(std::function<void(int pipe)> const&) {
  Trial::refute("this system cannot copy a process");
}
ChildProcess::~ChildProcess() = default;

void ChildProcess::say(int, std::string const&) {}
void ChildProcess::end_after(std::chrono::seconds) {}
std::string ChildProcess::hear(std::size_t) const { return {}; }
void ChildProcess::kill() {}
void ChildProcess::wait() {}

}}}
