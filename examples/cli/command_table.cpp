// SPDX-License-Identifier: MIT
#include "command.hpp"

#include <sessionkit/profile.hpp>

namespace cli {

namespace {

using A = Arguments;

std::vector<std::string> names_of_profiles() {
  std::vector<std::string> names;
  for (auto const name : sessionkit::profile_names()) names.emplace_back(name);
  return names;
}

Option const session{"SESSION", "id, first characters of an id, key, @last, @-2, or a file", &A::session,
                     true};
Option const leaf{"--leaf", "the entry to end at: an id, or @246 (default: the last one)", &A::leaf};
Option const provider{"--provider",
                      "whose wire format: anthropic, openai-chat, openai-responses, gemini or native",
                      &A::provider,
                      false,
                      {"anthropic", "openai-chat", "openai-responses", "gemini", "native"}};
Option const model{"--model", "for this model: thinking of other models is not sent", &A::model};

}

std::vector<Option> const& common_options() {
  static std::vector<Option> const options{
      {"--store",
       "where the sessions are: a directory, sqlite:FILE, redis://..., postgres://... or memory: (default: "
       "$SESSIONKIT_STORE, else the user's data directory)",
       &A::store},
      {"--json", "one JSON document on stdout, errors as JSON on stderr", &OutputStyle::json},
      {"--plain", "tab-separated lines even on a terminal", &OutputStyle::plain},
      {"--raw", "do not make control characters in content visible on a terminal", &OutputStyle::raw},
      {"--color",
       "colours on a terminal: auto, always or never",
       &OutputStyle::color,
       false,
       {"auto", "always", "never"}},
      {"-q,--quiet", "no notices on stderr", &OutputStyle::quiet},
      {"--timeout", "how long to wait for another writer (5s, 500ms, 2m)", &A::timeout},
  };
  return options;
}

std::vector<Command> const& command_table() {
  static std::vector<Command> const table{
      {"ls",
       "List sessions, newest first",
       {{"-n,--limit", "at most so many (0: all; default 50)", &A::limit},
        {"--key", "only this key", &A::key},
        {"--agent", "only this agent", &A::agent},
        {"--user", "only this user", &A::user},
        {"--archived", "archived sessions instead", &A::archived},
        {"--cursor", "go on where an earlier page ended", &A::cursor}},
       "  sessionkit ls -n 5\n  sessionkit ls --key main:cli:user --json\n  sessionkit ls | cut -f1",
       ls},
      {"show",
       "Print a conversation",
       {session, leaf, {"--thinking", "with the model's reasoning", &A::thinking}},
       "  sessionkit show @last\n  sessionkit show session.jsonl --leaf 1ac286af\n  sessionkit show 019a48ba "
       "--json",
       show},
      {"history",
       R"(Print what would be sent to a model: {"system":...,"messages":[...]}, or "input" or "contents")",
       {session,
        leaf,
        provider,
        {"--mode",
         "valid: what the provider accepts; faithful: what the log holds (default: as the profile has it)",
         &A::mode,
         false,
         {"valid", "faithful"}},
        {"--profile", "as the programs of this profile would send it", &A::profile, false,
         names_of_profiles()},
        {"--system", "system prompt", &A::system},
        model,
        {"--report", "print every repair to stderr", &A::report},
        {"--explain", "print the repairs instead: entry, rule, before, after, retroactive", &A::explain}},
       "  sessionkit history @last --explain\n  sessionkit history session.jsonl --provider openai-chat\n"
       "  sessionkit history key:main:cli:user --provider native --mode faithful",
       history},
      {"context",
       "Print how long the model's view of a session is, and whether it is due to be compacted",
       {session,
        leaf,
        {"--explain", "every entry in it with its estimate", &A::explain},
        {"--profile", "by the rules of this profile's program (default: as the store looks)", &A::profile,
         false, names_of_profiles()}},
       "  sessionkit context @last\n  sessionkit context @last --explain\n  sessionkit context session.jsonl "
       "--json",
       context},
      {"stats",
       "Count answers, tokens and cost by day and model",
       {{"SESSION", "id, key, @last or a file (default: the whole store)", &A::session}},
       "  sessionkit stats\n  sessionkit stats @last --json\n  sessionkit stats session.jsonl | cut -f1,3,9",
       stats},
      {"tail",
       "Print the last entries; with -f whatever any program appends, until Ctrl-C (exit code 130)",
       {session,
        {"-f,--follow", "go on: print each entry once its line is whole", &A::follow},
        {"-n,--entries", "so many of the entries that are there (default 10)", &A::last},
        {"--thinking", "with the model's reasoning", &A::thinking}},
       "  sessionkit tail @last\n  sessionkit tail -f -n 0 019a48ba\n  sessionkit tail -f session.jsonl "
       "--json | jq .type",
       tail},
      {"diff",
       "Show where the requests of two sessions part: exit code 1; 0 if one goes on where the other ends",
       {{"A", "a session, or SESSION@ENTRY to end at an entry; one without an id is @246: SESSION@@246",
         &A::session, true},
        {"B", "the same, the later of the two", &A::other, true},
        provider,
        model},
       "  sessionkit diff 019a48ba @last\n  sessionkit diff session.jsonl@1435c6af session.jsonl\n"
       "  sessionkit diff @last@1435c6af @last --provider openai-chat --json\n"
       "  sessionkit diff flat.jsonl@@246 flat.jsonl",
       diff},
      {"tree",
       "Print the entries with their branches and labels",
       {session},
       "  sessionkit tree @last\n  sessionkit tree session.jsonl --json\n  sessionkit tree @last --plain | "
       "grep label",
       tree},
      {"append",
       "Add a message; prints the entry's id once it is on disk",
       {session,
        {"--role", "who speaks: user or assistant", &A::role, true, {"user", "assistant"}},
        {"--text", "what is said; -: all of stdin, byte for byte", &A::text, true},
        {"--entry-id", "the entry's id: repeating the command stores nothing twice", &A::entry_id}},
       "  sessionkit append @last --role user --text 'What is in config.json?'\n"
       "  sessionkit append session.jsonl --role assistant --text - < answer.txt\n"
       "  sessionkit append @last --role user --text=--help --entry-id request-17",
       append},
      {"new",
       "Create a session; prints its id",
       {{"--key",
         "routing key, any text; without one a claw0 store takes main:cli:user, whose row then names the new "
         "session",
         &A::key},
        {"--agent", "agent", &A::agent},
        {"--user", "user", &A::user},
        {"--cwd", "working directory to note (default: this one)", &A::cwd},
        {"--title", "title", &A::title},
        {"--id", "the session's id (default: as the store's program would call it; a UUID)", &A::id},
        {"--profile",
         "in the lines of this program, and a new store in its layout (default: as the store is)",
         &A::profile, false, names_of_profiles()}},
       "  sessionkit new --key main:cli:user\n  sessionkit new --key telegram:42 --title 'Plan for Berlin'\n"
       "  sessionkit new --store ./claw --profile claw0",
       create},
      {"fork",
       "Copy a conversation into a new session; prints the new id",
       {session, {"--at", "the last entry to copy: an id, or @246 (default: the last one)", &A::leaf}},
       "  sessionkit fork @last\n  sessionkit fork 019a48ba --at 1435c6af\n"
       "  sessionkit append $(sessionkit fork @last) --role user --text 'Otherwise?'",
       fork},
      {"compact",
       "Replace the beginning of a conversation by a summary, in the model's view; prints the entry's id",
       {session,
        {"--summary", "the summary; -: all of stdin", &A::summary},
        {"--exec", "a program that reads the prompt on stdin and writes the summary to stdout", &A::exec},
        {"--deadline", "how long --exec may take for an answer (default: 10m)", &A::deadline},
        {"--keep-turns", "leave the last so many turns (default: as the session's profile says)",
         &A::keep_turns},
        {"--keep-messages", "leave the last so many messages, and their turn", &A::keep_messages},
        {"--keep-tokens", "leave the last so many tokens", &A::keep_tokens},
        {"--profile", "by the rules of this profile's program (default: as the store looks)", &A::profile,
         false, names_of_profiles()},
        {"--focus", "what the summary should stress", &A::focus},
        {"--dry-run", "only print what would be done; with --json also what would be asked", &A::dry_run}},
       "  sessionkit compact @last --dry-run --keep-turns 2\n  sessionkit compact @last --exec 'my-model "
       "--stdin'\n"
       "  sessionkit compact @last --keep-turns 5 --summary - < summary.md",
       compact},
      {"prune",
       "Move old sessions to the trash (databases have none); prints each and why",
       {{"--idle", "those without an entry for so long (12h, 30d)", &A::idle},
        {"--age", "those created so long ago, however busy", &A::older},
        {"--most", "the oldest, until so many sessions are left", &A::most_sessions},
        {"--most-bytes", "the oldest, until their files hold no more", &A::most_bytes},
        {"--protect", "never the sessions of this key; may be repeated", &A::protect},
        {"-y,--yes", "do not ask", &A::yes},
        {"--dry-run", "only print which, and why", &A::dry_run}},
       "  sessionkit prune --idle 90d --dry-run\n  sessionkit prune --most 500 --protect main:cli:user "
       "--yes\n"
       "  sessionkit prune --idle 30d --yes --json",
       prune},
      {"rm",
       "Move sessions to the trash; databases have none",
       {{"SESSION", "ids, keys, @last", &A::sessions, true},
        {"-y,--yes", "do not ask", &A::yes},
        {"--dry-run", "only print which", &A::dry_run}},
       "  sessionkit rm 019a48ba\n  sessionkit rm @last --yes\n  sessionkit rm key:old 019a --dry-run",
       remove},
      {"convert",
       "Write a session anew in another format; prints the new file's name, lists what could not be said",
       {{"FILE", "id, key, @last or a file; also a document that blades wrote, whatever its name",
         &A::session, true},
        {"--to",
         "the format: native, flat, panel or blades",
         &A::to,
         false,
         {"native", "flat", "panel", "blades"}},
        {"--profile", "instead: the format of this profile's program", &A::profile, false,
         names_of_profiles()},
        {"-o,--output",
         "the new file; it must not exist; -: standard output (default: in this directory, unless it is a "
         "store's)",
         &A::output}},
       "  sessionkit convert session.jsonl --to flat\n  sessionkit convert @last --to blades -o "
       "session.json\n"
       "  sessionkit convert session.json --to native -o session.jsonl",
       convert},
      {"cp",
       "Copy sessions into another store, line for line, and read them back; again: completes what is "
       "missing",
       {{"SRC", "a store, as --store names it, or a transcript", &A::source, true},
        {"DST", "a store; made if it does not exist", &A::target, true},
        {"SESSION", "ids, keys, @last in SRC (default: all, archived ones too)", &A::sessions},
        {"--dry-run", "only compare, and print what would be done", &A::dry_run}},
       "  sessionkit cp ./sessions sqlite:sessions.db\n  sessionkit cp sqlite:sessions.db ./backup @last\n"
       "  sessionkit cp session.jsonl ./sessions --json",
       copy},
      {"verify",
       "Check a session, a file or the whole store, changing nothing; exit code 5 if there is damage",
       {{"SESSION", "id, key, @last or a file (default: the whole store)", &A::session}},
       "  sessionkit verify\n  sessionkit verify session.jsonl\n  sessionkit verify @last --json",
       verify},
      {"doctor",
       "Find what is wrong with a store of files or a file and what would mend it; exit code 5 if there is "
       "damage",
       {{"STORE|FILE", "a directory of sessions, a file, or a session (default: the store)", &A::session},
        {"--repair", "mend it; what is replaced or taken away is kept in quarantine/ beside it", &A::repair},
        {"--transcripts", "with --repair on a store: rewrite damaged transcripts too", &A::transcripts}},
       "  sessionkit doctor\n  sessionkit doctor --repair\n  sessionkit doctor session.jsonl --repair",
       doctor},
      {"reindex",
       "Rebuild the index of a store of files from its transcripts; prints how many sessions there are",
       {},
       "  sessionkit reindex\n  sessionkit reindex --store ./sessions\n  sessionkit reindex --json",
       reindex},
  };
  return table;
}

}
