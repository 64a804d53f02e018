// SPDX-License-Identifier: MIT
#include "records.hpp"
#include "text.hpp"

#include <sessionkit/dialect.hpp>

#include <fmt/format.h>

#include <utility>

namespace cli {

namespace sk = sessionkit;

Records read_records(Named const& named) {
  Records records;
  sk::ReadRange range;
  for (;;) {
    auto page = named.store->read(named.id, range).value();
    for (auto const& item : page.items()) {
      auto entry = sk::decode(page, item);
      if (!entry) {
        records.log.damage.push_back(
            {item.end.value(), item.line.size(), sk::DamageKind::bad_json, entry.error().message});
      } else if (!entry->as<sk::Header>()) {
        records.log.entries.push_back(*std::move(entry));
        records.types.emplace_back(item.type);
        records.lines.emplace_back(item.line);
      }
    }
    for (auto& damage : page.damage) records.log.damage.push_back(std::move(damage));
    records.log.end = page.log_end;
    if (!page.more) return records;
    range.from = page.next;
  }
}

void notice_damage(Console& console, std::string const& name, std::size_t count) {
  if (count != 0)
    console.notice(
        fmt::format("{}: {} damaged place(s) passed over; see: sessionkit verify {}", name, count, name));
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

/// What a message says; of one that says nothing, what it asks for or answers.
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

/// Colours tell nothing that the words do not.
int colour_of(std::string const& speaker) {
  return speaker == "user" ? 32 : speaker == "assistant" ? 36 : 33;
}

void say(Console& console, std::string const& speaker, std::string const& text) {
  console.write(console.coloured(colour_of(speaker), one_line(neutral(speaker)) + ">") + " ");
  console.content(text);
  console.write("\n");
}

void show_message(Console& console, sk::Entry const& entry, sk::Message const& message, bool thinking) {
  for (auto const& part : message.parts)
    std::visit(Overloaded{[&](sk::Text const& it) { say(console, speaker_of(entry, "message"), it.text); },
                          [&](sk::Thinking const& it) {
                            if (thinking) say(console, "thinking", it.redacted ? "[redacted]" : it.text);
                          },
                          [&](sk::ToolUse const& it) { say(console, "call " + it.name, it.input.str()); },
                          [&](sk::ToolResult const& it) {
                            say(console, (it.is_error ? "error " : "result ") + it.tool_name,
                                text_of(it.content));
                          },
                          [&](sk::Image const& it) {
                            say(console, speaker_of(entry, "message"), "[" + it.media_type + "]");
                          },
                          [](sk::Opaque const&) {}},
               part);
}

}

void show_entry(Console& console, sk::Entry const& entry, std::string const& type, bool thinking) {
  if (auto const* const message = entry.as<sk::Message>())
    show_message(console, entry, *message, thinking);
  else if (auto const text = summary_of(entry); !text.empty())
    say(console, speaker_of(entry, type), text);
}

}
