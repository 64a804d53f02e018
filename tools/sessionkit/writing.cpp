// SPDX-License-Identifier: MIT
// new, append, fork, rm: the commands that change the store.
#include "naming.hpp"
#include "platform.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/session.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <filesystem>
#include <optional>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

std::string whole_stdin() {
  std::string text, piece(std::size_t{1} << 16, '\0');
  while (std::size_t const n = read_stdin(piece.data(), piece.size())) text.append(piece, 0, n);
  return text;
}

sk::NewSession about_new(Arguments const& args) {
  for (auto const& [name, value] : {std::pair{"--key", args.key},
                                    {"--agent", args.agent},
                                    {"--user", args.user},
                                    {"--title", args.title}})
    if (auto const bad = value ? first_bad_utf8(*value) : std::nullopt)
      throw Failure{Exit::usage, "invalid_argument", fmt::format("{} is not UTF-8 at byte {}", name, *bad),
                    "convert it first, for example with iconv"};
  sk::NewSession about;
  about.key = args.key.value_or("");
  about.agent = args.agent.value_or("");
  about.user = args.user.value_or("");
  about.cwd = args.cwd.value_or("");
  if (args.id) about.id = sk::SessionId::parse(*args.id).value();
  return about;
}

std::string text_to_append(Arguments const& args) {
  std::string text = args.text == "-" ? whole_stdin() : args.text;
  std::string const source = args.text == "-" ? "stdin" : "--text";
  if (text.empty())
    throw Failure{Exit::usage, "invalid_argument", source + " is empty", "there is nothing to append"};
  if (auto const bad = first_bad_utf8(text))
    throw Failure{Exit::usage, "invalid_argument", fmt::format("{} is not UTF-8 at byte {}", source, *bad),
                  "convert it first, for example with iconv"};
  return text;
}

/// `given`: the id that the caller chose, which the log is searched for. An id of ours is new, so nothing is
/// searched.
sk::EntryId append_message(Named const& named, sk::Message const& message,
                           std::optional<sk::EntryId> const& given) {
  bool const has_ids = dialect_to_continue(named).has_ids;
  std::optional<sk::EntryId> id = given;
  sk::SessionOptions drawing;
  drawing.ids = [&id] {
    id.emplace(sk::random_entry_id());
    return id->str();
  };
  auto session = sk::Session::open(named.store, named.id, drawing).value();
  sk::AppendOptions options;
  options.id = given;
  options.ends_turn = true; // on the disk before the id is printed
  auto stored = session.append(message, options);
  if (stored) return *stored;
  auto failure = failure_of(stored.error());
  if (stored.error().code == sk::Errc::already_exists)
    failure.hint = "choose another id, or leave --entry-id out";
  else if (failure.exit == Exit::unknown_outcome && id && has_ids)
    failure.hint = fmt::format("repeat it with --entry-id {}: nothing is stored twice", id->str());
  throw failure;
}

/// Each session once, even if it is given several times or by several names.
std::vector<Named> sessions_to_remove(Console& console, Arguments const& args) {
  std::vector<Named> all;
  for (auto const& name : args.sessions) {
    auto const place = find_place(console, args, name); // a file with any content can be moved away
    if (!place.id)
      throw Failure{Exit::usage, "unsupported",
                    fmt::format("'{}' is a file; rm removes sessions of a store", name),
                    "name a session: sessionkit ls"};
    bool const again =
        std::any_of(all.begin(), all.end(), [&](auto const& one) { return one.id == *place.id; });
    if (!again) all.push_back({place.store, *place.id, place.path, false});
  }
  return all;
}

}

Exit create(Console& console, Arguments const& args) {
  sk::NewSession about = about_new(args);
  std::error_code ignored;
  if (!args.cwd) about.cwd = std::filesystem::current_path(ignored).string();
  auto const* const profile = args.profile ? sk::find_profile(*args.profile) : nullptr;
  if (profile && profile->timing == sk::WriteTiming::never)
    throw Failure{Exit::usage, "unsupported",
                  fmt::format("sessions of profile '{}' are in memory only", profile->name),
                  "choose another profile: sessionkit new --help"};
  auto created = sk::Session::create(open_store(console, args, true).value(), std::move(about));
  if (!created && created.error().code == sk::Errc::already_exists && args.id)
    throw Failure{Exit::conflict, "already_exists",
                  fmt::format("session '{}' exists already, and stays unchanged", *args.id),
                  fmt::format("choose another id, or see this session: sessionkit show {}", *args.id)};
  auto session = std::move(created).value();
  if (args.title) session.set_title(*args.title).value();
  session.end_turn().value();
  if (console.json())
    console.document("new@1", {{"id", session.id().str()}});
  else
    console.write(session.id().str() + "\n");
  return Exit::ok;
}

Exit append(Console& console, Arguments const& args) {
  auto const message =
      args.role == "user" ? sk::user(text_to_append(args)) : sk::assistant(text_to_append(args));
  auto const named = find_session(console, args, *args.session);
  std::optional<sk::EntryId> const id =
      args.entry_id ? std::optional(sk::EntryId(*args.entry_id)) : std::nullopt;
  if (id && id->empty())
    throw Failure{Exit::usage, "invalid_argument", "--entry-id is empty", "leave it out to get a new one"};
  IdList stored(console, "append@1", "entries");
  stored.add(append_message(named, message, id).str());
  stored.finish();
  return Exit::ok;
}

Exit fork(Console& console, Arguments const& args) {
  auto const named = find_session(console, args, *args.session);
  if (named.is_file)
    throw Failure{Exit::usage, "unsupported",
                  fmt::format("'{}' is a file; only sessions of a store can be forked", named.path),
                  "name a session: sessionkit ls"};
  auto session = sk::Session::open(named.store, named.id).value();
  auto const leaf = leaf_of(named, args);
  auto forked = session.fork(about_new(args), leaf);
  if (!forked && !leaf.empty() && forked.error().code == sk::Errc::not_found)
    fail_entry(*args.session, leaf.str());
  auto copy = std::move(forked).value();
  if (args.title) copy.set_title(*args.title).value();
  copy.end_turn().value();
  if (console.json())
    console.document("fork@1", {{"id", copy.id().str()}});
  else
    console.write(copy.id().str() + "\n");
  return Exit::ok;
}

Exit remove(Console& console, Arguments const& args) {
  auto const all = sessions_to_remove(console, args); // all are found before the first is removed
  if (!args.dry_run && !args.yes) {
    auto const question = store_address(args).removal(
        fmt::format("{} session{}", all.size(), all.size() == 1 ? "" : "s"), args.permanent);
    if (!confirm(question, "--yes")) throw Failure{Exit::usage, "declined", "nothing was removed"};
  }
  IdList done(console, "rm@1", args.dry_run ? "would_remove" : "removed");
  for (auto const& named : all) {
    if (!args.dry_run)
      if (auto const removed =
              args.permanent ? named.store->remove_permanently(named.id) : named.store->remove(named.id);
          !removed) {
        done.finish();
        throw sk::Exception(removed.error());
      }
    done.add(named.id.str());
  }
  done.finish();
  return Exit::ok;
}

}
