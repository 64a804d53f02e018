// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chat_host {

/// Who asks. Each sees no sessions but those of the same name.
struct Caller {
  std::string user = {}; ///< empty: nobody in particular, as in sessions of programs that know no users
  bool admin = false;    ///< may read the channel logs
};

/// A secret, and whose it is.
struct Credential {
  std::string token;
  Caller caller;
};

/// Who sends this `Authorization` header; nobody, if its token is none of these. Takes as long whichever
/// bytes are wrong.
std::optional<Caller> authenticate(std::string_view authorization, std::vector<Credential> const& known);

/// 128 random bits of the operating system, as text.
std::string make_token();

}
