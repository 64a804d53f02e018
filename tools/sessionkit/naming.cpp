// SPDX-License-Identifier: MIT
#include "naming.hpp"
#include "recognising.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/search.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/foreign.hpp>
#include <common/text.hpp>
#include <filesystem>
#include <optional>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

Named open_file(Console& console, Arguments const& args, std::string const& path) {
  auto store = open_transcript(open_options(console, args), path);
  auto const id = sk::transcript_session(*store).value(); // a list would read the whole file
  return {store, id, path, true};
}

[[noreturn]] void fail_ambiguous(std::string const& name, std::vector<sk::SessionId> const& candidates) {
  std::string list;
  std::size_t const most = 5;
  for (std::size_t i = 0; i < std::min(candidates.size(), most); ++i) list += "\n  " + candidates[i].str();
  if (candidates.size() > most) list += fmt::format("\n  and {} more", candidates.size() - most);
  throw Failure{Exit::usage, "ambiguous",
                fmt::format("'{}' may be any of {} sessions:{}", name, candidates.size(), list),
                "write the whole id"};
}

std::optional<sk::SessionId> find_in(sk::SessionStore& store, std::string const& name) {
  auto const found = sk::find_sessions(store, name);
  if (!found) throw failure_of(found.error());
  if (found->size() > 1) fail_ambiguous(name, *found);
  return found->empty() ? std::nullopt : std::optional(found->front());
}

bool looks_like_a_path(std::string const& name) {
  if (starts_with(name, "key:")) return false;
  bool const has_folder = std::filesystem::path(name).has_parent_path(); // of either separator on Windows
  return has_folder || ends_with(name, ".jsonl") || ends_with(name, ".json");
}

bool is_nowhere(std::string const& path) {
  std::error_code ignored; // a path that cannot be inspected is opened, which reports the error
  return std::filesystem::symlink_status(path, ignored).type() == std::filesystem::file_type::not_found;
}

Place place_of(StorePtr const& store, sk::SessionId const& id) {
  return {store, id, sk::transcript_path(*store, id)};
}

/// `name` looks like a path, but there is no such file: it may still be a key, a title or an id.
Place find_instead_of_file(Console& console, Arguments const& args, std::string const& name) {
  auto const store = open_store(console, args);
  if (!store && store.error().code != sk::Errc::not_found) throw failure_of(store.error());
  if (store) {
    auto const id = find_in(**store, starts_with(name, "@") ? "key:" + name : name);
    if (id) return place_of(*store, *id);
  }
  throw Failure{Exit::not_found, "not_found", fmt::format("there is no file '{}'", name),
                fmt::format("check the path; if it is the key of a session: key:{}", name)};
}

/// A directory is not a session, however it is spelled.
void refuse_directory(std::string const& path, Exit exit) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Failure{exit, "unsafe_path", fmt::format("'{}' is a directory, not a session", path),
                  fmt::format("if it is a store: sessionkit ls --store {}; else name a file in it", path)};
}

bool is_their_folder(std::string const& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) && foreign_program(path);
}

/// Sessions whose titles have these words, for a person who remembers no id; else how to look for them.
std::string hint_for_words(sk::SessionStore& store, std::string const& words) {
  constexpr std::size_t most = 3, long_title = 200, shown_title = 40;
  std::string found;
  std::size_t count = 0;
  auto const wanted = sk::fold_case(words);
  auto const all = sk::list_all(store);
  if (all && words.size() > 2)
    for (auto const& info : *all) {
      auto const title = info.display_title(long_title);
      if (sk::fold_case(title).find(wanted) == std::string::npos || ++count > most) continue;
      found += fmt::format("\n  {}  {}", info.id.str(), cut(one_line(title), shown_title));
    }
  if (count == 0) return "see all sessions: sessionkit ls; find a text: sessionkit search -i TEXT";
  return fmt::format("did you mean:{}{}", found,
                     count > most ? fmt::format("\n  and {} more", count - most) : "");
}

[[noreturn]] void fail_missing(sk::SessionStore& store, std::string const& name, std::string const& where) {
  throw Failure{Exit::not_found, "not_found",
                fmt::format("there is no session '{}' in the store '{}'", name, where),
                hint_for_words(store, name)};
}

}

void require_name(std::string const& name) {
  if (name.empty() || name == "key:")
    throw Failure{
        Exit::usage, "invalid_argument", fmt::format("'{}' names no session", name),
        "give an id, its first characters, a key, a title, @last or a file; see all sessions: sessionkit ls"};
}

