// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history_regroup.hpp>
#include <sessionkit/detail/history_rules.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace {

class Regrouping {
 public:
  explicit Regrouping(History& history) : history_(history) {}

  void add(EntryId const& source, Message message) {
    message.metadata = RawJson{}; // for display only, in these dialects
    if (message.role == Role::system) return system(message.text());
    if (message.role == Role::tool) message.role = Role::user;
    history_.messages.push_back(std::move(message));
    history_.sources.push_back(source);
  }
  void system(std::string const& text) {
    if (!history_.system.empty() && !text.empty()) history_.system += "\n\n";
    history_.system += text;
  }

 private:
  History& history_;
};

bool is_text(Message const& message) {
  return std::all_of(message.parts.begin(), message.parts.end(),
                     [](Part const& part) { return std::holds_alternative<Text>(part); });
}

bool is_call_line(Message const& message) {
  return message.role == Role::assistant && message.parts.size() == 1
         && std::holds_alternative<ToolUse>(message.parts.front());
}

// claw0's `_rebuild_history`: calls wait until another line comes, and are one message then.
void regroup_flat(Context const& context, History& history) {
  Regrouping messages(history);
  Message calls;
  calls.role = Role::assistant;
  EntryId first;
  auto const flush = [&] {
    if (calls.parts.empty()) return;
    messages.add(first, calls);
    calls.parts.clear();
  };
  for (Entry const& entry : context.entries) {
    auto const* message = entry.as<Message>();
    if (!message) continue;
    if (!is_call_line(*message)) {
      flush();
      messages.add(entry.id, *message);
      continue;
    }
    if (calls.parts.empty()) first = entry.id;
    calls.parts.push_back(message->parts.front());
  }
  flush();
}

// ai-panel: the summary is a prefix of the system text, messages of the two roles it reads stand as they are.
void regroup_panel(Context const& context, History& history) {
  Regrouping messages(history);
  if (context.compaction)
    if (auto const* body = context.compaction->as<Compaction>()) messages.system(body->summary);
  for (Entry const& entry : context.entries)
    if (auto const* message = entry.as<Message>(); message && message->role != Role::system)
      messages.add(entry.id, *message);
}

struct DialectRegroup {
  std::string_view dialect;
  detail::Regroup regroup;
};
constexpr std::array<DialectRegroup, 3> dialect_regroups{
    {{"flat", regroup_flat}, {"flat-v2", regroup_flat}, {"panel", regroup_panel}}};

}

namespace detail {

Regroup regroup_of(std::string_view dialect) noexcept {
  for (DialectRegroup const& known : dialect_regroups)
    if (known.dialect == dialect) return known.regroup;
  return nullptr;
}

void regroup_joined(Context const& context, History& history) {
  bool joins = false;
  for (Entry const& entry : context.entries) {
    auto const* message = entry.as<Message>();
    if (!message || message->role == Role::system) {
      joins = false;
      continue;
    }
    Message* const last =
        joins && history.messages.back().role == message->role ? &history.messages.back() : nullptr;
    if (last && is_text(*last) && is_text(*message)) {
      auto& text = std::get<Text>(last->parts.front()).text;
      text.append("\n\n").append(trimmed(message->text()));
    } else {
      history.messages.push_back(*message);
      history.sources.push_back(entry.id);
      if (is_text(*message)) history.messages.back().parts = {Text{message->text()}};
    }
    joins = true;
  }
}

}

}}
