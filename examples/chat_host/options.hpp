// SPDX-License-Identifier: MIT
#pragma once
#include "server.hpp"

#include <cstddef>
#include <llm/open_provider.hpp>
#include <string>
#include <vector>

namespace chat_host {

struct Options {
  std::string store = "chat_host_sessions"; ///< a directory, or a URL as the store tool takes it
  std::string profile = {};                 ///< whose habits new sessions have; empty: as the store is
  std::string channel_logs = {};            ///< a directory; empty: beside the sessions, if these are files
  std::vector<std::string> agents = {"main"};
  std::string system = "You are a helpful assistant.";
  std::string folder = {}; ///< what the tools may touch; empty: there are none
  std::string model = {};
  std::size_t window = 200000; ///< of the model, in tokens
  std::size_t most_turns = 256;
  bool make_titles = false;
  llm::ProviderOptions provider = {};
  ServerOptions server = {};
  std::string made_token = {}; ///< where none was given
};

/// Reads the command line; where it makes no sense, or asks for help, the program ends with that status.
Options parse_options(int argc, char** argv);

}
