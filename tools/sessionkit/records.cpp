// SPDX-License-Identifier: MIT
#include "records.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/session_info.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <utility>

namespace cli {

namespace sk = sessionkit;

std::size_t for_each_record(sk::SessionStore& store, sk::SessionId const& id, OnRecord const& each) {
  std::size_t damaged = 0;
  sk::ReadRange range;
  for (;;) {
    auto const page = store.read(id, range).value();
    for (auto const& damage : page.damage) damaged += is_damage(damage.kind) ? 1U : 0U;
    for (auto const& item : page.items()) {
      auto const entry = sk::decode(page, item);
      if (!entry)
        ++damaged;
      else if (!each({*entry, item.type, item.line, item.end}))
        return damaged;
    }
    if (!page.more) return damaged;
    range.from = page.next;
  }
}

std::vector<bool> written_again_in(sk::SessionStore& store, sk::SessionId const& id) {
  sk::ReadRange first;
  first.max_records = 1;
  sk::Dialect const& dialect = *sk::find_dialect(store.read(id, first).value().dialect);
  bool const writes_again = !dialect.has_ids && dialect.can(sk::EntryBody(sk::Compaction{}).index());
  return writes_again ? sk::written_again(sk::load_log(store, id).value().entries) : std::vector<bool>{};
}

Path path_of(Named const& named, std::string const& name, sk::EntryId const& leaf) {
  Path path{value_at(sk::path_positions(*named.store, named.id, leaf), name, leaf)};
  path.again = written_again_in(*named.store, named.id);
  return path;
}

std::size_t for_each_on(Path const& path, Named const& named, OnRecord const& each) {
  auto next = path.places.begin();
  std::size_t number = 0;
  return for_each_record(*named.store, named.id, [&](Record record) {
    std::size_t const i = number++;
    next = std::lower_bound(next, path.places.end(), record.end);
    if (next == path.places.end()) return false;
    if (*next != record.end) return true;
    record.again = i < path.again.size() && path.again[i];
    return each(record);
  });
}

Json or_null(std::string const& text) { return text.empty() ? Json() : Json(text); }

Json json_of(sk::SessionInfo const& info) {
  Json labels = Json::object();
  for (auto const& [entry, label] : info.labels) labels[entry] = label;
  return {{"id", info.id.str()},
          {"key", or_null(info.key)},
          {"agent", or_null(info.agent)},
          {"user", or_null(info.user)},
          {"cwd", or_null(info.cwd)},
          {"title", or_null(info.display_title())},
          {"created", sk::to_rfc3339(info.created)},
          {"updated", sk::to_rfc3339(info.updated)},
          {"messages", info.messages},
          {"turns", info.turns},
          {"tokens", info.tokens ? Json(*info.tokens) : Json()},
          {"provider", or_null(info.provider)},
          {"model", or_null(info.model)},
          {"archived", info.archived},
          {"parent_session", or_null(info.parent_session)},
          {"leaf", or_null(info.last.str())},
          {"labels", std::move(labels)},
          {"damaged", info.damaged}};
}

Records read_records(Named const& named) {
  constexpr std::size_t most_unknown = 1000; // an entry takes many times the memory of a line of two bytes
  std::size_t unknown = 0;
  Records records;
  records.damaged = for_each_record(*named.store, named.id, [&](Record const& record) {
    if (record.entry.as<sk::Header>() != nullptr) return true;
    bool const strange =
        record.entry.as<sk::Unknown>() != nullptr && record.entry.id.str().substr(0, 1) == "@";
    if (strange && ++unknown > most_unknown) return ++records.unlisted, true;
    records.log.entries.push_back(record.entry);
    records.types.emplace_back(record.type);
    return true;
  });
  return records;
}

void notice_damage(Console& console, std::string const& name, std::size_t count) {
  if (count != 0)
    console.notice(
        fmt::format("{}: {} damaged place(s) skipped; see: sessionkit verify {}", name, count, name));
}

namespace {

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

}

std::string text_of(std::vector<sk::ToolContent> const& content) {
  std::string out;
  for (auto const& part : content)
    std::visit(Overloaded{[&](sk::Text const& text) { out += text.text; },
                          [&](sk::Image const& image) { out += "[" + image.media_type + "]"; },
                          [&](sk::Opaque const& opaque) { out += "[" + opaque.type + "]"; }},
               part);
  return out;
}

namespace {

/// The text of a message; without text, its calls or results.
std::string words_of(sk::Message const& message) {
  std::string out = message.text();
  if (!out.empty()) return out;
  for (auto const& part : message.parts)
    std::visit(Overloaded{[&](sk::ToolUse const& call) {
                            out += fmt::format("{}({}) ", call.name, call.input.str());
                          },
                          [&](sk::ToolResult const& result) { out += text_of(result.content) + " "; },
                          [&](sk::Image const& image) { out += "[" + image.media_type + "] "; },
                          [](auto const&) {}},
               part);
  return out;
}

}

std::vector<std::string> words_of(sk::Entry const& entry) {
  auto const* const message = entry.as<sk::Message>();
  if (message == nullptr) return {summary_of(entry)};
  std::vector<std::string> all;
  for (auto const& part : message->parts)
    std::visit(Overloaded{[&](sk::Text const& it) { all.push_back(it.text); },
                          [&](sk::ToolUse const& it) { all.push_back(it.name + " " + it.input.str()); },
                          [&](sk::ToolResult const& it) { all.push_back(text_of(it.content)); },
                          [](auto const&) {}},
               part);
  return all;
}

std::string summary_of(sk::Entry const& entry) {
  return std::visit(Overloaded{
                        [](sk::Message const& message) { return words_of(message); },
                        [](sk::Compaction const& compaction) { return compaction.summary; },
                        [](sk::BranchSummary const& branch) { return branch.summary; },
                        [](sk::TitleChange const& title) { return title.title; },
                        [](sk::ArchiveChange const& archive) {
                          return std::string(archive.archived ? "archived" : "active again");
                        },
                        [](sk::Label const& label) { return label.target.str() + " = " + label.label; },
                        [](sk::ModelChange const& change) {
                          return change.thinking_level.empty() ? change.provider + "/" + change.model
                                                               : change.thinking_level;
                        },
                        [](sk::CustomMessage const& custom) { return text_of(custom.content); },
                        [](sk::StateChange const& state) {
                          std::string out;
                          for (auto const& [key, value] : state.set) out += key + " = " + value.str() + " ";
                          for (auto const& key : state.removed) out += "-" + key + " ";
                          return out;
                        },
                        [](sk::Custom const& custom) { return custom.type; },
                        [](auto const&) { return std::string(); },
                    },
                    entry.body);
}

std::string speaker_of(sk::Entry const& entry, std::string const& type) {
  if (auto const* const custom = entry.as<sk::CustomMessage>()) return custom->type;
  if (entry.as<sk::TitleChange>() != nullptr) return "title"; // its type is not a word for people
  auto const* const message = entry.as<sk::Message>();
  if (message == nullptr) return type;
  switch (message->role) {
  case sk::Role::system: return "system";
  case sk::Role::user: return "user";
  case sk::Role::assistant: return "assistant";
  case sk::Role::tool: return "tool";
  }
  return type;
}

namespace {

/// Colours carry no information that is not in the words.
int colour_of(std::string const& speaker) {
  return speaker == "user" ? 32 : speaker == "assistant" ? 36 : 33;
}

}

void Talk::say(std::string const& speaker, std::string const& text) {
  auto const name = one_line(neutral(speaker));
  if (!console_.pretty()) {
    console_.write(console_.coloured(colour_of(speaker), name + ">") + " ");
    console_.content(text);
    return console_.write("\n");
  }
  std::string when;
  if (auto const at = std::exchange(at_, {}); at != sk::Timestamp{}) {
    auto const day = std::exchange(day_, date_of(at));
    when = " · " + (day == day_ ? "" : day_ + " ") + time_of_day(at);
  }
  console_.write((std::exchange(first_, false) ? "" : "\n") + console_.coloured(colour_of(speaker), name)
                 + when + "\n");
  console_.content(text);
  console_.write(!text.empty() && text.back() == '\n' ? "" : "\n");
}

void Talk::add(sk::Entry const& entry, sk::Message const& message) {
  for (auto const& part : message.parts)
    std::visit(
        Overloaded{[&](sk::Text const& it) { say(speaker_of(entry, "message"), it.text); },
                   [&](sk::Thinking const& it) {
                     if (thinking_) say("thinking", it.redacted ? "[redacted]" : it.text);
                   },
                   [&](sk::ToolUse const& it) { say("call " + it.name, it.input.str()); },
                   [&](sk::ToolResult const& it) {
                     say((it.is_error ? "error " : "result ") + it.tool_name, text_of(it.content));
                   },
                   [&](sk::Image const& it) { say(speaker_of(entry, "message"), "[" + it.media_type + "]"); },
                   [](sk::Opaque const&) {}},
        part);
}

void Talk::add(sk::Entry const& entry, std::string const& type) {
  at_ = entry.at;
  if (auto const* const message = entry.as<sk::Message>())
    add(entry, *message);
  else if (auto const text = summary_of(entry); !text.empty())
    say(speaker_of(entry, type), text);
}

std::string in_words(std::string const& type) {
  std::string out;
  for (char const c : type) {
    bool const capital = c >= 'A' && c <= 'Z';
    if (capital && !out.empty()) out += ' ';
    out += c == '_' ? ' ' : capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

}
