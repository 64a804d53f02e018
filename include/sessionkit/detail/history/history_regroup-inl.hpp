// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/blank.hpp>
#include <sessionkit/detail/history/history_regroup.hpp>
#include <sessionkit/detail/history/history_rules.hpp>

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

// Of a call or a result that is a line of its own claw0 sends the members it knows.
void line_part_only(History& history, Part& part, Entry const& entry) {
  auto const clear = [&](RawJson& extra) {
    if (extra.is_null()) return;
    detail::note_unsent(history, entry, "part_members", detail::brief(extra.str()));
    extra = RawJson{};
  };
  if (auto* call = std::get_if<ToolUse>(&part)) clear(call->extra);
  if (auto* result = std::get_if<ToolResult>(&part)) clear(result->extra);
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
    if (!message) {
      if (auto const* other = entry.as<Unknown>())
        detail::note_unsent(history, entry, "unknown_entry", detail::brief(other->type));
      continue;
    }
    if (!is_call_line(*message)) {
      flush();
      messages.add(entry.id, *message);
      if (message->role == Role::tool) line_part_only(history, history.messages.back().parts.back(), entry);
      continue;
    }
    if (calls.parts.empty()) first = entry.id;
    calls.parts.push_back(message->parts.front());
    line_part_only(history, calls.parts.back(), entry);
  }
  flush();
}

// ai-panel: the summary is a prefix of the system text, messages of the two roles it reads stand as they are.
void regroup_panel(Context const& context, History& history) {
  Regrouping messages(history);
  if (context.compaction)
    if (auto const* body = context.compaction->as<Compaction>()) messages.system(body->summary);
  for (Entry const& entry : context.entries) {
    auto const* message = entry.as<Message>();
    if (auto const* other = entry.as<Unknown>())
      detail::note_unsent(history, entry, "unknown_entry", detail::brief(other->type));
    if (message && message->role == Role::system)
      detail::note_unsent(history, entry, "passed_over", detail::brief(message->text()));
    else if (message)
      messages.add(entry.id, *message);
  }
}

struct DialectRegroup {
  std::string_view dialect;
  detail::Regroup regroup;
};
constexpr std::array<DialectRegroup, 3> dialect_regroups{
    {{"flat", regroup_flat}, {"flat-v2", regroup_flat}, {"panel", regroup_panel}}};

struct PassedOver {
  std::string operator()(Message const& body) const { return detail::brief(body.text()); }
  std::string operator()(Compaction const& body) const { return detail::brief(body.summary); }
  std::string operator()(BranchSummary const& body) const { return detail::brief(body.summary); }
  std::string operator()(CustomMessage const& body) const {
    return body.in_context ? detail::brief(body.type) : std::string{};
  }
  template <class Body> std::string operator()(Body const&) const { return {}; }
};

// What says something to the model elsewhere.
void note_passed_over(History& history, Entry const& entry) {
  if (auto const* other = entry.as<Unknown>())
    return detail::note_unsent(history, entry, "unknown_entry", detail::brief(other->type));
  if (std::string words = std::visit(PassedOver{}, entry.body); !words.empty())
    detail::note_unsent(history, entry, "passed_over", std::move(words));
}

// Texts are joined as text alone.
void note_text_members(History& history, Entry const& entry, Message const& message) {
  for (Part const& part : message.parts)
    detail::each_extra(part, [&](RawJson const& extra) {
      detail::note_unsent(history, entry, "part_members", detail::brief(extra.str()));
    });
}

// Why the encoder of a provider that is not Anthropic passes over a part; empty if it does not.
std::string_view wordless_rule(detail::ProviderRules const& rules, Role role, Part const& part) {
  bool const assistant = role == Role::assistant;
  bool fits = role != Role::tool;
  if (std::holds_alternative<ToolUse>(part) || std::holds_alternative<Thinking>(part)) fits = assistant;
  if (std::holds_alternative<ToolResult>(part)) fits = !assistant;
  if (std::holds_alternative<Image>(part)) fits = role == Role::user;
  auto const* thinking = std::get_if<Thinking>(&part);
  if (!fits || !thinking) return fits ? std::string_view{} : "misplaced_part";
  bool const sent = rules.thinking == detail::ProviderRules::with_signature
                    && (rules.reasoning_items ? rules.signs_thinking(*thinking) : !thinking->redacted);
  return sent ? std::string_view{} : "foreign_thinking";
}

template <class AnyPart> bool is_opaque(AnyPart const& part) { return std::holds_alternative<Opaque>(part); }

template <class AnyPart>
void take_out_opaque(std::vector<AnyPart>& parts, std::vector<Repair>& report, EntryId const& source) {
  for (AnyPart const& part : parts)
    if (auto const* opaque = std::get_if<Opaque>(&part))
      report.push_back({source, "opaque_part", detail::brief(*opaque), {}, false});
  parts.erase(std::remove_if(parts.begin(), parts.end(), is_opaque<AnyPart>), parts.end());
}

}

namespace detail {

void note_unsent(History& history, Entry const& entry, std::string_view rule, std::string before) {
  history.report.push_back({entry.id, rule, std::move(before), {}, false});
}

void note_wordless(History& history, Provider provider) {
  if (provider == Provider::anthropic || provider == Provider::native) return;
  for (std::size_t i = 0; i < history.messages.size(); ++i)
    for (Part const& part : history.messages[i].parts)
      if (auto const rule = wordless_rule(rules_of(provider), history.messages[i].role, part); !rule.empty())
        history.report.push_back({history.sources[i], rule, brief(part), {}, false});
}

void leave_out_strange(History& history) {
  for (std::size_t i = 0; i < history.messages.size(); ++i) {
    auto& parts = history.messages[i].parts;
    EntryId const& source = history.sources[i];
    take_out_opaque(parts, history.report, source);
    for (Part& part : parts) {
      if (auto* result = std::get_if<ToolResult>(&part))
        take_out_opaque(result->content, history.report, source);
      each_extra(part, [&](RawJson& extra) {
        history.report.push_back({source, "part_members", brief(extra.str()), {}, false});
        extra = RawJson{};
      });
    }
  }
}

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
      note_passed_over(history, entry);
      joins = false;
      continue;
    }
    if (is_text(*message)) note_text_members(history, entry, *message);
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
