// SPDX-License-Identifier: MIT
#pragma once
#include "server.hpp"

#include <agent/agent.hpp>
#include <agent/pruning.hpp>
#include <chrono>
#include <cstddef>
#include <llm/open_provider.hpp>
#include <string>
#include <vector>

namespace chat_host {

struct Options {
  std::string store = "chat_host_sessions"; ///< a directory, or a URL as the store tool takes it
  std::string profile = {};                 ///< the profile of new sessions; empty: the store's
  std::string channel_logs = {};            ///< a directory; empty: beside the sessions, if these are files
  std::string drafts = agent::default_draft_folder(); ///< of answers that arrive; empty: they are not kept
  std::vector<std::string> agents = {"main"};
  std::string system = "You are a helpful assistant.";
  std::string folder = {}; ///< the folder that the tools may use; empty: no tools
  std::string model = {};
  std::vector<std::string> models = {}; ///< that a person may choose, with `model` as the first
  std::size_t window = 200000;          ///< the model's window, in tokens
  agent::CompactionNumbers compaction = {};
  agent::ViewLimits view = {};
  bool saves_turns = true; ///< else conversations are stored at the end
  bool saves_at_end = true;
  agent::PruneRule prune = {};
  std::chrono::seconds prune_every{3600};
  std::size_t most_turns = 256;
  bool make_titles = false;
  llm::ProviderOptions provider = {};
  ServerOptions server = {};
  std::string made_token = {}; ///< made if none was given
};

/// Parses the command line. If it is invalid, or asks for help, the program ends with the proper status.
Options parse_options(int argc, char** argv);

}
