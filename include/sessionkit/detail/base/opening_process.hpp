// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <string>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The process that opened a store, a log or a file. Ask `check` first in each public call: a lock that a
/// thread of the parent held at the fork is held for ever in the child.
class SESSIONKIT_API OpeningProcess {
 public:
  /// `place` is what was opened, for messages.
  explicit OpeningProcess(std::string place, FileOps& ops = system_file_ops())
      : ops_(&ops), id_(ops.process()), place_(std::move(place)) {}

  /// False in a child of that process. Takes no lock.
  bool is_this_one() const { return ops_->process() == id_; }
  /// `forked` in a child of that process. Takes no lock.
  Result<void> check() const;

 private:
  FileOps* ops_;
  int id_;
  std::string place_;
};

}}}
