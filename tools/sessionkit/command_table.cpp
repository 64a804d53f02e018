// SPDX-License-Identifier: MIT
#include "command.hpp"

#include <iterator>
#include <sstream>
#include <utility>

namespace cli {

using A = Arguments;

std::vector<Option> const& common_options() {
  static std::vector<Option> const options{
      {"--store STORE",
       "where the sessions are: a directory, sqlite:FILE, redis://..., postgres://... or memory: (default: "
       "$SESSIONKIT_STORE, else the user's data directory)",
       &A::store},
      {"--transcript-dir DIR",
       "the directory of claw0's transcripts, if it lies apart from its sessions.json", &A::transcript_dir},
      {"--json", "one JSON document on stdout, errors as JSON on stderr", &OutputStyle::json},
      {"--plain", "tab-separated lines even on a terminal", &OutputStyle::plain},
      {"--raw", "do not make control characters in content visible", &OutputStyle::raw},
      {"--color WHEN",
       "colours on a terminal: auto, always or never",
       &OutputStyle::color,
       false,
       {"auto", "always", "never"}},
      {"--no-pager", "print to the terminal even if the output is longer than it", &OutputStyle::no_pager},
      {"-q,--quiet", "no notices on stderr", &OutputStyle::quiet},
      {"--read-only", "change nothing in the store, not even its index; commands that write are refused",
       &A::read_only},
      {"--shared-directory", "accept a store's directory to which a group or everybody may write",
       &A::shared_directory},
      {"--timeout TIME", "how long to wait for another writer (5s, 500ms, 2m)", &A::timeout},
  };
  return options;
}

std::vector<Command> const& command_table() {
  static std::vector<Command> const table = [] {
    auto all = commands_to_read();
    for (auto part : {commands_to_write, commands_to_keep}) {
      auto more = part();
      std::move(more.begin(), more.end(), std::back_inserter(all));
    }
    return all;
  }();
  return table;
}

Spelling spelling_of(Option const& option) {
  std::istringstream words(option.spelling);
  std::string names;
  Spelling spelling;
  words >> names >> spelling.value;
  if (names.front() != '-') return {{}, names};
  std::istringstream each(names);
  for (std::string name; std::getline(each, name, ',');) spelling.names.push_back(name);
  return spelling;
}

bool takes_value(Option const& option) {
  return !std::holds_alternative<bool Arguments::*>(option.target)
         && !std::holds_alternative<bool OutputStyle::*>(option.target);
}

bool is_list(Option const& option) {
  return std::holds_alternative<std::vector<std::string> Arguments::*>(option.target);
}

}
