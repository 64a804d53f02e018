// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/profile.hpp>

#include <agent/agent.hpp>
#include <agent/pruning.hpp>
#include <common/prices.hpp>
#include <cstddef>
#include <llm/open_provider.hpp>
#include <optional>
#include <string>

namespace chat {

/// What is printed: a talk with a person, or for scripts the answer alone, or its events as lines of JSON.
enum class Output { talk, answer, json };

struct Options {
  std::string store;                                          ///< URL or directory of the sessions
  std::string transcripts = {};                               ///< claw0's, if apart from its index
  sessionkit::Profile profile = sessionkit::profiles::native; ///< the profile of new sessions
  std::string key;                   ///< continue the newest session of this key; empty: the profile's
  std::optional<std::string> resume; ///< a session's id, its beginning, or a key; empty: the person chooses
  std::string folder;                ///< the folder that the tools may use
  std::string requests;              ///< a file that receives each request as a line; empty: none
  std::string system = "You are an assistant at a terminal. Your tools read and write files in one folder.";
  std::string model;
  llm::ProviderOptions provider;
  std::size_t window = 200000; ///< the model's window, in tokens
  agent::CompactionNumbers compaction = {};
  agent::PruneRule prune = {};
  agent::ViewLimits view = {};
  std::optional<std::string> print; ///< ask this once and leave; "-": stdin
  Output output = Output::talk;
  std::optional<cli::Prices> prices;
  std::optional<std::string> completion; ///< a script for a shell: print it and leave
  bool json = false;
  bool no_session = false;      ///< nothing is stored
  bool no_auto_save = false;    ///< the conversation is stored at the end, not in each turn
  bool no_save_on_exit = false; ///< nor at the end, only at `/save`
  bool no_stream = false;
  bool shared_sub_agent = false; ///< the sub-agent works in the session of the person
  bool profile_given = false;
  bool newest = false;    ///< continue the newest session of any key
  bool own_folder = true; ///< the default folder: it is created if it is missing
  bool script = false;    ///< play the demonstration
  bool restarted = false; ///< the program restarted itself for the second half
  bool help = false, version = false;
};

extern char const usage[];

/// Where sessions are without `--store`.
std::string default_store();

/// Parses the command line and the environment. Absent if they are invalid; `why` then gives the reason.
std::optional<Options> parse_options(int argc, char** argv, std::string& why);

}
