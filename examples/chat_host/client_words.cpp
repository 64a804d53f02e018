// SPDX-License-Identifier: MIT
#include "client_words.hpp"

#include <iostream>
#include <string>

namespace chat_host {

namespace sk = sessionkit;

namespace {

struct Words {
  sk::Errc code;
  char const* text;
};
constexpr Words words[] = {
    {sk::Errc::not_found, "it does not exist any more"},
    {sk::Errc::already_exists, "it exists already"},
    {sk::Errc::conflict, "somebody else wrote at the same time; try again"},
    {sk::Errc::invalid_argument, "this cannot be stored"},
    {sk::Errc::unsupported, "sessions of this kind cannot store this"},
    {sk::Errc::timed_out, "the session is busy; try again"},
    {sk::Errc::unavailable, "the sessions cannot be reached; try again later"},
    {sk::Errc::no_space, "there is no space left to store it"},
    {sk::Errc::outcome_unknown, "it may or may not be stored; load the session again"},
};

}

sk::Error for_client(sk::Error const& error) {
  std::cerr << "chat_host: " + error.message + '\n';
  for (auto const& known : words)
    if (known.code == error.code) return {error.code, 0, known.text};
  return {error.code, 0, "the sessions cannot be read or written"};
}

}
