// SPDX-License-Identifier: MIT
#include "shared_options.hpp"

#include <sessionkit/export.hpp>

namespace cli {

namespace {

std::vector<std::string> formats_to_export() {
  std::vector<std::string> names{"markdown", "html", "jsonl"};
  for (auto const* const exporter : sessionkit::known_exporters()) names.emplace_back(exporter->name);
  return names;
}

}

std::vector<Command> commands_to_keep() { // NOLINT(readability-function-size): a table
  return {
      {"export",
       Group::move,
       "Write a conversation as Markdown or as an HTML page, the unchanged lines of a session, or the files "
       "with which another program resumes it",
       {session,
        leaf,
        {"--to FORMAT",
         "the format: markdown, html or jsonl (default: by the file's name, else markdown); or the program: "
         "claude-code, codex, opencode, pi or atif",
         &A::to, false, formats_to_export()},
        {"-o,--output FILE",
         "the new file; it must not exist; -: standard output (default); for a program the folder (default: "
         "where the program looks)",
         &A::output},
        {"--id ID", "for a program: the session's id there (default: the same, or made of it)", &A::id},
        {"--cwd DIR", "for a program: where it resumes the session (default: the session's, else this one)",
         &A::cwd},
        {"--thinking", "include the model's reasoning", &A::thinking},
        hidden},
       "  sessionkit export @last\n  sessionkit export @last -o talk.html\n  sessionkit export --store "
       "sqlite:sessions.db 019a48ba --to jsonl > session.jsonl\n"
       "  sessionkit export @last --to jsonl | ssh HOST sessionkit import -\n"
       "  sessionkit export @last --to claude-code",
       export_session},
      {"import",
       Group::move,
       "Copy files of any format into the store, under their own ids; nothing is overwritten, and a second "
       "run completes what is missing",
       {{"FILE", "transcripts, files or folders of other programs; -: stdin", &A::files, true},
        {"--from PROGRAM",
         "only the conversations of this program (auto: of any)",
         &A::from,
         false,
         {"auto", "claude-code", "codex", "gemini-cli", "opencode", "openai-agents", "atif", "blades"}},
        {"--on-conflict HOW",
         "if the id of another program's session is in use for another conversation: skip it, rename it, or "
         "fail, and stop there",
         &A::on_conflict,
         false,
         {"skip", "rename", "fail"}},
        {"--dry-run", "only compare, and print what would be done", &A::dry_run}},
       "  sessionkit import session.jsonl\n  sessionkit import ~/.pi/agent/sessions/*/*.jsonl --dry-run\n"
       "  sessionkit import ~/.claude/projects --from claude-code --on-conflict rename\n"
       "  ssh host sessionkit export @last --to jsonl | sessionkit import -",
       import_files},
      {"discover",
       Group::move,
       "List where other programs keep conversations on this machine; reads the beginnings of files only",
       {{"ROOT", "files or folders to look at (default: the usual places of each program)", &A::files}},
       "  sessionkit discover\n  sessionkit discover /backup/home --json\n  sessionkit discover | cut -f5",
       discover},
      {"convert",
       Group::move,
       "Write a session in another format; prints the new file's name, lists what was left out",
       {{"FILE", "id, key, @last or a file, of another program too", &A::session, true},
        {"--to FORMAT",
         "the format: native, flat, panel or blades",
         &A::to,
         false,
         {"native", "flat", "panel", "blades"}},
        {"--profile NAME", "instead of --to: the format of this profile's program", &A::profile, false,
         names_of_profiles()},
        {"-o,--output FILE",
         "the new file; it must not exist; -: standard output (default: in this directory, unless it is a "
         "store's)",
         &A::output}},
       "  sessionkit convert session.jsonl --to flat\n  sessionkit convert @last --to blades -o "
       "session.json\n"
       "  sessionkit convert session.json --to native -o session.jsonl",
       convert},
      {"cp",
       Group::move,
       "Copy sessions into another store, line by line, and read them back; a second run completes what is "
       "missing",
       {{"SRC", "a store, as for --store, or a transcript", &A::source, true},
        {"DST", "a store; created if it does not exist", &A::target, true},
        {"SESSION", "ids, keys, @last in SRC (default: all, archived ones too)", &A::sessions},
        {"--dry-run", "only compare, and print what would be done", &A::dry_run}},
       "  sessionkit cp ./sessions sqlite:sessions.db\n  sessionkit cp sqlite:sessions.db ./backup @last\n"
       "  sessionkit cp session.jsonl ./sessions --json",
       copy},
      {"rm",
       Group::keep,
       "Move sessions to the trash; databases have none",
       {{"SESSION", "ids, keys, @last", &A::sessions, true},
        {"--permanent", "delete them; nothing goes to the trash", &A::permanent},
        {"-y,--yes", "do not ask", &A::yes},
        {"--dry-run", "only print the sessions", &A::dry_run}},
       "  sessionkit rm 019a48ba\n  sessionkit rm @last --yes\n  sessionkit rm key:old 019a --dry-run",
       remove,
       true},
      {"empty-trash",
       Group::keep,
       "Delete what is in the trash of a store; prints how many sessions and bytes that was",
       {{"-y,--yes", "do not ask", &A::yes}, {"--dry-run", "only count", &A::dry_run}},
       "  sessionkit empty-trash --dry-run\n  sessionkit empty-trash --yes\n  sessionkit empty-trash --json "
       "--yes",
       empty_trash,
       true},
      {"prune",
       Group::keep,
       "Move old sessions to the trash (databases have none); prints each with the reason",
       {{"--idle TIME", "sessions without an entry for this long (12h, 30d)", &A::idle},
        {"--age TIME", "sessions created this long ago, however active", &A::older},
        {"--most N", "the oldest, until this many sessions are left", &A::max_sessions},
        {"--most-bytes N", "the oldest, until the files have at most this size", &A::max_bytes},
        {"--protect KEY", "never the sessions of this key; may be repeated", &A::protect},
        {"-y,--yes", "do not ask", &A::yes},
        {"--dry-run", "only print the sessions, with the reasons", &A::dry_run}},
       "  sessionkit prune --idle 90d --dry-run\n  sessionkit prune --most 500 --protect main:cli:user "
       "--yes\n"
       "  sessionkit prune --idle 30d --yes --json",
       prune,
       true},
      {"verify",
       Group::keep,
       "Check a session, a file or the whole store, changing nothing; exit code 5 if there is damage",
       {{"SESSION", "id, key, @last or a file (default: the whole store)", &A::session}},
       "  sessionkit verify\n  sessionkit verify session.jsonl\n  sessionkit verify @last --json",
       verify},
      {"doctor",
       Group::keep,
       "Find what is wrong with a store of files or a file and what would repair it; exit code 5 if there is "
       "damage",
       {{"STORE|FILE", "a directory of sessions, a file, or a session (default: the store)", &A::session},
        {"--repair", "repair it; what is replaced or removed is kept in quarantine/ beside it", &A::repair},
        {"--transcripts", "with --repair on a store: rewrite damaged transcripts too", &A::transcripts}},
       "  sessionkit doctor\n  sessionkit doctor --repair\n  sessionkit doctor session.jsonl --repair",
       doctor,
       true},
      {"reindex",
       Group::keep,
       "Rebuild the index of a store of files from its transcripts; prints the number of sessions",
       {},
       "  sessionkit reindex\n  sessionkit reindex --store ./sessions\n  sessionkit reindex --json",
       reindex,
       true},
      {"completion",
       Group::shell,
       "Print a shell's completion script",
       {{"SHELL", "bash, zsh or fish", &A::shell, true, {"bash", "zsh", "fish"}}},
       "  source <(sessionkit completion bash)\n  sessionkit completion zsh > ~/.zfunc/_sessionkit\n"
       "  sessionkit completion fish > ~/.config/fish/completions/sessionkit.fish",
       completion},
  };
}

}
