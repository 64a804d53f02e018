// SPDX-License-Identifier: MIT
#include "caller.hpp"

#include <sessionkit/ids.hpp>
#include <sessionkit/search.hpp>

namespace chat_host {

namespace {

/// The text after the scheme, which ignores case; empty for another scheme.
std::string_view token_in(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  if (sessionkit::fold_case(authorization.substr(0, scheme.size())) != scheme) return {};
  return authorization.substr(scheme.size());
}

bool same(std::string_view given, std::string_view token) {
  unsigned difference = given.size() == token.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size(); ++i) difference |= given[i] == token[i % token.size()] ? 0U : 1U;
  return difference == 0;
}

}

std::optional<Caller> authenticate(std::string_view authorization, std::vector<Credential> const& known) {
  auto const given = token_in(authorization);
  std::optional<Caller> caller;
  for (auto const& credential : known)
    if (!credential.token.empty() && same(given, credential.token)) caller = credential.caller;
  return caller;
}

std::string make_token() { return sessionkit::random_entry_id() + sessionkit::random_entry_id(); }

}
