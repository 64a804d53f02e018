// SPDX-License-Identifier: MIT
#include "shared_options.hpp"

namespace cli {

std::vector<Command> commands_to_write() { // NOLINT(readability-function-size): a table
  return {
      {"new",
       "Create a session; prints its id",
       {{"--key",
         "routing key, any text; without one a claw0 store uses main:cli:user, whose row then names the new "
         "session",
         &A::key},
        {"--agent", "agent", &A::agent},
        {"--user", "user", &A::user},
        {"--cwd", "working directory to record (default: this one)", &A::cwd},
        {"--title", "title", &A::title},
        {"--id", "the session's id (default: made as the store's program does; a UUID)", &A::id},
        {"--profile",
         "use the lines of this program, and its layout for a new store (default: the store's profile)",
         &A::profile, false, names_of_profiles()}},
       "  sessionkit new --key main:cli:user\n  sessionkit new --key telegram:42 --title 'Plan for Berlin'\n"
       "  sessionkit new --store ./claw --profile claw0",
       create,
       true},
      {"append",
       "Add a message; prints the entry's id once it is on disk",
       {session,
        {"--role", "the role: user or assistant", &A::role, true, {"user", "assistant"}},
        {"--text", "the text; -: all of stdin, byte for byte", &A::text, true},
        {"--entry-id", "the entry's id: repeating the command stores nothing twice", &A::entry_id}},
       "  sessionkit append @last --role user --text 'What is in config.json?'\n"
       "  sessionkit append session.jsonl --role assistant --text - < answer.txt\n"
       "  sessionkit append @last --role user --text=--help --entry-id request-17",
       append,
       true},
      {"fork",
       "Copy a conversation into a new session; prints the new id",
       {session,
        {"--at", "the last entry to copy: an id, or @246 (default: the last one)", &A::leaf},
        {"--key", "routing key (default: none)", &A::key},
        {"--agent", "agent (default: the same)", &A::agent},
        {"--user", "user (default: the same)", &A::user},
        {"--cwd", "working directory to record (default: the same)", &A::cwd},
        {"--title", "title (default: the same)", &A::title},
        {"--id", "the new session's id (default: a new one)", &A::id}},
       "  sessionkit fork @last\n  sessionkit fork 019a48ba --at 1435c6af\n"
       "  sessionkit append $(sessionkit fork @last) --role user --text 'Otherwise?'",
       fork,
       true},
      {"rewind",
       "Continue from an earlier entry; the entries after it stay, as a branch. Prints the new leaf",
       {session,
        {"ENTRY", "the entry to continue from: its id, as log and tree print it", &A::entry, true},
        {"--summary", "what the model should know of the old branch; -: all of stdin", &A::summary}},
       "  sessionkit rewind @last 1435c6af\n  sessionkit rewind @last 1435c6af --summary 'We tried awk: too "
       "slow.'\n"
       "  sessionkit show @last",
       rewind_to,
       true},
      {"compact",
       "Replace the beginning of a conversation by a summary, in the model's view; prints the entry's id",
       {session,
        {"--summary", "the summary; -: all of stdin", &A::summary},
        {"--exec", "a program that reads the prompt on stdin and writes the summary to stdout", &A::exec},
        {"--deadline", "how long --exec may take for an answer (default: 10m)", &A::deadline},
        {"--keep-turns", "keep this many of the last turns (default: the session's profile)", &A::keep_turns},
        {"--keep-messages", "keep this many of the last messages, and their turn", &A::keep_messages},
        {"--keep-tokens", "keep this many of the last tokens", &A::keep_tokens},
        {"--profile", "by the rules of this profile's program (default: the store's profile)", &A::profile,
         false, names_of_profiles()},
        {"--focus", "what the summary should stress", &A::focus},
        {"--dry-run", "only print what would be done; with --json also the requests to the model",
         &A::dry_run}},
       "  sessionkit compact @last --dry-run --keep-turns 2\n  sessionkit compact @last --exec 'my-model "
       "--stdin'\n"
       "  sessionkit compact @last --keep-turns 5 --summary - < summary.md",
       compact,
       true},
      {"set",
       "Change a session's title, archive mark or state",
       {session,
        {"NAME=VALUE", "title=TEXT, archived=true, archived=false, or state.NAME=VALUE; JSON or text",
         &A::assignments},
        {"--unset", "remove: title or state.NAME; may be repeated", &A::unset}},
       "  sessionkit set @last title='Plan for Berlin' state.city=Berlin\n  sessionkit set 019a48ba "
       "state.budget=1200\n  sessionkit set @last --unset state.city",
       set,
       true},
      {"rename",
       "Give a session a title",
       {session, {"TITLE", "any text; empty removes the title", &A::title, true}},
       "  sessionkit rename @last 'Plan for Berlin'\n  sessionkit rename 019a48ba ''\n"
       "  sessionkit rename key:main:cli:user Daily",
       retitle,
       true},
      {"label",
       "Mark an entry, for example as a checkpoint",
       {session,
        {"ENTRY", "the entry's id, or @246, as log and tree print it", &A::entry, true},
        {"LABEL", "the text of the label", &A::label},
        {"--remove", "remove its label", &A::remove_label}},
       "  sessionkit label @last 1435c6af checkpoint\n  sessionkit label @last 1435c6af --remove\n"
       "  sessionkit tree @last | grep checkpoint",
       label,
       true},
      {"archive",
       "Hide sessions from the list; they stay unchanged",
       {{"SESSION", "ids, keys, @last", &A::sessions, true}},
       "  sessionkit archive 019a48ba\n  sessionkit ls --archived\n  sessionkit archive @last --json",
       archive,
       true},
      {"restore",
       "Show archived sessions in the list again",
       {{"SESSION", "ids, keys", &A::sessions, true}},
       "  sessionkit restore 019a48ba\n  sessionkit restore $(sessionkit ls --archived | cut -f1)\n"
       "  sessionkit restore key:old --json",
       restore,
       true},
  };
}

}
