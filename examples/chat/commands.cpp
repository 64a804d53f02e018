// SPDX-License-Identifier: MIT
#include "chat.hpp"
#include "completion.hpp"
#include "interrupt.hpp"
#include "samples.hpp"
#include "screen.hpp"

#include <fmt/format.h>

#include <agent/picture.hpp>
#include <algorithm>
#include <common/text.hpp>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace chat {

namespace sk = sessionkit;

struct Chat::Command {
  std::string_view name, rest, help;
  void (Chat::*run)(std::string const& rest); ///< null: leave
};

Chat::Command const Chat::commands[] = {
    {"/new", "[KEY]", "begin another session", &Chat::begin_session},
    {"/sessions", "", "list the sessions, newest first", &Chat::list_sessions},
    {"/switch", "ID|KEY", "continue another session", &Chat::switch_to},
    {"/resume", "", "choose a session from a list that you can search", &Chat::choose_session},
    {"/open", "FILE", "continue a transcript file of any program", &Chat::open_file_named},
    {"/history", "", "show the messages of this session", &Chat::show_history},
    {"/tree", "", "show all branches of this session", &Chat::show_tree},
    {"/retry", "", "ask for another answer to the last message; the old one stays, as a branch",
     &Chat::retry},
    {"/edit", "[TEXT]", "replace the last message and send it again; without TEXT, edit it first",
     &Chat::edit},
    {"/branch", "[N]", "list the branches of this session, or continue the Nth", &Chat::branch},
    {"/search", "TEXT", "find a text in all sessions", &Chat::search},
    {"/undo", "", "take the last turn back; it stays in the log, as a branch", &Chat::undo},
    {"/fork", "[KEY]", "copy this session and continue the copy", &Chat::fork},
    {"/title", "TEXT", "name this session", &Chat::set_title},
    {"/compact", "[FOCUS]", "replace earlier messages by a summary", &Chat::compact},
    {"/image", "FILE [TEXT]", "send a picture, and a text with it", &Chat::send_picture},
    {"/save", "", "store the conversation now", &Chat::save_now},
    {"/tokens", "", "show the length of the conversation and the tokens used", &Chat::show_tokens},
    {"/cost", "", "show the tokens used and what they cost", &Chat::show_cost},
    {"/model", "[NAME]", "show the model that answers, or choose another", &Chat::change_model},
    {"/export", "[FILE]", "export as Markdown", &Chat::export_to},
    {"/explain", "", "show how much of each request was sent before", &Chat::explain},
    {"/request", "[PROVIDER]", "show the request that a provider would get for this session",
     &Chat::show_request},
    {"/delete", "ID|KEY", "move a session to the trash", &Chat::remove_session},
    {"/help", "", "show this list", &Chat::show_help},
    {"/quit", "", "leave; so does Ctrl-D", nullptr},
};

