// SPDX-License-Identifier: MIT
// set, rename, label, archive, restore, rewind: the commands that change a session but add no message.
#include "asking.hpp"
#include "records.hpp"

#include <sessionkit/json.hpp>
#include <sessionkit/session.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;

namespace {

constexpr std::string_view state_prefix = "state.";

sk::Session open(Named const& named, sk::OnEvent on_event = {}) {
  dialect_to_continue(named);
  sk::SessionOptions options;
  options.on_event = std::move(on_event);
  return sk::Session::open(named.store, named.id, options).value();
}

void tell(Console& console, char const* schema, Json const& members) {
  if (console.json()) console.document(schema, members);
}

/// One change.
struct Change {
  std::string name;
  Json value; ///< null removes it
  std::function<sk::Result<void>(sk::Session&)> apply;
};

Failure cannot_set(std::string const& name) {
  bool const in_header = name == "key" || name == "agent" || name == "user" || name == "cwd" || name == "id";
  if (in_header)
    return {Exit::usage, "unsupported",
            fmt::format("'{}' is in the first line of a session, and no line is ever rewritten", name),
            fmt::format("make a copy with this value: sessionkit fork SESSION --{} VALUE", name)};
  return {Exit::usage, "invalid_argument", fmt::format("there is no '{}' to set", name),
          "title=TEXT, archived=true, archived=false, or state.NAME=VALUE"};
}

std::string state_name(std::string const& name) {
  std::string key = name.substr(state_prefix.size());
  if (key.empty()) throw cannot_set(name);
  return key;
}

bool is_state(std::string const& name) { return name.compare(0, state_prefix.size(), state_prefix) == 0; }

Change change_of(std::string const& assignment) {
  auto const equals = assignment.find('=');
  if (equals == std::string::npos)
    throw Failure{Exit::usage, "invalid_argument", fmt::format("'{}' sets nothing", assignment),
                  "write NAME=VALUE, for example title='Plan for Berlin'"};
  std::string const name = assignment.substr(0, equals), text = assignment.substr(equals + 1);
  if (auto const bad = first_bad_utf8(assignment))
    throw Failure{Exit::usage, "invalid_argument", fmt::format("{} is not UTF-8 at byte {}", name, *bad),
                  "convert it first, for example with iconv"};
  if (name == "title") return {name, text, [text](sk::Session& session) { return session.set_title(text); }};
  if (name == "archived" && (text == "true" || text == "false"))
    return {name, text == "true",
            [text](sk::Session& session) { return session.set_archived(text == "true"); }};
  if (!is_state(name)) throw cannot_set(name == "archived" ? assignment : name);
  auto const value = sk::RawJson::from(text);
  return {name, sk::to_nlohmann(value),
          [key = state_name(name), value](sk::Session& session) { return session.set_state(key, value); }};
}

Change removal_of(std::string const& name) {
  if (name == "title") return {name, Json(), [](sk::Session& session) { return session.set_title(""); }};
  if (!is_state(name)) throw cannot_set(name);
  return {name, Json(), [key = state_name(name)](sk::Session& session) { return session.remove_state(key); }};
}

void apply(Console& console, Arguments const& args, std::vector<Change> const& changes) {
  auto const named = find_session(console, args, *args.session);
  auto session = open(named);
  Json done = Json::object();
  for (auto const& change : changes) {
    change.apply(session).value();
    done[change.name] = change.value;
  }
  session.end_turn().value();
  tell(console, "set@1", {{"session", named.id.str()}, {"set", std::move(done)}});
}

/// The place of a session that was removed from a store of files; empty if there is none.
std::string in_trash(Arguments const& args, std::string const& name) {
  auto const root = known_store_root(args);
  std::error_code ignored;
  auto const file = std::filesystem::path(root.value_or("")) / "trash" / (name + ".jsonl");
  return root && std::filesystem::is_regular_file(file, ignored) ? file.generic_string() : "";
}

Place find_to_restore(Console& console, Arguments const& args, std::string const& name) {
  try {
    return find_place(console, args, name);
  } catch (Failure& failure) {
    if (auto const file = in_trash(args, name); failure.exit == Exit::not_found && !file.empty())
      failure.hint = "it is in the trash; restore it: sessionkit import " + file;
    throw;
  }
}

/// The entry that the command line names, or the last one before the time that is taken back.
sk::EntryId place_to_rewind(sk::Session const& session, Arguments const& args) {
  if (args.entry.empty() == !args.back)
    throw Failure{Exit::usage, "usage", "one of ENTRY and --back TIME says where to continue",
                  "see the entries: sessionkit tree " + *args.session};
  if (!args.back) return sk::EntryId(args.entry);
  auto const latest = sk::system_now() - duration_of("--back", *args.back);
  auto const path = session.path().value();
  auto const place = std::find_if(path.rbegin(), path.rend(), [&](sk::Entry const& entry) {
    return entry.at != sk::Timestamp{} && entry.at <= latest && entry.as<sk::Header>() == nullptr;
  });
  if (place == path.rend())
    throw Failure{Exit::not_found, "not_found", fmt::format("no entry is older than {}", *args.back),
                  "see the entries and their times: sessionkit tree " + *args.session};
  if (place == path.rbegin())
    throw Failure{Exit::not_found, "not_found", fmt::format("nothing was said in the last {}", *args.back),
                  "see the entries and their times: sessionkit tree " + *args.session};
  return place->id;
}

Exit mark(Console& console, Arguments const& args, bool archived) {
  std::vector<Place> places;
  for (auto const& name : args.sessions) places.push_back(find_to_restore(console, args, name));
  auto done = archived ? IdList(console, "archive@1", "archived") : IdList(console, "restore@1", "restored");
  for (auto const& place : places) {
    auto const named = open_place(console, args, place);
    auto session = open(named);
    if (session.info().value().archived != archived) {
      session.set_archived(archived).value();
      session.end_turn().value();
    }
    done.add(named.id.str());
  }
  done.finish();
  return Exit::ok;
}

}

