// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/error.hpp>

#include <string>

namespace chat_host {

/// A failure as RFC 9457 has it; sent as application/problem+json.
struct Problem {
  int status;
  std::string detail;
  std::string code = {};  ///< of the library, where it is its failure: "not_found"
  std::string allow = {}; ///< of 405: the methods that are

  std::string body() const;
};

Problem problem_of(sessionkit::Error const& error);

}
