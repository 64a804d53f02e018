// SPDX-License-Identifier: MIT
// docs/guides/screens.md: a conversation on a screen, old messages with their times, images kept elsewhere.
#include "expect.hpp"

#include <sessionkit/json.hpp>
#include <sessionkit/sessionkit.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using guide::expect;

namespace {

// [member]
// A window gets its session later, and can ask whether it has one.
struct ChatWindow {
  sk::Session session; // empty: every call on it answers invalid_argument
  bool has_session() const { return static_cast<bool>(session); }
};
// [member]

// [screen]
std::string row_of(sk::ConversationItem const& item) {
  std::string row = sk::to_rfc3339(item.entry.at) + ' ';
  if (item.in_request != sk::InRequest::sent) row += "(the model no longer sees this) ";
  if (auto const* message = item.entry.as<sk::Message>())
    row += (message->role == sk::Role::user ? "you: " : "model: ") + message->text();
  if (auto const* note = item.entry.as<sk::CustomMessage>()) row += "note " + note->display.str();
  if (auto const* made = item.entry.as<sk::Compaction>())
    row += "-- summary: " + sk::shown_summary(made->summary) + " --";
  for (auto const& tool : item.tools) {
    auto const& call = std::get<sk::ToolUse>(item.entry.as<sk::Message>()->parts[tool.part]);
    row += " [" + call.name + (tool.result ? ": done]" : ": no result]");
  }
  return row;
}

std::vector<std::string> rows(sk::Session const& session) {
  std::vector<std::string> all;
  for (auto const& item : session.conversation().value()) all.push_back(row_of(item));
  return all;
}
// [screen]

// [versions]
// "2 of 3" beside a message that was said again, such as a regenerated answer; empty if it was said once.
std::string version_of(sk::Branches const& branches, sk::EntryId const& entry) {
  auto const all = branches.beside(entry);
  auto const place = std::find(all.begin(), all.end(), entry);
  if (place == all.end()) return {};
  return std::to_string(place - all.begin() + 1) + " of " + std::to_string(all.size());
}

// Shows and continues the branch of another version.
sk::Result<void> choose_version(sk::Session& session, sk::Branches const& branches,
                                sk::EntryId const& version) {
  return session.rewind(branches.newest_end(version));
}

// Says something else in the place of an entry; then both are versions.
sk::Result<sk::EntryId> say_instead(sk::SessionStore& store, sk::Session& session, sk::EntryId const& entry,
                                    sk::Message const& message) {
  auto const log = sk::load_log(store, session.id());
  if (!log) return log.error();
  sk::Branches const branches(*log);
  if (branches.newest_end(entry).empty()) return sk::Error{sk::Errc::not_found, 0, "no such entry"};
  if (auto const moved = session.rewind(branches.before(entry)); !moved) return moved.error();
  return session.append(message);
}
// [versions]

// [stored]
// The same for a session that is not open here: two reads and a pure function.
sk::Result<std::vector<sk::ConversationItem>> stored_items(sk::SessionStore& store, sk::SessionId const& id) {
  auto path = sk::load_path(store, id);
  if (!path) return path.error();
  auto const context = sk::load_context(store, id);
  if (!context) return context.error();
  return sk::conversation_of(std::move(*path), *context);
}
// [stored]

// [arguments]
// The arguments of a call as a tree of nlohmann, to show them in a form on the screen. Its keys are sorted;
// without `<nlohmann::json>` they keep their order.
nlohmann::json arguments_of(sk::ToolUse const& call) { return sk::to_nlohmann<nlohmann::json>(call.input); }
// [arguments]

// [model]
// The same log for the model: repaired, cut by the target's policies, with a time beside each message.
void print_request(sk::Session const& session, sk::Target const& target) {
  auto const history = session.history(target).value();
  for (std::size_t i = 0; i < history.messages.size(); ++i)
    std::printf("%s %s\n", sk::to_rfc3339(history.times[i]).c_str(), history.messages[i].text().c_str());
}
// [model]

// [last]
// A line of a list of chats: the last message, and how many there are.
std::string preview(sk::Session const& session) {
  auto const last = session.last().value();
  if (!last) return "empty";
  auto const counts = session.counts().value();
  return last->as<sk::Message>()->text() + " (" + std::to_string(counts.messages) + ')';
}
// [last]

// [import]
struct OldMessage {
  sk::Timestamp at;
  bool by_user;
  std::string text;
};

sk::Result<sk::SessionId> import_chat(std::shared_ptr<sk::SessionStore> const& store,
                                      std::vector<OldMessage> const& old) {
  sk::NewSession about;
  about.metadata = sk::RawJson::from(R"({"channel":"telegram"})"); // SessionInfo::metadata returns it
  if (!old.empty()) about.created = old.front().at;
  auto session = sk::Session::create(store, std::move(about));
  if (!session) return session.error();
  for (auto const& message : old) {
    sk::AppendOptions options;
    options.time = message.at; // absent: now
    auto const stored =
        session->append(message.by_user ? sk::user(message.text) : sk::assistant(message.text), options);
    if (!stored) return stored.error();
  }
  return session->id();
}
// [import]

// [result]
// An SDK that reports the id and the name of a call, and keeps the call itself.
sk::Message result_of(std::string const& id, std::string const& tool, std::string const& output) {
  return sk::tool_result(id, tool, output);
}
// [result]

// [image]
// The host keeps the bytes; the log has their digest. A request has "[image not sent]" in their place, unless
// the host puts the bytes into the history before it encodes it.
sk::Image stored_elsewhere(std::string const& sha256, std::uint64_t bytes) {
  return {"image/png", sk::BlobRef{"sha256:" + sha256, bytes}};
}

void put_bytes_in(sk::Context& context, std::string (*base64_of)(std::string const& digest)) {
  for (auto& entry : context.entries)
    if (auto* message = std::get_if<sk::Message>(&entry.body))
      for (auto& part : message->parts)
        if (auto* image = std::get_if<sk::Image>(&part))
          if (auto const* blob = std::get_if<sk::BlobRef>(&image->source))
            image->source = sk::Base64{base64_of(blob->digest)};
}
// [image]

}