Exit set(Console& console, Arguments const& args) {
  std::vector<Change> changes;
  for (auto const& assignment : args.assignments) changes.push_back(change_of(assignment));
  for (auto const& name : args.unset) changes.push_back(removal_of(name));
  if (changes.empty())
    throw Failure{Exit::usage, "usage", "there is nothing to set", "give NAME=VALUE or --unset NAME"};
  apply(console, args, changes);
  return Exit::ok;
}

Exit retitle(Console& console, Arguments const& args) {
  apply(console, args, {change_of("title=" + args.title.value_or(""))});
  return Exit::ok;
}

Exit label(Console& console, Arguments const& args) {
  if (args.label.has_value() == args.remove_label || (args.label && args.label->empty()))
    throw Failure{Exit::usage, "usage", "no label is given", "give its text, or --remove"};
  auto const named = find_session(console, args, *args.session);
  auto session = open(named);
  auto const text = args.label.value_or("");
  if (auto const bad = first_bad_utf8(text))
    throw Failure{Exit::usage, "invalid_argument", fmt::format("the label is not UTF-8 at byte {}", *bad),
                  "convert it first, for example with iconv"};
  auto const labelled = session.set_label(sk::EntryId(args.entry), text);
  if (!labelled && labelled.error().code == sk::Errc::not_found) fail_entry(*args.session, args.entry);
  labelled.value();
  session.end_turn().value();
  tell(console, "label@1",
       {{"session", named.id.str()}, {"entry", args.entry}, {"label", text.empty() ? Json() : Json(text)}});
  return Exit::ok;
}

Exit archive(Console& console, Arguments const& args) { return mark(console, args, true); }
Exit restore(Console& console, Arguments const& args) { return mark(console, args, false); }

namespace {

/// Reports what a rewind took back, and the command that brings it back.
void say_taken_back(Console& console, Arguments const& args, Named const& named, sk::EntryId const& from,
                    sk::EntryId const& to) {
  std::string first;
  std::uint64_t turns = 0, entries = 0;
  bool has_left = true; // `to` is on the path to `from`
  sk::walk_back(*named.store, named.id, from, [&](sk::Entry const& entry) {
    has_left = entry.id != to;
    auto const* const message = entry.as<sk::Message>();
    entries += has_left ? 1U : 0U;
    if (!has_left || message == nullptr || message->role != sk::Role::user) return has_left;
    ++turns;
    first = summary_of(entry);
    return true;
  }).value();
  if (has_left || entries == 0) return;
  console.notice("took back "
                 + (turns == 0 ? plural(entries, "entry", "entries")
                               : fmt::format("{}, from \"{}\" on", plural(turns, "turn", "turns"),
                                             cut(one_line(first), 40))));
  console.notice(fmt::format("to return: sessionkit rewind {} {}{}",
                             named.is_file ? shell_word(*args.session) : named.id.str(), from.str(),
                             store_again(args)));
}

}

// The next entry would follow the last one of the log, so an entry is written that follows the chosen one.
Exit rewind_to(Console& console, Arguments const& args) {
  auto const named = find_session(console, args, *args.session);
  bool overtaken = false;
  auto session = open(named, [&](sk::Event const& event) {
    overtaken = overtaken || event.kind == sk::Event::write_rebased;
  });
  auto const from = session.leaf();
  sk::EntryId const to = place_to_rewind(session, args);
  auto const moved = session.rewind(to);
  if (to.empty() || (!moved && moved.error().code == sk::Errc::not_found))
    fail_entry(*args.session, args.entry);
  moved.value();
  sk::EntryBody body = sk::Custom{"sessionkit.rewind", sk::to_raw_json(Json{{"from", from.str()}})};
  if (args.summary) {
    auto text = *args.summary == "-" ? all_of_stdin() : *args.summary;
    if (auto const bad = first_bad_utf8(text); bad || text.empty())
      throw Failure{Exit::usage, "invalid_argument", "--summary is empty, or not UTF-8",
                    "leave it out for none"};
    body = sk::BranchSummary{std::move(text), from};
  }
  auto const leaf = session.append_entry(std::move(body)).value();
  session.end_turn().value();
  if (overtaken)
    throw Failure{Exit::conflict, "conflict",
                  "somebody else appended in the meantime, and the session continues there",
                  "run the command again"};
  if (console.json())
    console.document(
        "rewind@1",
        {{"session", named.id.str()}, {"to", to.str()}, {"from", from.str()}, {"leaf", leaf.str()}});
  else
    console.write(leaf.str() + "\n");
  say_taken_back(console, args, named, from, to);
  return Exit::ok;
}

}
