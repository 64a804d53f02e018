// SPDX-License-Identifier: MIT
#include "chat.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <iostream>
#include <thread>
#include <utility>

namespace chat {

namespace sk = sessionkit;

namespace {

/// What is stored may hold anything: a terminal must not act on it.
std::string printable(std::string text) {
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F) c = '?';
  return text;
}

void print(std::string const& text) { std::cout << printable(text) << std::flush; }

sk::Target make_target() {
  sk::Target target;
  target.provider = sk::Provider::anthropic;
  target.model = "parrot-1";
  target.system = "You answer in one sentence.";
  return target;
}

// The conversation is made shorter where the answer would no longer fit.
sk::CompactionPolicy make_policy(std::size_t window) {
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 0;
  policy.window = window;
  policy.window_reserve = window / 4;
  return policy;
}

}

Chat::Chat(Options options)
    : options_(std::move(options)),
      store_(sk::open_file_store(options_.store).value()),
      session_(sk::Session::resume(store_, options_.key).value()),
      target_(make_target()),
      policy_(make_policy(options_.window)),
      model_(options_.window),
      tool_(options_.folder) {
  if (!options_.requests.empty()) requests_file_.open(options_.requests);
}

// One turn: the person's message, then answers and tool results until an answer calls no tool. Should
// anything throw on the way, the turn's destructor says in the log that it was cut short.
void Chat::exchange(std::string const& line) {
  auto turn = session_.begin_turn();
  turn.append(sk::user(line)).value();
  for (;;) {
    sk::Message const said = answer();
    turn.append(said).value();
    if (said.tool_uses().empty()) break;
    for (auto const* call : said.tool_uses()) {
      sk::Message const result = tool_.run(*call);
      print(fmt::format("[{} {}]\n", call->name, call->input.str()));
      turn.append(result).value();
    }
  }
  turn.commit().value(); // on disk
  compact(sk::CompactionReason::size);
}

// A request that the model refuses as too long is made shorter, once.
sk::Message Chat::answer() {
  try {
    return stream_answer();
  } catch (TooLong const&) {
    if (compact(sk::CompactionReason::context_exceeded) != sk::CompactionOutcome::applied) throw;
    return stream_answer();
  }
}

// A summary that cannot be had is no reason to stop talking: the next turn tries again.
sk::CompactionOutcome Chat::compact(sk::CompactionReason reason) {
  auto summarizer =
      sk::make_summarizer([&](sk::SummaryRequest const& request) { return model_.summarize(request); });
  auto const outcome = session_.compact(summarizer, policy_, reason);
  if (!outcome) print(fmt::format("[not compacted: {}]\n", outcome.error().message));
  if (!outcome) return sk::CompactionOutcome::no_progress;
  if (*outcome != sk::CompactionOutcome::not_needed || reason != sk::CompactionReason::size)
    print(fmt::format("[compaction: {}]\n", to_string(*outcome)));
  return *outcome;
}

sk::Message Chat::stream_answer() {
  sk::History history = session_.history(target_).value();
  sk::RequestParts const request = sk::encode(history, target_);
  requests_.note(std::move(history), request, target_);
  if (requests_file_.is_open())
    requests_file_ << R"({"system":)" << nlohmann::json(request.system).dump() << R"(,"messages":)"
                   << request.messages << "}\n";
  sk::MessageBuilder answer;
  print("assistant> ");
  auto generation = model_.stream(request, [&](Delta const& delta) {
    switch (delta.kind) {
    case Delta::text:
      answer.text(delta.text_or_id);
      print(delta.text_or_id);
      if (options_.slow) std::this_thread::sleep_for(std::chrono::milliseconds(30));
      break;
    case Delta::begin_tool_use: answer.begin_tool_use(delta.text_or_id, delta.tool); break;
    case Delta::tool_input: answer.tool_input(delta.text_or_id); break;
    }
  });
  print("\n");
  return std::move(answer).finish(std::move(generation));
}

void Chat::greet() {
  requests_.clear();
  auto const info = session_.info().value();
  if (info.turns == 0)
    print(fmt::format("New session {}\n", info.id.str()));
  else
    print(fmt::format("Restored: {} previous turns\n", info.turns));
}

void Chat::show_history() {
  for (auto const& entry : session_.path().value()) {
    auto const* const message = entry.as<sk::Message>();
    if (message == nullptr || message->text().empty()) continue;
    print(fmt::format("{}> {}\n", message->role == sk::Role::user ? "you" : "assistant", message->text()));
  }
}

void Chat::list_sessions() {
  for (auto const& info : store_->list({}).value().sessions)
    print(fmt::format("{} {}  {} turns  {}\n", info.id == session_.id() ? '*' : ' ', info.id.str(),
                      info.turns, info.display_title()));
}

void Chat::start_session() {
  sk::NewSession about;
  about.key = options_.key;
  session_ = sk::Session::create(store_, about).value();
  greet();
}

void Chat::switch_to(std::string const& name) {
  session_ = sk::Session::open(store_, sk::SessionId::parse(name).value()).value();
  greet();
}

void Chat::open_file(std::string const& path) {
  auto const store = sk::open_transcript(path).value(); // a store of one session
  session_ = sk::Session::open(store, store->list({}).value().sessions.at(0).id).value();
  greet();
}

bool Chat::take(std::string const& line) {
  auto const space = line.find(' ');
  auto const command = line.substr(0, space);
  auto const rest = space == std::string::npos ? "" : line.substr(space + 1);
  if (command == "/quit") return false;
  if (command == "/new")
    start_session();
  else if (command == "/sessions")
    list_sessions();
  else if (command == "/switch")
    switch_to(rest);
  else if (command == "/open")
    open_file(rest);
  else if (command == "/history")
    show_history();
  else if (command == "/explain")
    print(requests_.text());
  else if (command == "/compact")
    compact(sk::CompactionReason::manual);
  else if (!command.empty() && command.front() == '/')
    print("/new  /sessions  /switch ID  /open FILE  /history  /explain  /compact  /quit\n");
  else if (!line.empty())
    exchange(line);
  return true;
}

}