void fail_entry(std::string const& session, std::string const& entry) {
  throw Failure{Exit::not_found, "not_found", fmt::format("there is no entry '{}' in '{}'", entry, session),
                "see its entries: sessionkit tree " + session};
}

namespace {

/// An id that two entries have does not say which of them is meant. Reads the heads of the log.
void require_one(Named const& named, std::string const& entry) {
  std::vector<std::string> places;
  sk::ReadRange range;
  range.heads_only = true;
  for (bool more = true; more;) {
    auto const page = named.store->read(named.id, range).value();
    for (auto const& item : page.items())
      if (item.id == entry && item.type != "session") places.push_back(fmt::format("{}", item.end.value()));
    more = page.more;
    range.from = page.next;
  }
  if (places.size() < 2) return;
  throw Failure{Exit::usage, "ambiguous",
                fmt::format("{} entries have the id '{}': those that end at {}", places.size(), entry,
                            fmt::join(places, " and ")),
                "name an entry after the one you mean; see them: sessionkit log " + named.id.str()};
}

}

sk::EntryId leaf_of(Named const& named, Arguments const& args) {
  if (args.leaf && args.leaf->empty())
    throw Failure{Exit::usage, "invalid_argument", "the id of the entry is empty",
                  "leave the option out for the last one"};
  if (args.leaf) require_one(named, *args.leaf);
  return sk::EntryId(args.leaf.value_or(""));
}

StoreAddress store_address(Arguments const& args) {
  if (args.store) return parse_address(*args.store);
  if (auto const store = environment("SESSIONKIT_STORE"); !store.empty()) return parse_address(store);
  auto data = environment("XDG_DATA_HOME");
  if (data.empty() || data.front() != '/') {
    auto const home = home_folder();
    if (home.empty())
      throw Failure{Exit::usage, "no_store", "there is no HOME to keep sessions in",
                    "name a directory: --store DIR"};
    data = home + "/.local/share";
  }
  return {"file", data + "/sessionkit/sessions", false};
}

std::string store_root(Arguments const& args, char const* verb, char const* instead) {
  auto const address = store_address(args);
  if (address.is_files()) return address.place;
  throw Failure{Exit::usage, "unsupported",
                fmt::format("{} works on stores of files, not on '{}'", verb, shown(address)), instead};
}

void require_ours(Arguments const& args) {
  auto names = args.sessions;
  if (args.session) names.push_back(*args.session);
  std::error_code ignored;
  bool all_are_paths = !names.empty();
  for (auto const& name : names) {
    if (auto const program = foreign_program(name)) throw failure_of(refusal_to_write(name, *program));
    all_are_paths = all_are_paths && std::filesystem::exists(name, ignored);
  }
  if (all_are_paths) return;
  auto const address = store_address(args);
  if (auto const program = program_of_store(address))
    throw failure_of(refusal_to_write(address.place, *program));
}

Arguments with_foreign_store(Arguments const& args) {
  Arguments out = args;
  if (!out.session || !foreign_program(*out.session)) return out;
  out.store = "file:" + *out.session;
  out.session.reset();
  return out;
}

std::chrono::milliseconds lock_wait(Arguments const& args) {
  auto const wait = parse_duration(args.timeout);
  if (wait) return *wait;
  throw Failure{Exit::usage, "invalid_argument", fmt::format("--timeout: '{}' is no duration", args.timeout),
                "write it as 5s, 500ms or 2m"};
}

std::string store_again(Arguments const& args) {
  return args.store ? " --store " + shell_word(*args.store) : std::string();
}

std::chrono::milliseconds duration_of(char const* flag, std::string const& text) {
  auto const time = parse_duration(text);
  bool const has_unit = text.find_first_not_of("0123456789") != std::string::npos; // 30 of what?
  if (time && time->count() > 0 && has_unit) return *time;
  throw Failure{Exit::usage, "usage", fmt::format("{}: '{}' is no duration", flag, text),
                "write it as 30d, 12h, 15m or 10s"};
}

std::optional<std::string> known_store_root(Arguments const& args) {
  try {
    auto const address = store_address(args);
    return address.is_files() ? std::optional(address.place) : std::nullopt;
  } catch (Failure const&) { return std::nullopt; }
}

OpenOptions open_options(Console& console, Arguments const& args, bool create) {
  OpenOptions options;
  options.create = create;
  options.read_only = args.read_only;
  options.allow_shared_directory = args.shared_directory;
  options.transcripts = args.transcript_dir;
  options.adopt = !args.dry_run;
  options.lock_wait = lock_wait(args);
  if (create && args.profile) options.profile = *sk::find_profile(*args.profile);
  options.on_event = [&console](sk::Event const& event) {
    console.notice(event.session.empty() ? event.message : event.session + ": " + event.message);
  };
  options.on_summary_progress = [&console](std::uint64_t done, std::uint64_t total) {
    console.progress_within(done, total);
  };
  return options;
}

