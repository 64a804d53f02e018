// SPDX-License-Identifier: MIT
#include "chat.hpp"
#include "interrupt.hpp"
#include "screen.hpp"
#include "store.hpp"

#include <fmt/format.h>

#include <agent/folder_tools.hpp>
#include <agent/sub_agent.hpp>
#include <algorithm>
#include <charconv>
#include <common/text.hpp>
#include <iostream>
#include <llm/llm_summarizer.hpp>
#include <stdexcept>
#include <utility>

namespace chat {

namespace sk = sessionkit;

namespace {

sk::Target make_target(Options const& options, sk::Profile const& profile,
                       std::shared_ptr<llm::Provider> const& provider) {
  sk::Target target;
  target.provider = provider->format();
  target.server = provider->server();
  target.model = options.model;
  target.system = options.system;
  if (profile.name == sk::profiles::blades.name) // shortened in the view only
    target.policies.push_back(
        sk::summarize_window(std::make_shared<llm::LlmSummarizer>(provider, options.model)));
  agent::limit_view(target, options.view);
  return target;
}

std::shared_ptr<llm::Provider> open_model(Options const& options, bool interactive) {
  auto asked = options.provider;
  if (interactive) asked.delay = std::chrono::milliseconds(30); // make the stream visible
  return llm::open_provider(asked).value();
}

agent::Agent make_agent(Options const& options, sk::Profile const& profile,
                        std::shared_ptr<llm::Provider> provider) {
  agent::Agent agent;
  agent.provider = std::move(provider);
  agent.target = make_target(options, profile, agent.provider);
  agent.tools = agent::make_folder_tools(options.folder).value();
  agent = agent::fitted(std::move(agent), profile, options.window, options.compaction);
  agent.tools.push_back(agent::make_sub_agent(
      agent, options.shared_sub_agent ? agent::SubAgentSession::shared : agent::SubAgentSession::copy));
  return agent;
}

std::string default_key(sk::KeyScheme scheme) {
  bool const by_place = scheme == sk::KeyScheme::claw0 || scheme == sk::KeyScheme::openclaw;
  return by_place ? sk::resolve({}, scheme) : "chat";
}

/// The number of user messages on the path to the leaf; the summary also counts those taken back.
std::uint64_t turns_of(sk::SessionStore& store, sk::SessionInfo const& info) {
  auto const places = sk::path_positions(store, info.id);
  if (!places || places->size() == info.entries)
    return info.turns; // there is one path, or the path is unknown
  auto const path = sk::load_path(store, info.id).value();
  return static_cast<std::uint64_t>(std::count_if(path.begin(), path.end(), is_said));
}

/// The store of a conversation that is not stored in each turn; null if it is, or if nothing is stored at
/// all.
std::shared_ptr<agent::DeferredStore> open_deferred(Options const& options) {
  if (!options.no_auto_save || options.profile.timing == sk::WriteTiming::never) return nullptr;
  return std::make_shared<agent::DeferredStore>(open_chat_store(options).value());
}

/// A page of the sessions that match, without those that hold shared state.
sk::SessionPage list_conversations(sk::SessionStore& store, sk::ListQuery query) {
  sk::SessionPage found;
  std::size_t const most = query.limit;
  do {
    query.limit = most - found.sessions.size();
    auto page = store.list(query).value();
    for (auto& info : page.sessions)
      if (!sk::is_state_key(info.key)) found.sessions.push_back(std::move(info));
    found.next = query.cursor = std::move(page.next);
  } while (found.sessions.size() < most && !found.next.empty());
  return found;
}

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

}

Chat::Chat(Options options, bool interactive)
    : options_(std::move(options)),
      interactive_(interactive),
      unsaved_(open_deferred(options_)),
      store_(unsaved_ ? unsaved_ : open_chat_store(options_).value()),
      store_of_session_(store_),
      agent_(make_agent(options_, store_->profile(), open_model(options_, interactive))) {
  if (options_.key.empty()) options_.key = default_key(store_->profile().keys);
  if (!options_.requests.empty()) requests_file_.open(options_.requests);
  require_requests_file();
  session_.emplace(resume_or_create());
}

void Chat::require_requests_file() const {
  if (!requests_file_) throw std::runtime_error("cannot write the requests to " + options_.requests);
}

agent::TurnOutcome Chat::run(sk::Message const& said) {
  llm::CancelToken const cancel;
  OnInterrupt const guard(cancel);
  auto outcome = agent::run_turn(
                     *session_, agent_, said,
                     [&](auto const& event) {
                       if (options_.output == Output::talk)
                         watch(event);
                       else
                         report(event);
                     },
                     cancel)
                     .value();
  agent::learn_limits(agent_, outcome.learned);
  return outcome;
}

void Chat::exchange(sk::Message const& said) {
  auto const outcome = run(said);
  if (interactive_) show_status();
  switch (outcome.end) {
  case agent::TurnEnd::finished: break;
  case agent::TurnEnd::interrupted: print("[interrupted]\n"); break;
  case agent::TurnEnd::too_long: print("[stopped: too many steps in one turn]\n"); break;
  case agent::TurnEnd::failed: throw std::runtime_error(outcome.failure->message);
  }
}

void Chat::watch(agent::Event const& event) {
  std::visit(Overloaded{[&](llm::Event const& progress) { show(progress); },
                        [&](agent::RequestMade const& request) { note_request(request); },
                        [](agent::AnswerEnded const& /*ended*/) { print("\n"); },
                        [](agent::ToolStarted const& started) {
                          print(fmt::format("[{} {}]\n", started.call->name, started.call->input.str()));
                        },
                        [](agent::ToolEnded const& /*ended*/) {},
                        [&](agent::Compacted const& compacted) { show(compacted); },
                        [&](agent::ViewCut const& cut) { show(cut); }},
             event);
}

void Chat::show(llm::Event const& event) {
  if (auto const* const text = std::get_if<llm::TextDelta>(&event)) print(text->text);
  if (auto const* const retry = std::get_if<llm::RetryWait>(&event))
    remark(fmt::format("[{}; asking again in {:.1f} s]\n", retry->why,
                       std::chrono::duration<double>(retry->wait).count()));
}

void Chat::show(agent::Compacted const& compacted) {
  if (compacted.error) return remark(fmt::format("[not compacted: {}]\n", compacted.error->message));
  if (compacted.outcome != sk::CompactionOutcome::not_needed)
    return remark(fmt::format("[compaction: {}]\n", to_string(compacted.outcome)));
  if (!agent_.compaction)
    return remark(
        fmt::format("[not compacted: {} stores no summaries; each request is cut to the model's window]\n",
                    store_->profile().name));
  auto const& keep = agent_.compaction->keep;
  constexpr char const* counted[] = {"turns", "messages", "tokens"};
  remark(fmt::format("[not compacted: there is nothing before the last {} {}, which are kept; fewer are kept "
                     "when they no longer fit the model's window]\n",
                     keep.count, counted[keep.by]));
}

// Such a conversation is cut in each turn: once is enough.
void Chat::show(agent::ViewCut const& cut) {
  if (std::exchange(cut_is_shown_, true)) return;
  remark(fmt::format(
      "[too long for the model: the oldest {} messages are not sent, {} tool results are shortened]\n",
      cut.messages, cut.results));
}

void Chat::note_request(agent::RequestMade const& request) {
  requests_.note(*request.history, *request.parts, agent_.target);
  if (requests_file_.is_open())
    requests_file_ << R"({"system":)" << request.parts->system << R"(,"messages":)" << request.parts->messages
                   << "}\n"
                   << std::flush;
  require_requests_file();
  if (options_.output == Output::talk) print("assistant> ");
}

void Chat::greet(bool known) {
  requests_.clear();
  auto const info = session_->info().value();
  if (info.turns == 0 && !known)
    print(fmt::format("New session {}\n", info.id.str()));
  else
    print(fmt::format("Restored: {} previous turns\n", turns_of(*store_of_session_, info)));
  if (info.damaged != 0)
    print(fmt::format("[{} lines of the log are damaged: sessionkit doctor]\n", info.damaged));
  if (unsaved_)
    print(fmt::format("[not stored before {}]\n", options_.no_save_on_exit ? "/save" : "the end"));
}

void Chat::introduce() const {
  bool const scripted = options_.provider.name == "scripted";
  print(scripted ? std::string(
            "A script answers here, no model: it remembers what you say, and reads config.json. For a "
            "model: chat --provider anthropic, openai or gemini\n")
                 : fmt::format("{} of {} answers.\n", options_.model, options_.provider.name));
  print("Try: What is in config.json?  /help shows the commands, Tab completes them, Ctrl-C stops an answer, "
        "Ctrl-D "
        "leaves.\n");
}

std::string Chat::cost_of(sk::Usage const& used) const {
  if (!options_.prices) return {};
  constexpr double million = 1e6;
  auto const read = static_cast<double>(used.input + used.cache_read + used.cache_write);
  double const dollars =
      (read * options_.prices->first + static_cast<double>(used.output) * options_.prices->second) / million;
  return fmt::format("${:.{}f}", dollars, dollars < 1 ? 4 : 2);
}

void Chat::show_status() {
  auto const used = session_->info().value().usage;
  auto const context = sk::count_tokens(session_->context().value());
  auto const cost = cost_of(used);
  print(fmt::format("[{} of {} tokens in context · {} in, {} out{}]\n", cli::short_number(context),
                    cli::short_number(options_.window), cli::short_number(used.input + used.cache_read),
                    cli::short_number(used.output), cost.empty() ? "" : " · " + cost));
}

void Chat::change_model(std::string const& rest) {
  if (!rest.empty() && rest != options_.model) {
    options_.model = rest;
    agent_ = make_agent(options_, store_->profile(), agent_.provider);
    requests_.clear();
  }
  print(fmt::format("{} of {} answers\n", options_.model, options_.provider.name));
}

void Chat::save() {
  if (unsaved_) unsaved_->save().value();
}

void Chat::leave() {
  if (!options_.no_save_on_exit) save();
}

void Chat::prune() {
  auto const done = agent::prune(
      *store_, options_.prune, [](auto const& /*info*/) { return true; },
      [&](sk::SessionId const& id, auto const& remove) {
        bool const is_open = id == session_->id();
        if (!is_open) remove();
        return !is_open;
      },
      [](sk::Removal const& removal) {
        print(fmt::format("[removed {}: {}]\n", removal.id.str(), removal.why));
      },
      [](sk::RetentionOutcome::Failed const& failed) {
        print(fmt::format("[not removed {}: {}]\n", failed.id.str(), failed.error.message));
      });
  if (!done) print(fmt::format("[old sessions were not removed: {}]\n", done.error().message));
}

sk::Session Chat::resume_or_create() {
  if (options_.resume && options_.resume->empty()) return choose();
  if (options_.resume) return sk::Session::open(store_, find(*options_.resume), session_options()).value();
  if (options_.newest) {
    sk::ListQuery newest;
    newest.limit = 1;
    newest.archived = false;
    auto const page = list_conversations(*store_, newest);
    if (!page.sessions.empty())
      return sk::Session::open(store_, page.sessions.front().id, session_options()).value();
  }
  return sk::Session::resume(store_, options_.key, session_options()).value();
}

// A model that reasons does so in each answer: once is enough.
void Chat::note(sk::Event const& event) {
  if (event.kind == sk::Event::part_left_out && noted_.insert(event.message).second)
    remark(fmt::format("[{}]\n", event.message));
}

// What is not the answer does not belong among the data of a script.
void Chat::remark(std::string const& text) const {
  if (options_.output == Output::talk) return print(text);
  std::cerr << cli::neutral(text) << std::flush;
}

sk::SessionOptions Chat::session_options() {
  sk::SessionOptions how;
  how.on_event = [this](sk::Event const& event) { note(event); };
  return how;
}

sk::Session Chat::choose() {
  auto const sessions = show_sessions(true);
  if (sessions.empty()) throw std::runtime_error("there is no session to continue");
  print("which? ");
  std::string typed;
  std::getline(std::cin, typed);
  std::size_t number = 0;
  std::from_chars(typed.data(), typed.data() + typed.size(), number);
  if (number == 0 || number > sessions.size()) throw std::runtime_error("no session was chosen");
  return sk::Session::open(store_, sessions[number - 1].id, session_options()).value();
}

std::vector<sk::SessionInfo> Chat::show_sessions(bool numbered) {
  auto page = list_conversations(*store_, {});
  for (std::size_t i = 0; i < page.sessions.size(); ++i) {
    auto const& info = page.sessions[i];
    auto const mark = numbered ? fmt::format("{:>3}", i + 1) : info.id == session_->id() ? "*" : " ";
    print(fmt::format("{} {}  {}  {} turns  {}\n", mark, info.id.str(), info.key, turns_of(*store_, info),
                      info.display_title()));
  }
  if (!page.next.empty()) print("[there are older ones: sessionkit ls -n 0]\n");
  return std::move(page.sessions);
}

void Chat::open(sk::SessionId const& id) {
  session_.emplace(sk::Session::open(store_, id, session_options()).value());
  store_of_session_ = store_;
  greet(true);
}

void Chat::open_file(std::string const& path) {
  auto const store = sk::open_transcript(path).value(); // a store of one session
  auto const id = sk::transcript_session(*store).value();
  auto const info = store->info(id).value();
  if (info.entries == 0 && info.damaged != 0) throw std::runtime_error(path + " contains no session");
  session_.emplace(sk::Session::open(store, id).value());
  store_of_session_ = store;
  greet(true);
}

sk::SessionId Chat::find(std::string const& name) {
  auto const found = sk::find_sessions(*store_, name).value();
  if (found.empty()) throw std::runtime_error("there is no session '" + name + "'");
  if (found.size() > 1) throw std::runtime_error("'" + name + "' may be any of several sessions");
  return found.front();
}

}
