// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace chat {

/// What was sent in one conversation, and how much of it each request repeats: as far as it does, a
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
    std::size_t bytes, repeated; ///< of the messages; of those, how many the request before began with
    std::string parted;          ///< where it went another way than the one before; empty: nowhere
  };
  std::vector<Sent> sent_;
  sessionkit::History last_;
  std::string last_messages_;
};

}