sk::Result<StorePtr> open_store(Console& console, Arguments const& args, bool create) {
  return open_store(store_address(args), open_options(console, args, create));
}

StorePtr open_existing_store(Console& console, Arguments const& args) {
  auto store = open_store(console, args);
  if (!store && store.error().code == sk::Errc::not_found) fail_no_store(shown(store_address(args)));
  return std::move(store).value();
}

StorePtr open_transcript(OpenOptions const& wanted, std::string const& path) {
  sk::FileStoreOptions options;
  options.lock_wait = wanted.lock_wait;
  options.read_only = wanted.read_only;
  options.on_event = wanted.on_event;
  options.on_summary_progress = wanted.on_summary_progress;
  return sk::open_transcript(path, options).value();
}

void fail_no_store(std::string const& where) {
  throw Failure{Exit::not_found, "not_found", fmt::format("there is no store in '{}'", where),
                "name one: --store DIR; sessionkit new creates one"};
}

std::vector<sk::SessionInfo> oldest_first(sk::SessionStore& store) {
  auto all = sk::list_all(store).value();
  std::reverse(all.begin(), all.end());
  return all;
}

sk::SessionId find_in_store(sk::SessionStore& store, std::string const& name, std::string const& where) {
  require_name(name);
  if (auto id = find_in(store, name)) return *id;
  fail_missing(store, name, where);
}

Place find_place(Console& console, Arguments const& args, std::string const& name) {
  require_name(name);
  if (looks_like_a_path(name)) {
    if (is_their_folder(name)) return {nullptr, {}, name};
    refuse_directory(name, Exit::forbidden);
    return is_nowhere(name) ? find_instead_of_file(console, args, name) : Place{nullptr, {}, name};
  }
  auto const store = open_store(console, args);
  if (store)
    if (auto const id = find_in(**store, name)) return place_of(*store, *id);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name, ignored)) return {nullptr, {}, name};
  if (!store && store.error().code != sk::Errc::not_found) throw failure_of(store.error());
  if (is_their_folder(name)) return {nullptr, {}, name};
  refuse_directory(name, Exit::not_found);
  auto const where = shown(store_address(args));
  if (store) fail_missing(**store, name, where);
  throw Failure{Exit::not_found, "not_found",
                fmt::format("there is no session '{}': there is no store in '{}'", name, where),
                "name the directory of the sessions, --store DIR, or an existing file"};
}

namespace {

/// The one conversation at a path of another program.
Named open_theirs(Console& console, Arguments const& args, std::string const& path) {
  sk::ForeignStoreOptions options;
  options.on_event = open_options(console, args).on_event;
  auto store = open_foreign_store(path, options).value();
  auto const& all = store->conversations();
  if (all.size() == 1) return {store, all.front().id, {}, false};
  std::string list;
  std::size_t const most = 5;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) list += "\n  " + all[i].id.str();
  if (all.size() > most) list += fmt::format("\n  and {} more", all.size() - most);
  throw Failure{Exit::usage, "ambiguous", fmt::format("'{}' has {} conversations:{}", path, all.size(), list),
                fmt::format("name one of them and the store: --store {}", path)};
}

}

Named open_place(Console& console, Arguments const& args, Place const& place) {
  if (!place.id && foreign_program(place.path)) return open_theirs(console, args, place.path);
  if (place.id) {
    if (!place.path.empty()) require_transcript(console, place.path);
    return {place.store, *place.id, place.path, false};
  }
  auto named = open_file(console, args, place.path);
  require_transcript(console, place.path);
  return named;
}

sk::Dialect const& dialect_to_continue(Named const& named) {
  auto const page = named.store->read(named.id, {}).value();
  auto const& dialect = *sk::find_dialect(page.dialect);
  bool const begins = !page.items().empty();
  std::string_view const id = begins ? page.items().front().id : "@"; // `@N`: the line has no id
  bool const alien = !begins || (page.items().front().type != "session" && id.substr(0, 1) == "@");
  if (named.is_file && dialect.has_ids && alien)
    throw Failure{Exit::usage, "unsupported",
                  fmt::format("'{}' is not a session that can be continued", named.path),
                  "create one in the store: sessionkit new"};
  return dialect;
}

Named find_session(Console& console, Arguments const& args, std::string const& name) {
  return open_place(console, args, find_place(console, args, name));
}

}
