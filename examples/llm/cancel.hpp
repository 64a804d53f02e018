// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <memory>

namespace llm {

/// Signals that the answer is no longer wanted. Copies are the same token; any thread and any signal
/// handler may cancel it, and it stays cancelled.
class CancelToken {
 public:
  CancelToken() : cancelled_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() const noexcept { *cancelled_ = true; }
  bool cancelled() const noexcept { return *cancelled_; }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores it");
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

}
