// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

/// Runs a function in a copy of this process (a fork). The copy answers with bytes on a pipe, and then ends
/// without running destructors or exit handlers of this process. If the function throws `Refuted`, the copy
/// answers with "!" and the text of the exception.
class ChildProcess {
 public:
  /// False on a system that cannot copy a process. Then no other function of this class may be called.
  static bool possible() noexcept;

  /// Starts the copy, which calls `work`. `pipe` is the end of the pipe that `say` takes. The check fails if
  /// no copy can be made.
  explicit ChildProcess(std::function<void(int pipe)> const& work);
  ChildProcess(ChildProcess const&) = delete;
  ChildProcess& operator=(ChildProcess const&) = delete;
  ~ChildProcess();

  /// The copy calls this function to answer with `text`.
  static void say(int pipe, std::string const& text);
  /// The copy calls this function so that it ends after this time, whatever it then does.
  static void end_after(std::chrono::seconds time);

  /// Waits until `at_most` bytes of the answer have arrived or the answer has ended. Returns these bytes.
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
