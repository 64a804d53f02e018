// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <string>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Remembers the process that opened a store, a log or a file. Each public function must first call `check`:
/// if another thread of the parent held a lock at the fork, nobody releases this lock in the child.
class SESSIONKIT_API OpeningProcess {
 public:
  /// `place` names the opened store, log or file in messages.
  explicit OpeningProcess(std::string place, FileOps& ops = system_file_ops())
      : ops_(&ops), id_(ops.process()), place_(std::move(place)) {}

  /// False in a child of the process that is remembered. Takes no lock.
  bool is_this_one() const { return ops_->process() == id_; }
  /// Fails with `forked` in a child of the process that is remembered. Takes no lock.
  Result<void> check() const;

 private:
  FileOps* ops_;
  int id_;
  std::string place_;
};

}}}
