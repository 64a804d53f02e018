// SPDX-License-Identifier: MIT
#include "kept_files.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/sessionkit.hpp>
#ifdef SESSIONKIT_TEST_SQLITE
#include <sessionkit/sqlite/sqlite_store.hpp>
#endif

#include <algorithm>
#include <filesystem>

namespace sessionkit_test {
namespace {

namespace sk = sessionkit;

std::string const database = "/sessions.db";

/// Data that a dialect cannot represent is not in its files.
template <class T> void where_it_can(sk::Result<T> result) {
  if (!result && result.error().code != sk::Errc::unsupported) std::move(result).value();
}

sk::SessionOptions counted_options() {
  sk::SessionOptions options;
  options.clock = [at = sk::to_unix_ms(sk::parse_rfc3339("2026-01-01T00:00:00Z").value())]() mutable {
    return sk::from_unix_ms(at += 1000);
  };
  options.ids = [n = 0]() mutable { return "e" + std::to_string(++n); };
  return options;
}

void look_into_a_file(sk::Session& session, bool reasons) {
  sk::ToolUse const call{"tu_1", "read_file",
                         sk::RawJson::from(R"({"path":"config.json","n":12345678901234567890})")};
  auto look = reasons
                  ? sk::assistant(sk::Thinking{"A file is asked for.", "c2lnbmF0dXJl"}, "Let me look.", call)
                  : sk::assistant("Let me look.", call);
  look.generation = sk::Generation{
      "anthropic",         "claude-1", "req_1", sk::Usage{100, 20, 3, 4}, sk::StopReason::tool_use,
      "anthropic-messages"};
  auto turn = session.begin_turn();
  turn.append(sk::user("What is in config.json? Za\xc5\xbc\xc3\xb3\xc5\x82\xc4\x87 \xf0\x9f\x99\x82"))
      .value();
  turn.append(look).value();
  turn.append(sk::tool_result(call, "{\"key\":\"value\"}\n")).value();
  turn.append(sk::assistant("It holds a key.")).value();
  turn.commit().value();
}

void talk(sk::Session& session, sk::Message said, std::string answer) {
  auto turn = session.begin_turn();
  turn.append(said).value();
  turn.append(sk::assistant(std::move(answer))).value();
  turn.commit().value();
}

void shorten(sk::Session& session) {
  auto policy = session.compaction_policy();
  policy.keep = sk::keep_turns(1);
  auto plan = session.plan_compaction(policy, sk::CompactionReason::manual);
  if (plan)
    where_it_can(session.apply(plan.value().value(), "They looked into config.json."));
  else
    where_it_can(std::move(plan));
}

void remark(sk::Session& session) {
  where_it_can(session.set_title("Looking into a file"));
  where_it_can(session.set_state("count", sk::RawJson::integer(3)));
  where_it_can(session.set_state("ratio", sk::RawJson::from("1.50")));
  where_it_can(session.set_label(session.path().value().front().id, "start"));
  where_it_can(session.append_entry(sk::CustomMessage{"note", {sk::Text{"Mind the gap."}}}));
  where_it_can(session.append_entry(sk::ModelChange{"anthropic", "claude-2", {}}));
}

std::string words(sk::Part const& part) {
  struct Words {
    std::string operator()(sk::Text const& text) const { return "text " + text.text; }
    std::string operator()(sk::Thinking const& it) const {
      return "thinking " + it.text + " signed " + it.signature;
    }
    std::string operator()(sk::Image const& image) const {
      return "image " + image.media_type + ' ' + std::get<sk::Base64>(image.source).data;
    }
    std::string operator()(sk::ToolUse const& call) const {
      return "call " + call.id + ' ' + call.name + ' ' + call.input.str();
    }
    std::string operator()(sk::ToolResult const& result) const {
      std::string out = "result of " + result.tool_use_id;
      for (auto const& piece : result.content) out += ' ' + std::get<sk::Text>(piece).text;
      return out;
    }
    std::string operator()(sk::Opaque const& part) const { return "part " + part.body.str(); }
  };
  return std::visit(Words{}, part);
}

std::string words(sk::Message const& message) {
  static char const* const roles[] = {"system", "user", "assistant", "tool"};
  std::string out = roles[static_cast<int>(message.role)];
  for (auto const& part : message.parts) out += "\n    " + words(part);
  if (message.generation && !message.generation->model.empty()) {
    auto const& made = *message.generation;
    out += "\n    made by " + made.provider + ' ' + made.model + ' ' + made.request_id;
    if (made.usage)
      out += " of " + std::to_string(made.usage->input) + " and " + std::to_string(made.usage->output)
             + " tokens";
  }
  return out;
}

std::string words(sk::Entry const& entry) {
  if (auto const* message = entry.as<sk::Message>()) return words(*message);
  if (auto const* compaction = entry.as<sk::Compaction>()) return "compaction " + compaction->summary;
  if (auto const* title = entry.as<sk::TitleChange>()) return "title " + title->title;
  if (auto const* state = entry.as<sk::StateChange>())
    return "state " + state->set.at(0).first + ' ' + state->set.at(0).second.str();
  if (auto const* label = entry.as<sk::Label>())
    return "label " + label->label + " on " + label->target.str();
  if (auto const* model = entry.as<sk::ModelChange>()) return "model " + model->provider + ' ' + model->model;
  if (auto const* note = entry.as<sk::CustomMessage>())
    return "message of " + note->type + ' ' + std::get<sk::Text>(note->content.at(0)).text;
  if (auto const* archive = entry.as<sk::ArchiveChange>()) return archive->archived ? "archived" : "taken up";
  if (auto const* custom = entry.as<sk::Custom>()) return "data of " + custom->type;
  return "entry of kind " + std::to_string(entry.body.index());
}

std::string words(sk::SessionInfo const& info) {
  std::string out = "session " + info.id.str() + "\n  key " + info.key + ", agent " + info.agent + ", user "
                    + info.user + ", parent " + info.parent_session + "\n  title " + info.title
                    + (info.archived ? ", archived" : "") + "\n  " + std::to_string(info.messages)
                    + " messages, " + std::to_string(info.turns) + " turns, "
                    + std::to_string(info.usage.input) + " tokens read";
  for (auto const& [name, value] : info.state) out += "\n  state " + name + ' ' + value.str();
  for (auto const& [entry, label] : info.labels) out += "\n  label " + label + " on " + entry;
  return out + '\n';
}

}

std::vector<std::string> kept_stores() {
  std::vector<std::string> out;
  for (auto const name : sk::profile_names())
    if (sk::find_profile(name)->timing != sk::WriteTiming::never) out.emplace_back(name);
#ifdef SESSIONKIT_TEST_SQLITE
  out.emplace_back("sqlite");
#endif
  return out;
}

void converse(std::shared_ptr<sk::SessionStore> const& store) {
  bool const flat = store->profile().dialect == "flat";
  sk::NewSession about;
  about.id = sk::SessionId::parse("0123456789ab").value();
  about.key = "main:cli:ann";
  about.agent = "main";
  about.user = "ann";
  about.cwd = "/work";
  auto session = sk::Session::create(store, about, counted_options()).value();
  look_into_a_file(session, !flat);
  remark(session);
  talk(session,
       flat ? sk::user("And what else?")
            : sk::user("And what is this?", sk::Image{"image/png", sk::Base64{"iVBORw0KGgo="}}),
       "Nothing \"else\".");
  shorten(session);
  talk(session, sk::user("Thank you."), "You are welcome.");

  about.id = sk::SessionId::parse("cafe00000001").value();
  about.key = "main:cli:bob";
  auto fork = session.fork(about).value();
  talk(fork, sk::user("And now?"), "Another way.");
  where_it_can(fork.set_archived(true));
}

void write_kept_store(std::string const& name, std::string const& folder) {
#ifdef SESSIONKIT_TEST_SQLITE
  if (name == "sqlite") return converse(sk::open_sqlite_store(folder + database).value());
#endif
  sk::FileStoreOptions options;
  options.profile = *sk::find_profile(name);
  FaultyFileOps ops;
  ops.pretend_scope = sk::detail::TimeScope{}; // else rows have a version that depends on the machine
  converse(sk::detail::open_file_store(ops, folder, options).value());
  std::filesystem::remove(folder + "/.lock");
}

std::shared_ptr<sk::SessionStore> open_kept_store(std::string const& folder, sk::OnEvent on_event) {
#ifdef SESSIONKIT_TEST_SQLITE
  if (std::filesystem::exists(folder + database)) {
    sk::SqliteStoreOptions options;
    options.on_event = std::move(on_event);
    return sk::open_sqlite_store(folder + database, options).value();
  }
#endif
  sk::FileStoreOptions options;
  options.on_event = std::move(on_event);
  return sk::open_file_store(folder, options).value();
}

std::string reported(std::shared_ptr<sk::SessionStore> const& store) {
  auto sessions = store->list({}).value().sessions;
  std::sort(sessions.begin(), sessions.end(), [](auto const& a, auto const& b) { return a.id < b.id; });
  std::string out;
  for (auto const& info : sessions) {
    out += words(info);
    for (auto const& entry : sk::load_path(*store, info.id).value())
      out += "  " + sk::to_rfc3339(entry.at) + ' ' + words(entry) + '\n';
    auto const request = sk::Session::open(store, info.id).value().request({sk::Provider::anthropic}).value();
    out += "  request " + request.system + '\n' + "  messages " + request.messages + '\n';
  }
  return out;
}

}
