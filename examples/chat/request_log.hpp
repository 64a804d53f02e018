// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace chat {

/// The requests of one conversation, and how much of the one before each repeats: for this part a
/// provider's prompt cache helps.
class RequestLog {
 public:
  void note(sessionkit::History history, sessionkit::RequestParts const& request,
            sessionkit::Target const& target);
  void clear() { *this = {}; }

  /// A line for each request.
  std::string text() const;

 private:
  struct Sent {
    std::size_t bytes,
        repeated;       ///< of the messages; how many of them equal the beginning of the request before
    std::string parted; ///< where it differs from the one before; empty: nowhere
  };
  std::vector<Sent> sent_;
  sessionkit::History last_;
  std::string last_messages_;
};

}
