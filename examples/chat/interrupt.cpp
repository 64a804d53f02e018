// SPDX-License-Identifier: MIT
#include "interrupt.hpp"

#include <atomic>

namespace chat {

namespace {

std::atomic<llm::CancelToken const*> current_token{nullptr}; // the only data a signal handler may use

void cancel_current(int /*signal*/) {
  if (auto const* const token = current_token.load()) token->cancel();
}

}

OnInterrupt::OnInterrupt(llm::CancelToken const& token) {
  current_token = &token;
  struct sigaction action {};
  action.sa_handler = cancel_current;
  action.sa_flags = static_cast<int>(SA_RESETHAND); // the second one ends the program
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_);
}

OnInterrupt::~OnInterrupt() {
  sigaction(SIGINT, &before_, nullptr);
  current_token = nullptr;
}

}
