// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chat_host {

/// The sender of a request. Callers see only sessions of their own name.
struct Caller {
  std::string user = {}; ///< empty: no name, as in sessions of programs without users
  bool admin = false;    ///< may read the channel logs
  bool gateway = false;  ///< may begin the sessions of channels
};

/// A secret and its owner.
struct Credential {
  std::string token;
  Caller caller;
};

/// The caller with this `Authorization` header; absent if its token is not among these. Takes the same time
/// whichever bytes are wrong.
std::optional<Caller> authenticate(std::string_view authorization, std::vector<Credential> const& known);

/// 128 random bits of the operating system, as text.
std::string make_token();

}
