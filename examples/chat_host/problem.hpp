// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/error.hpp>

#include <string>

namespace chat_host {

/// A failure in the form of RFC 9457; sent as application/problem+json.
struct Problem {
  int status;
  std::string detail;
  std::string code = {};  ///< the library's error name, if it is the library's failure: "not_found"
  std::string allow = {}; ///< for 405: the allowed methods

  std::string body() const;
};

Problem problem_of(sessionkit::Error const& error);

}
