// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

/// Runs a function in a copy of this process (a fork), which answers with bytes on a pipe and tears nothing
/// of this process down. A check that the function refutes (`Refuted`) is answered with its text after a "!".
class ChildProcess {
 public:
  /// False on a system that cannot copy a process. Nothing else here may then be called.
  static bool possible() noexcept;

  /// The argument of `work` is the end of the pipe that `say` takes. Refutes the check if there can be no
  /// copy.
  explicit ChildProcess(std::function<void(int pipe)> const& work);
  ChildProcess(ChildProcess const&) = delete;
  ChildProcess& operator=(ChildProcess const&) = delete;
  ~ChildProcess();

  /// Called by the copy: answers with `text`.
  static void say(int pipe, std::string const& text);
  /// Called by the copy: it ends after this time, whatever it does then.
  static void end_after(std::chrono::seconds time);

  /// Waits for so many bytes of the answer, or for its end.
  std::string hear(std::size_t at_most) const;
  /// Ends the copy at once, and waits until it has ended.
  void kill();
  /// Waits until the copy has ended.
  void wait();

 private:
  int id_ = 0;
  int pipe_ = -1;
};

}}}
