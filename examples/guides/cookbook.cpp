// SPDX-License-Identifier: MIT
// docs/cookbook.md: short answers to "how do I ...", each checked.
#include "expect.hpp"

// [begin]
#include <sessionkit/sessionkit.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace sk = sessionkit;

// Calls the model with a request of the session, and returns its answer.
using Model = std::function<sk::Message(sk::RequestParts const&)>;
// [begin]

using guide::expect;

namespace {

// [question]
// The last message of the user on the path.
sk::Result<sk::Entry> last_question(sk::Session const& session) {
  auto path = session.path();
  if (!path) return path.error();
  for (auto entry = path->rbegin(); entry != path->rend(); ++entry) {
    auto const* const message = entry->as<sk::Message>();
    if (message != nullptr && message->role == sk::Role::user) return std::move(*entry);
  }
  return sk::Error{sk::Errc::not_found, 0, "nobody asked anything yet"};
}
// [question]

// [regenerate]
// Another answer to the same question. The old answer stays in the log, as a branch.
sk::Result<sk::EntryId> regenerate(sk::Session& session, Model const& ask) {
  auto const question = last_question(session);
  if (!question) return question.error();
  if (auto const moved = session.rewind(question->id); !moved) return moved.error();
  auto const request = session.request({sk::Provider::anthropic});
  if (!request) return request.error();
  return session.append(ask(*request));
}
// [regenerate]

// [edit]
// The question with other words. The next entry follows what came before the old question.
sk::Result<sk::EntryId> edit_question(sk::Session& session, std::string words) {
  auto const question = last_question(session);
  if (!question) return question.error();
  if (auto const moved = session.rewind(question->parent); !moved) return moved.error();
  return session.append(sk::user(std::move(words)));
}
// [edit]

// [greeting]
// The assistant speaks first.
sk::Result<sk::Session> start_with_greeting(std::shared_ptr<sk::SessionStore> const& store) {
  auto session = sk::Session::create(store);
  if (!session) return session;
  auto const stored = session->append(sk::assistant("Hello. How can I help you?"));
  if (!stored) return stored.error();
  return session;
}
// [greeting]

// [body]
// The body of a request. `others` has the other members, such as "max_tokens":4096.
std::string body_of(sk::RequestParts const& parts, sk::Provider provider, std::string const& model,
                    std::string const& others) {
  sk::RequestMembers const names = sk::request_members(provider);
  std::string body = "{\"model\":" + sk::RawJson::string(model).str();
  if (!names.system.empty() && parts.system != "null")
    body.append(",\"").append(names.system).append("\":").append(parts.system);
  body.append(",\"").append(names.messages).append("\":").append(parts.messages);
  if (!others.empty()) body.append(",").append(others);
  return body + '}';
}
// [body]

// [server]
// The request for a server with an API like OpenAI's. `server` is the name of its rules.
sk::Result<sk::RequestParts> request_for(sk::Session const& session, std::string const& server,
                                         std::string model) {
  sk::ServerRules const* const rules = sk::find_server(server);
  if (rules == nullptr) return sk::Error{sk::Errc::invalid_argument, 0, "no rules for " + server};
  sk::Target target;
  target.provider = sk::Provider::openai_chat;
  target.model = std::move(model);
  target.server = *rules;
  return session.request(target);
}
// [server]

// [named]
// Opens the session that a person typed. If several fit, the choices are printed.
sk::Result<sk::Session> open_typed(std::shared_ptr<sk::SessionStore> const& store, std::string const& typed) {
  auto const found = sk::find_sessions(*store, typed);
  if (found && found->size() > 1)
    for (sk::SessionId const& id : *found)
      std::printf("%s  %s\n", id.str().c_str(), store->info(id).value().display_title().c_str());
  return sk::Session::open_named(store, typed);
}
// [named]

// [texts]
// What a session says, as plain text: the texts of messages and summaries.
sk::Result<std::string> plain_text(sk::Session const& session) {
  auto const path = session.path();
  if (!path) return path.error();
  std::string all;
  for (sk::Entry const& entry : *path)
    if (std::string const text = entry.text(); !text.empty()) all += text + '\n';
  return all;
}
// [texts]

// [forget]
// Keeps the conversation up to an entry, and deletes everything after it.
sk::Result<sk::Session> forget_after(std::shared_ptr<sk::SessionStore> const& store, sk::Session session,
                                     sk::EntryId const& last_kept) {
  auto const info = session.info();
  if (!info) return info.error();
  if (auto const cleared = session.set_title(""); !cleared) return cleared.error(); // else the copy has it
  sk::NewSession about;
  about.key = info->key;
  about.metadata = info->metadata;
  auto kept = session.fork(about, last_kept);
  if (!kept) return kept;
  if (auto const gone = store->remove_permanently(session.id()); !gone) return gone.error();
  return kept;
}
// [forget]

std::string messages_of(sk::Session const& session, sk::Provider provider) {
  return session.request({provider}).value().messages;
}

bool contains(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

void branches(std::shared_ptr<sk::SessionStore> const& store) {
  auto session = sk::Session::create(store).value();
  session.append(sk::user("Which river?")).value();
  session.append(sk::assistant("The Rhine.")).value();
  regenerate(session, [](sk::RequestParts const&) { return sk::assistant("The Elbe."); }).value();
  auto const again = messages_of(session, sk::Provider::anthropic);
  expect(contains(again, "Elbe") && !contains(again, "Rhine"), "only the new answer is sent");
  expect(session.leaves().value().size() == 2, "the old answer is a branch");
  edit_question(session, "Which lake?").value();
  auto const edited = messages_of(session, sk::Provider::anthropic);
  expect(contains(edited, "lake") && !contains(edited, "river"), "only the new question is sent");
}

void servers(std::shared_ptr<sk::SessionStore> const& store) {
  auto session = start_with_greeting(store).value();
  session.append(sk::user("What is new?")).value();
  auto const at_openai = messages_of(session, sk::Provider::openai_chat);
  expect(at_openai.rfind(R"([{"role":"assistant")", 0) == 0, "OpenAI's server accepts a greeting first");
  auto const body = body_of(session.request({sk::Provider::anthropic}).value(), sk::Provider::anthropic, "m",
                            R"("max_tokens":4096,"tools":[])");
  expect(sk::RawJson::parse(body).ok() && contains(body, R"({"model":"m","messages":[{"role":"user")"),
         "a body is JSON, and has no system text here");
  auto const at_deepseek = request_for(session, "deepseek", "deepseek-chat").value().messages;
  expect(contains(at_deepseek, R"("content":"What is new?")"), "DeepSeek gets strings");
  expect(!request_for(session, "nowhere", "some-model"), "a server without rules is an error");
}

void privacy(std::shared_ptr<sk::SessionStore> const& store) {
  sk::NewSession about;
  about.key = "private";
  auto session = sk::Session::create(store, about).value();
  auto const kept = session.append(sk::user("This may stay.")).value();
  session.append(sk::user("My number is 12345.")).value();
  session.set_title("12345").value();
  auto const old = session.id();
  auto const rest = forget_after(store, std::move(session), kept).value();
  expect(!contains(messages_of(rest, sk::Provider::anthropic), "12345"), "the number is gone");
  expect(!sk::Session::open(store, old), "the old session is removed");
  expect(rest.info().value().title.empty(), "the title is gone");
  expect(sk::Session::resume(store, "private").value().id() == rest.id(), "its key names what is left");
}

void names(std::shared_ptr<sk::SessionStore> const& store) {
  auto session = sk::Session::create(store).value();
  session.append(sk::user("Where does the Elbe begin?")).value();
  session.append(sk::assistant("In Bohemia.")).value();
  session.set_title("The Elbe").value();
  expect(open_typed(store, "The Elbe").value().id() == session.id(), "found by its title");
  expect(open_typed(store, "@last").value().id() == session.id(), "found by its age");
  expect(!open_typed(store, "The Rhine"), "nothing has this name");
  expect(plain_text(session).value() == "Where does the Elbe begin?\nIn Bohemia.\n", "the texts alone");
}

}

int main() {
  auto const store = sk::open_file_store(guide::fresh_folder("cookbook")).value();
  branches(store);
  servers(store);
  privacy(store);
  names(store);
}
