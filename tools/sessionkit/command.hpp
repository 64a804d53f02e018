// SPDX-License-Identifier: MIT
#pragma once
#include "console.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cli {

/// Everything a command line can contain. Values that a command does not use keep their defaults.
struct Arguments {
  // every command
  std::optional<std::string> store;
  std::string transcript_dir;
  std::string timeout = "5s";
  bool read_only = false, shared_directory = false;
  OutputStyle style;

  // what to work on
  std::optional<std::string> session;
  std::vector<std::string> sessions;
  std::optional<std::string> leaf;

  // ls
  std::optional<std::string> path;
  std::optional<std::string> key, agent, user, cursor;
  std::size_t limit = 50;
  std::size_t offset = 0;
  bool archived = false;

  // tail
  bool follow = false;
  std::size_t last = 10;

  // doctor
  bool repair = false, transcripts = false;

  // show, history
  bool thinking = false;
  std::string provider = "anthropic", system, model;
  std::optional<std::string> server; ///< with it `provider` is "openai-chat"
  std::optional<std::string> mode;   ///< absent: the profile's mode
  bool report = false, explain = false;
  bool hidden = false;                ///< search and export, too
  std::optional<std::string> profile; ///< new and convert, too

  // diff
  std::optional<std::string> other;

  // log, last
  std::optional<std::string> type;
  std::optional<std::size_t> newest;

  // search
  std::string query;

  // stats
  std::optional<std::string> prices;

  // set, label, rewind
  std::vector<std::string> assignments, unset;
  std::string entry;
  std::optional<std::string> label, back;

  // import, discover, completion
  std::vector<std::string> files;
  std::string from = "auto", on_conflict = "skip";
  std::string shell;

  // compact, context
  std::optional<std::string> summary, exec;
  std::string deadline = "10m";
  std::optional<std::size_t> keep_turns, keep_messages, keep_tokens;
  std::string focus;

  // prune
  std::optional<std::string> idle, older;
  std::optional<std::size_t> max_sessions, max_bytes;
  std::vector<std::string> protect;

  // convert
  std::optional<std::string> to, output;

  // cp
  std::string source, target;

  // new, append, rm
  std::optional<std::string> cwd, title, id, entry_id;
  std::string role, text;
  bool yes = false, dry_run = false, permanent = false;

  // flags of last, search and label
  bool code = false, ignore_case = false, names_only = false, remove_label = false;
};

/// An option (`-n,--limit N`: its names, and a word for its value), a flag (`--json`) or a positional
/// argument
/// (`SESSION`), and the member that receives its value.
struct Option {
  using Target =
      std::variant<bool Arguments::*, std::size_t Arguments::*, std::string Arguments::*,
                   std::optional<std::size_t> Arguments::*, std::optional<std::string> Arguments::*,
                   std::vector<std::string> Arguments::*, bool OutputStyle::*, std::string OutputStyle::*>;
  char const* spelling;
  char const* help;
  Target target;
  bool required = false;
  std::vector<std::string> choices = {}; ///< empty: any text
};

/// The parts of an option's spelling.
struct Spelling {
  std::vector<std::string> names; ///< none: a positional argument
  std::string value;              ///< the word for its value; empty: a flag
};
Spelling spelling_of(Option const& option);
/// False for a flag.
bool takes_value(Option const& option);
/// True if it may be given several times.
bool is_list(Option const& option);

/// The groups in which help lists the verbs, in this order.
enum class Group { find, request, change, move, keep, shell };

/// A verb. Its function returns the exit code, or throws `Failure` or `sessionkit::Exception`.
struct Command {
  char const* name;
  Group group;
  char const* summary;
  std::vector<Option> options;
  char const* examples;
  Exit (*run)(Console&, Arguments const&);
  bool writes = false; ///< refused for files of other programs
};

/// All commands.
std::vector<Command> const& command_table();
std::vector<Option> const& common_options();
/// The parts of the table: commands that read sessions, change them, and maintain stores.
std::vector<Command> commands_to_read();
std::vector<Command> commands_to_write();
std::vector<Command> commands_to_keep();

// reading.cpp
Exit ls(Console&, Arguments const&);
Exit show(Console&, Arguments const&);
Exit history(Console&, Arguments const&);
// copying.cpp
Exit copy(Console&, Arguments const&);
// diffing.cpp
Exit diff(Console&, Arguments const&);
// converting.cpp
Exit convert(Console&, Arguments const&);
// fitting.cpp
Exit compact(Console&, Arguments const&);
Exit context(Console&, Arguments const&);
// pruning.cpp
Exit prune(Console&, Arguments const&);
Exit empty_trash(Console&, Arguments const&);
// stats.cpp
Exit stats(Console&, Arguments const&);
// entries.cpp
Exit log_entries(Console&, Arguments const&);
Exit last(Console&, Arguments const&);
// searching.cpp
Exit search(Console&, Arguments const&);
// describing.cpp
Exit info(Console&, Arguments const&);
Exit path(Console&, Arguments const&);
// changing.cpp
Exit set(Console&, Arguments const&);
Exit retitle(Console&, Arguments const&);
Exit label(Console&, Arguments const&);
Exit archive(Console&, Arguments const&);
Exit restore(Console&, Arguments const&);
Exit rewind_to(Console&, Arguments const&);
// exporting.cpp, importing.cpp
Exit export_session(Console&, Arguments const&);
Exit import_files(Console&, Arguments const&);
// discovering.cpp
Exit discover(Console&, Arguments const&);
// completing.cpp
Exit completion(Console&, Arguments const&);
// tailing.cpp
Exit tail(Console&, Arguments const&);
// tree.cpp
Exit tree(Console&, Arguments const&);
// writing.cpp
Exit create(Console&, Arguments const&);
Exit append(Console&, Arguments const&);
Exit fork(Console&, Arguments const&);
Exit remove(Console&, Arguments const&);
// checking.cpp
Exit verify(Console&, Arguments const&);
Exit reindex(Console&, Arguments const&);
// repairing.cpp
Exit doctor(Console&, Arguments const&);

}
