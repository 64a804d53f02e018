// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace chat_host {

/// A person with a token of their own.
struct User {
  std::string name;
  std::string token;
  std::string from; ///< where it is written: "--user", or a file and a line
};

/// Parses `NAME=TOKEN`. `invalid_argument` names `from` and never the token.
sessionkit::Result<User> parse_user(std::string_view text, std::string from);

/// Reads a file of such lines, where spaces around the name and the token are ignored, as are empty
/// lines and lines that begin with `#`. `invalid_argument`
/// names the file, and the line if one is invalid; a file that others than its owner can read or write is
/// refused.
sessionkit::Result<std::vector<User>> read_users(std::string const& path);

}
