// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/profile.hpp>

#include <cstddef>
#include <llm/open_provider.hpp>
#include <optional>
#include <string>

namespace chat {

struct Options {
  std::string store;                                          ///< URL or directory of the sessions
  bool no_session = false;                                    ///< nothing is kept
  sessionkit::Profile profile = sessionkit::profiles::native; ///< whose habits new sessions have
  bool profile_given = false;
  std::string key;                   ///< the newest session of this key is continued; empty: the profile's
  bool newest = false;               ///< continue the newest session of any key
  std::optional<std::string> resume; ///< a session's id, the beginning of it, or a key; empty: let me choose
  std::string folder = CHAT_FILES;   ///< what the tools may touch
  std::size_t window = 200000;       ///< of the model, in tokens
  std::size_t keep_messages = 0;     ///< the model sees so many of the last messages; 0: all
  std::string requests;              ///< a file that takes each request as a line; empty: none
  std::string system = "You are an assistant at a terminal. Your tools read and write files in one folder.";
  std::string model;
  llm::ProviderOptions provider;
  bool script = false;
  bool restarted = false; ///< by itself, for the second half of the script
};

extern char const usage[];

/// What the command line and the environment say; nothing if they make no sense, `why` says what does not.
std::optional<Options> parse_options(int argc, char** argv, std::string& why);

}