int main() {
  auto const store = sk::open_file_store(guide::fresh_folder("screens")).value();
  auto const then = sk::parse_rfc3339("2024-02-03T10:00:00Z").value();
  auto const id = import_chat(store, {{then, true, "Hello"}, {then + std::chrono::minutes(1), false, "Hi."}});
  ChatWindow window;
  expect(!window.has_session(), "a window begins without a session");
  expect(window.session.last().error().code == sk::Errc::invalid_argument, "an empty session says so");
  window.session = sk::Session::open(store, id.value()).value();
  expect(window.has_session(), "and gets one later");
  expect(rows(window.session).at(1) == "2024-02-03T10:01:00.000Z model: Hi.",
         "times are those of the import");
  auto const info = window.session.info().value();
  expect(info.created == then && info.metadata.str() == R"({"channel":"telegram"})", "so is the session's");

  auto& session = window.session;
  sk::CustomMessage note{"alert", {sk::Text{"Low disk."}}, sk::RawJson::from(R"({"banner":"info"})")};
  session.append_entry(note).value();
  expect(rows(session).back().find(R"(note {"banner":"info"})") != std::string::npos, "display is JSON");
  note.display = sk::RawJson::boolean(false);
  session.append_entry(note).value();
  expect(!note.is_shown() && rows(session).size() == 3, "what is not to be shown is not");
  session.append(sk::user("What is in a.txt?", stored_elsewhere("ab12", 7))).value();
  session.append(sk::assistant(sk::ToolUse{"c1", "read_file", sk::RawJson::from("{}")})).value();
  expect(rows(session).back().find("[read_file: no result]") != std::string::npos, "a call is open");
  session.append(result_of("c1", "read_file", "nothing")).value();
  expect(rows(session).size() == 5, "a result is shown with its call");
  expect(stored_items(*store, session.id()).value().size() == 5, "also without a Session");
  auto const items = session.conversation().value();
  auto const* const answer = items.back().entry.as<sk::Message>();
  expect(arguments_of(*answer->tool_uses().front()) == nlohmann::json::object(), "arguments are a tree");
  expect(rows(session).back().find("[read_file: done]") != std::string::npos, "and answers it");
  session.append(sk::assistant("Nothing.")).value();
  expect(preview(session) == "Nothing. (6)", "the last message and the number of messages");

  auto const first = session.leaf();
  say_instead(*store, session, first, sk::assistant("It is empty.")).value();
  sk::Branches const branches(sk::load_log(*store, session.id()).value());
  expect(version_of(branches, session.leaf()) == "2 of 2" && version_of(branches, first) == "1 of 2",
         "two versions of an answer");
  choose_version(session, branches, first).value();
  expect(preview(session) == "Nothing. (6)", "the first one again");

  sk::Target const target{sk::Provider::anthropic};
  print_request(session, target);
  sk::Target short_target = target;
  short_target.policies.emplace_back(sk::TurnLimit{1});
  expect(session.conversation(short_target).value().front().in_request == sk::InRequest::left_out,
         "a policy cuts the request, not the screen");
  expect(session.request(target).value().messages.find("[image not sent]") != std::string::npos,
         "the library has no bytes");
  auto context = session.context().value();
  put_bytes_in(context, [](std::string const&) { return std::string("iVBORw0KGgo="); });
  auto const history = sk::HistoryRebuilder(target).rebuild(context);
  expect(sk::encode(history, target).messages.find("iVBORw0KGgo=") != std::string::npos, "the host has them");
}