namespace {

struct ProviderName {
  char const* name;
  sk::Provider provider;
};
constexpr ProviderName providers[] = {{"anthropic", sk::Provider::anthropic},
                                      {"openai", sk::Provider::openai_chat},
                                      {"openai-responses", sk::Provider::openai_responses},
                                      {"gemini", sk::Provider::gemini}};

std::string trimmed(std::string const& text) {
  auto const begin = text.find_first_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

}

bool Chat::take(std::string const& line) {
  auto const word_end = std::min(line.find_first_of(" \n"), line.size());
  auto const name = line.substr(0, word_end);
  auto const rest = trimmed(line.substr(word_end));
  if (name.empty() || name.front() != '/') {
    if (line.find_first_not_of(" \t\n") != std::string::npos) exchange(sk::user(line));
    return true;
  }
  for (auto const& command : commands) {
    if (command.name != name) continue;
    if (command.rest.empty() && !rest.empty() && line.find('\n') != std::string::npos) break; // pasted
    if (command.run == nullptr) return false;
    bool const needs_it = !command.rest.empty() && command.rest.front() != '[';
    if (needs_it && rest.empty()) throw std::runtime_error(fmt::format("which? {} {}", name, command.rest));
    (this->*command.run)(rest);
    return true;
  }
  if (line.find('\n') != std::string::npos) { // pasted: a path or a comment, no command
    exchange(sk::user(line));
    return true;
  }
  auto const nearest =
      std::min_element(std::begin(commands), std::end(commands), [&](auto const& a, auto const& b) {
        return cli::edit_distance(name, a.name) < cli::edit_distance(name, b.name);
      });
  bool const is_near = cli::edit_distance(name, nearest->name) <= 2;
  print(fmt::format("there is no command {}{}; /help lists them. A message may begin with a space.\n", name,
                    is_near ? fmt::format(": did you mean {}?", nearest->name) : ""));
  return true;
}

void Chat::show_help(std::string const& /*rest*/) {
  constexpr std::size_t indent = 23;
  auto const line = [&](std::string const& left, std::string_view help) {
    print(fmt::format("{:<22} {}\n", left, cli::wrapped(std::string(help), indent, columns())));
  };
  for (auto const& command : commands)
    line(fmt::format("{:<10} {}", command.name, command.rest), command.help);
  line("Tab", "completes commands, sessions, models and files");
  line("Ctrl-R", "searches the lines that you typed");
  line("Ctrl-C", "stops an answer and keeps what has come; drops a line");
  line("Alt-Enter, or \\ Enter", "begins another line of the same message");
}

void Chat::begin_session(std::string const& rest) {
  sk::NewSession about;
  about.key = rest.empty() ? options_.key : rest;
  // In that layout a key has one session: another session needs another key.
  if (rest.empty() && store_->profile().keys == sk::KeyScheme::claw0)
    about.key = fmt::format("main:cli:{}", sk::to_unix_ms(sk::system_now()));
  session_.emplace(sk::Session::create(store_, about, session_options()).value());
  store_of_session_ = store_;
  agent_.drafts = draft_place();
  greet(false);
}

void Chat::list_sessions(std::string const& /*rest*/) { show_sessions(false); }

void Chat::switch_to(std::string const& rest) { open(find(rest)); }

void Chat::open_file_named(std::string const& rest) { open_file(rest); }

void Chat::show_history(std::string const& /*rest*/) {
  auto const width = styled_ ? std::optional(columns()) : std::nullopt;
  std::cout << as_talk(session_->path().value(), width) << std::flush;
}

void Chat::show_tree(std::string const& /*rest*/) {
  print(as_tree(sk::load_log(*store_of_session_, session_->id()).value(), session_->path().value()));
}

void Chat::remove_session(std::string const& rest) {
  auto const id = find(rest);
  store_->remove(id).value();
  print(fmt::format("deleted {}\n", id.str()));
  if (id == session_->id()) begin_session({});
}

void Chat::compact(std::string const& rest) {
  auto focused = agent_;
  if (focused.compaction) focused.compaction->focus = rest;
  llm::CancelToken const cancel;
  OnInterrupt const guard(cancel);
  agent::compact(
      *session_, focused, sk::CompactionReason::manual, [&](auto const& event) { watch(event); }, cancel);
}

void Chat::set_title(std::string const& rest) {
  session_->set_title(rest).value();
  print(fmt::format("this is now \"{}\"\n", session_->info().value().display_title()));
}

// The stored mark makes the next run continue from here too.
void Chat::undo(std::string const& /*rest*/) {
  auto const said = take_back().text();
  session_->append_entry(sk::Custom{"undo", {}}).value();
  print(fmt::format("taken back: {}\n", said));
}

// Moves the leaf before the last message of the person, and returns this message.
sk::Message Chat::take_back() {
  auto const path = session_->path().value();
  auto const last = std::find_if(path.rbegin(), path.rend(), is_said);
  if (last == path.rend()) throw std::runtime_error("there is no message yet");
  auto const before = std::next(last);
  auto const moved = session_->rewind(before == path.rend() ? sk::EntryId() : before->id);
  if (!moved && moved.error().code == sk::Errc::unsupported)
    throw std::runtime_error(
        "lines of this format have no branches, so nothing was taken back; for a copy that "
        "ends earlier: sessionkit fork "
        + session_->id().str() + " --at ENTRY");
  moved.value();
  return *last->as<sk::Message>();
}

void Chat::fork(std::string const& rest) {
  sk::NewSession about;
  about.key = rest.empty() ? session_->info().value().key : rest;
  session_.emplace(session_->fork(about).value());
  print(fmt::format("this is now {}\n", session_->id().str()));
  greet(true);
}

void Chat::show_tokens(std::string const& /*rest*/) {
  auto const info = session_->info().value();
  auto const context = sk::count_tokens(session_->context().value());
  print(fmt::format("context: {} tokens of a window of {}\n", context, options_.window));
  auto const limit = agent_.compaction ? sk::limit_of(*agent_.compaction) : std::nullopt;
  if (limit) print(fmt::format("compacted above {}\n", *limit));
  if (agent_.view_limit != 0) print(fmt::format("requests are cut to {}\n", agent_.view_limit));
  print(fmt::format("used: {} in, {} out, {} read from a cache, {} written to it\n", info.usage.input,
                    info.usage.output, info.usage.cache_read, info.usage.cache_write));
}

void Chat::save_now(std::string const& /*rest*/) {
  save();
  print("stored\n");
}

void Chat::send_picture(std::string const& rest) {
  auto const word_end = std::min(rest.find(' '), rest.size());
  auto said = sk::user();
  said.parts.emplace_back(agent::read_picture(rest.substr(0, word_end)).value());
  if (auto const text = trimmed(rest.substr(word_end)); !text.empty())
    said.parts.emplace_back(sk::Text{text});
  exchange(said);
}

void Chat::export_to(std::string const& rest) {
  auto const text = as_markdown(session_->info().value(), session_->path().value());
  if (rest.empty()) return print(text);
  if (std::filesystem::exists(rest)) throw std::runtime_error(rest + " exists already; name another file");
  write_file(rest, cli::neutral(text)); // a terminal may show it later
  print(fmt::format("wrote {}\n", rest));
}

void Chat::explain(std::string const& /*rest*/) { print(requests_.text()); }

void Chat::show_request(std::string const& rest) {
  auto target = agent_.target;
  if (!rest.empty()) {
    auto const* const named = std::find_if(std::begin(providers), std::end(providers),
                                           [&](ProviderName const& one) { return rest == one.name; });
    if (named == std::end(providers))
      throw std::runtime_error("which provider? anthropic, openai, openai-responses or gemini");
    target.provider = named->provider;
    if (target.provider != agent_.target.provider) target.server = {};
  }
  auto const parts = session_->request(target).value();
  print(fmt::format(R"({{"system":{},"messages":{}}})", parts.system, parts.messages) + '\n');
}

namespace {

/// Those that begin so, sorted, each once.
std::vector<std::string> that_begin(std::string_view begun, std::vector<std::string> words) {
  auto const other = [&](std::string const& word) {
    return word.empty() || word.compare(0, begun.size(), begun) != 0;
  };
  words.erase(std::remove_if(words.begin(), words.end(), other), words.end());
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::vector<std::string> models_of(std::vector<sk::SessionInfo> const& sessions) {
  std::vector<std::string> models;
  models.reserve(sessions.size());
  for (auto const& info : sessions) models.push_back(info.model);
  return models;
}

std::vector<std::string> numbers_up_to(std::size_t last) {
  std::vector<std::string> numbers;
  numbers.reserve(last);
  for (std::size_t i = 1; i <= last; ++i) numbers.push_back(fmt::format("{}", i));
  return numbers;
}

/// What names a session; without `whole`, only keys.
std::vector<std::string> names_of(std::vector<sk::SessionInfo> const& sessions, bool whole) {
  std::vector<std::string> names;
  for (auto const& info : sessions) {
    if (sk::is_state_key(info.key)) continue;
    names.push_back(info.key);
    if (!whole) continue;
    names.push_back(info.id.str());
    names.push_back(info.display_title());
  }
  return names;
}

}

Completions Chat::completions(std::string const& before) const {
  if (before.empty() || before.front() != '/') return {};
  auto const name_end = before.find(' ');
  if (name_end == std::string::npos) {
    std::vector<std::string> names;
    for (auto const& command : commands) names.emplace_back(command.name);
    return {0, that_begin(before, std::move(names))};
  }
  auto const* const command = std::find_if(std::begin(commands), std::end(commands), [&](Command const& one) {
    return one.name == before.substr(0, name_end);
  });
  if (command == std::end(commands)) return {};
  auto const has = [&](char const* argument) {
    return command->rest.find(argument) != std::string_view::npos;
  };
  auto const word = before.rfind(' ') + 1;
  if (has("FILE")) return {word, files_that_begin(before.substr(word))};
  auto const rest = std::min(before.find_first_not_of(' ', name_end), before.size()); // a title has spaces
  auto const begun = std::string_view(before).substr(rest);
  if (command->name == "/request") {
    std::vector<std::string> names;
    for (auto const& one : providers) names.emplace_back(one.name);
    return {rest, that_begin(begun, std::move(names))};
  }
  if (command->name == "/branch")
    return {rest, that_begin(begun, numbers_up_to(session_->leaves().value().size()))};
  if (command->name == "/model") {
    auto models = models_of(store_->list({}).value().sessions);
    models.push_back(options_.model);
    models.emplace_back(llm::find_provider_defaults(options_.provider.name)->model);
    return {rest, that_begin(begun, std::move(models))};
  }
  if (has("KEY")) return {rest, that_begin(begun, names_of(store_->list({}).value().sessions, has("ID")))};
  return {};
}

}
