// SPDX-License-Identifier: MIT
#pragma once
#include <csignal>
#include <llm/cancel.hpp>

namespace chat {

/// While an object exists, Ctrl-C cancels the token instead of ending the program; a second Ctrl-C ends it.
/// One at a time.
class OnInterrupt {
 public:
  explicit OnInterrupt(llm::CancelToken const& token);
  OnInterrupt(OnInterrupt const&) = delete;
  OnInterrupt& operator=(OnInterrupt const&) = delete;
  ~OnInterrupt();

 private:
  struct sigaction before_ {};
};

}
