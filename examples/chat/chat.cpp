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
#include <filesystem>
#include <iostream>
#include <llm/llm_summarizer.hpp>
#include <stdexcept>
#include <system_error>
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

/// The store of a conversation that is not stored in each turn; null if it is, or if nothing is stored at
/// all.
std::shared_ptr<agent::DeferredStore> open_deferred(Options const& options) {
  if (!options.no_auto_save || options.profile.timing == sk::WriteTiming::never) return nullptr;
  return std::make_shared<agent::DeferredStore>(open_chat_store(options).value());
}

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

}

Chat::Chat(Options options, bool interactive)
    : options_(std::move(options)),
      interactive_(interactive),
      styled_(interactive && shows_styles()),
      unsaved_(open_deferred(options_)),
      store_(unsaved_ ? unsaved_ : open_chat_store(options_).value()),
      store_of_session_(store_),
      agent_(make_agent(options_, store_->profile(), open_model(options_, interactive))) {
  if (options_.key.empty()) options_.key = default_key(store_->profile().keys);
  if (!options_.requests.empty()) requests_file_.open(options_.requests);
  require_requests_file();
  priced_model_ = options_.model;
  agent_.price = price();
  session_.emplace(resume_or_create());
  keep_cut_answers();
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
  end_answer();
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
                        [&](agent::AnswerEnded const& /*ended*/) {
                          end_answer();
                          print("\n");
                        },
                        [&](agent::ToolStarted const& started) {
                          print_in(quiet,
                                   fmt::format("[{} {}]\n", started.call->name, started.call->input.str()));
                        },
                        [](agent::ToolEnded const& /*ended*/) {},
                        [&](agent::Compacted const& compacted) { show(compacted); },
                        [&](agent::ViewCut const& cut) { show(cut); }},
             event);
}

void Chat::show(llm::Event const& event) {
  if (auto const* const text = std::get_if<llm::TextDelta>(&event)) show_text(text->text);
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
  if (options_.output == Output::talk) begin_answer();
}

void Chat::begin_answer() {
  std::string const prompt = "assistant> ";
  print_in(bold | model, prompt);
  if (styled_) answer_.emplace(terminal_size().columns, prompt.size());
}

void Chat::show_text(std::string const& piece) {
  if (answer_)
    std::cout << answer_->add(piece) << std::flush;
  else
    print(piece);
}

void Chat::end_answer() {
  if (answer_) std::cout << answer_->end() << std::flush;
  answer_.reset();
}

void Chat::print_in(Style style, std::string const& text) const {
  std::cout << in_style(text, styled_ ? style : plain) << std::flush;
}

std::size_t Chat::columns() const {
  constexpr std::size_t no_limit = 1U << 20U;
  return interactive_ ? terminal_size().columns : no_limit;
}

void Chat::introduce() const {
  bool const scripted = options_.provider.name == "scripted";
  auto const line = [&](std::string const& text) { print(cli::wrapped(text, 0, columns()) + '\n'); };
  line(scripted ? std::string("A script answers here, no model. For a model: chat --provider anthropic")
                : fmt::format("{} of {} answers.", options_.model, options_.provider.name));
  line("Try: What is in config.json?  Tab completes, /help lists all, Ctrl-D leaves.");
}

// The prices are those of the model that the person named with them.
decltype(agent::Agent::price) Chat::price() const {
  bool const known = options_.prices && options_.model == priced_model_;
  if (!known || store_->profile().dialect != sk::native_dialect().name) return {};
  return [prices = *options_.prices](sk::Usage const& used) { return cli::recorded_cost(used, prices); };
}

std::string Chat::cost_of(sk::Usage const& used) const {
  return options_.prices ? cli::money(cli::cost_of(used, *options_.prices)) : std::string();
}

void Chat::show_status() {
  auto const used = session_->info().value().usage;
  auto const context = sk::count_tokens(session_->context().value());
  auto const cost = cost_of(used);
  auto const line =
      fmt::format("[{} of {} tokens in context · {} in, {} out{}]", cli::short_number(context),
                  cli::short_number(options_.window), cli::short_number(used.input + used.cache_read),
                  cli::short_number(used.output), cost.empty() ? "" : " · " + cost);
  print_in(quiet, cli::cut(line, columns()) + '\n');
}

void Chat::change_model(std::string const& rest) {
  if (!rest.empty() && rest != options_.model) {
    options_.model = rest;
    agent_ = make_agent(options_, store_->profile(), agent_.provider);
    agent_.drafts = draft_place();
    agent_.price = price();
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

// A model that reasons does so in each answer: once is enough.
void Chat::note(sk::Event const& event) {
  if (event.kind == sk::Event::part_left_out && noted_.insert(event.message).second)
    remark(fmt::format("[{}]\n", event.message));
}

// What is not the answer does not belong among the data of a script.
void Chat::remark(std::string const& text) {
  end_answer();
  if (options_.output == Output::talk) return print_in(quiet, text);
  std::cerr << cli::neutral(text) << std::flush;
}

sk::SessionOptions Chat::session_options() {
  sk::SessionOptions how;
  how.on_event = [this](sk::Event const& event) { note(event); };
  // Where the person was when the session began, for lists by project.
  how.before_append = [](sk::Entry& entry) {
    std::error_code unknown;
    auto* const header = std::get_if<sk::Header>(&entry.body);
    if (header != nullptr && header->cwd.empty())
      header->cwd = std::filesystem::current_path(unknown).string();
  };
  return how;
}

}
