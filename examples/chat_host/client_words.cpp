// SPDX-License-Identifier: MIT
#include "client_words.hpp"

#include <common/text.hpp>
#include <iostream>
#include <string>
#include <string_view>

namespace chat_host {

namespace sk = sessionkit;

namespace {

struct Words {
  sk::Errc code;
  char const* text;
};
constexpr Words words_of_codes[] = {
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

struct ProviderWords {
  llm::FailureKind kind;
  char const* text;
  char const* advice;
};
constexpr ProviderWords provider_words[] = {
    {llm::FailureKind::cancelled, "the answer was cancelled", ""},
    {llm::FailureKind::refused, "the model's provider refused the request", ""},
    {llm::FailureKind::context_exceeded, "the conversation is too long for the model", ""},
    {llm::FailureKind::unauthorized, "the model's provider did not accept this server's key", ""},
    {llm::FailureKind::rate_limited, "the model's provider receives too many requests", "; try again later"},
    {llm::FailureKind::overloaded, "the model's provider is too busy", "; try again later"},
    {llm::FailureKind::unavailable, "the model's provider cannot answer", "; try again later"},
    {llm::FailureKind::cut, "the answer ended too early", "; try again"},
    {llm::FailureKind::malformed, "the model's provider sent an invalid answer", ""},
};

ProviderWords const& words_of(llm::FailureKind kind) {
  for (auto const& known : provider_words)
    if (known.kind == kind) return known;
  return provider_words[1];
}

}

// A provider writes some of these messages: the log has no forged lines.
void note(std::string_view message) {
  std::cerr << "chat_host: " + cli::neutral(cli::one_line(message)) + '\n';
}

std::string for_client(llm::Failure const& failure) {
  note(failure.message);
  auto const& known = words_of(failure.kind);
  return std::string(known.text) + known.advice;
}

std::string for_client(llm::RetryWait const& retry) {
  note(retry.why);
  return std::string(words_of(retry.kind).text)
         + (retry.without_pictures ? "; trying without the pictures" : "");
}

std::string for_client(std::exception const& error) {
  note(error.what());
  return "an internal error occurred";
}

std::string for_client(sk::Error const& error, char const* instead) {
  note(error.message);
  return instead;
}

sk::Error for_client(sk::Error const& error) {
  note(error.message);
  for (auto const& known : words_of_codes)
    if (known.code == error.code) return {error.code, 0, known.text};
  return {error.code, 0, "the sessions cannot be read or written"};
}

}
