// SPDX-License-Identifier: MIT
#pragma once
#include "command.hpp"

#include <sessionkit/profile.hpp>
#include <sessionkit/server.hpp>

#include <string>
#include <vector>

/// Options that several commands have.
namespace cli {

using A = Arguments;

inline std::vector<std::string> names_of_profiles() {
  std::vector<std::string> names;
  for (auto const name : sessionkit::profile_names()) names.emplace_back(name);
  return names;
}

inline Option const session{"SESSION", "id, first characters of an id, key, title, @last, @-2, or a file",
                            &A::session, true};
inline Option const leaf{"--leaf ENTRY", "the entry to end at: an id, or @246 (default: the last one)",
                         &A::leaf};
inline Option const provider{"--provider NAME",
                             "whose wire format: anthropic, openai-chat, openai-responses, gemini or native",
                             &A::provider,
                             false,
                             {"anthropic", "openai-chat", "openai-responses", "gemini", "native"}};
inline std::vector<std::string> names_of_servers() {
  std::vector<std::string> names;
  for (auto const name : sessionkit::server_names()) names.emplace_back(name);
  return names;
}
inline Option const server{
    "--server NAME",
    "for this server, which speaks OpenAI's Chat Completions (implies --provider openai-chat)", &A::server,
    false, names_of_servers()};
inline Option const hidden{"--hidden", "include what another program added by itself", &A::hidden};
inline Option const model{"--model NAME", "for this model: thinking of other models is not sent", &A::model};

}
