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
  sessionkit::Profile profile = sessionkit::profiles::native; ///< whose habits new sessions have
  std::string key;                   ///< the newest session of this key is continued; empty: the profile's
  std::optional<std::string> resume; ///< a session's id, the beginning of it, or a key; empty: let me choose
  std::string folder;                ///< what the tools may touch
  std::string requests;              ///< a file that takes each request as a line; empty: none
  std::string system = "You are an assistant at a terminal. Your tools read and write files in one folder.";
  std::string model;
  llm::ProviderOptions provider;
  std::size_t window = 200000;   ///< of the model, in tokens
  std::size_t keep_messages = 0; ///< the model sees so many of the last messages; 0: all
  bool no_session = false;       ///< nothing is kept
  bool profile_given = false;
  bool newest = false;    ///< continue the newest session of any key
  bool own_folder = true; ///< nobody named it: it is made where it is not there
  bool script = false;    ///< play the demonstration
  bool restarted = false; ///< by itself, for the second half of it
  bool help = false, version = false;
};

extern char const usage[];

/// What the command line and the environment say; nothing if they make no sense, `why` says what does not.
std::optional<Options> parse_options(int argc, char** argv, std::string& why);

}
