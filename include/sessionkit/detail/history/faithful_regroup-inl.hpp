// SPDX-License-Identifier: MIT
// Groups the lines of a dialect into messages as its program does, for mode `faithful`.
#pragma once
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/history/faithful_regroup.hpp>
#include <sessionkit/detail/history/provider_rules.hpp>
#include <sessionkit/detail/history/report_text.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/json/whitespace.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace faithful_regroup_inl { namespace {

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
  return message.role == Role::assistant && message.content_is_string && message.parts.size() == 1
         && std::holds_alternative<ToolUse>(message.parts.front());
}

// Of a call or a result that is a line of its own claw0 sends the members it knows.
SESSIONKIT_SELDOM void line_part_only(History& history, Part& part, Entry const& entry) {
  auto const clear = [&](RawJson& extra) {
    if (extra.is_null()) return;
    detail::note_unsent(history, entry, "part_members", detail::brief(extra.str()));
    extra = RawJson{};
  };
  if (auto* call = std::get_if<ToolUse>(&part)) clear(call->extra);
  if (auto* result = std::get_if<ToolResult>(&part)) clear(result->extra);
}

// The member of a line that its program gives to the model as it is, where it is neither a text nor an
// array.
std::string_view odd_member(Entry const& entry, std::string_view name) {
  std::string_view const raw =
      entry.extra.is_object() ? detail::find_member(entry.extra.str(), name) : std::string_view{};
  detail::JsonKind const kind = detail::json_kind(raw);
  return raw.empty() || kind == detail::JsonKind::string || kind == detail::JsonKind::array
             ? std::string_view{}
             : raw;
}

Opaque unchanged(std::string_view raw) { return Opaque{{}, RawJsonAccess::trust(std::string(raw))}; }

bool is_one_text(ToolResult const& result) {
  auto const* text = result.content.size() == 1 ? std::get_if<Text>(&result.content.front()) : nullptr;
  return text && text->extra.is_null();
}

// Whether the text of a result comes from the member that the first variant's program does not read.
bool is_of_later_member(Entry const& entry, ToolResult const& result) {
  std::string_view const raw =
      entry.extra.is_object() ? detail::find_member(entry.extra.str(), "content") : std::string_view{};
  if (raw.empty() || !odd_member(entry, "output").empty()) return false;
  auto const read = detail::decode_tool_content(raw);
  auto const* text = read.size() == 1 ? std::get_if<Text>(&read.front()) : nullptr;
  return is_one_text(result) ? text && text->text == std::get<Text>(result.content.front()).text
                             : read.size() == result.content.size();
}

// What Anthropic's API is sent by claw0 where a line holds something odd; elsewhere nobody could send it.
SESSIONKIT_SELDOM void keep_odd(Entry const& entry, std::string_view member, Provider provider,
                                Message& message) {
  if (provider != Provider::anthropic) return;
  auto* result = message.parts.size() == 1 ? std::get_if<ToolResult>(&message.parts.front()) : nullptr;
  bool const line = message.role == Role::tool && result;
  std::string_view const raw = odd_member(entry, line ? member : "content");
  if (line && !raw.empty()) {
    result->content.assign(1, unchanged(raw));
    message.content_is_string = true;
  } else if (line && member == "output" && is_of_later_member(entry, *result)) {
    result->content.assign(1, Text{});
    message.content_is_string = true;
  } else if (!line && message.parts.empty() && !raw.empty()) {
    message.parts.emplace_back(unchanged(raw));
    message.content_is_string = true;
  }
}

// claw0's `_rebuild_history`: calls wait until another line comes, and are one message then.
SESSIONKIT_SELDOM void regroup_flat(Context const& context, Provider provider, History& history) {
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
      Message line = *message;
      keep_odd(entry, "output", provider, line);
      messages.add(entry.id, std::move(line));
      if (message->role == Role::tool) line_part_only(history, history.messages.back().parts.back(), entry);
      continue;
    }
    if (calls.parts.empty()) first = entry.id;
    calls.parts.push_back(message->parts.front());
    line_part_only(history, calls.parts.back(), entry);
  }
  flush();
}

// The same of claw0's later variant: a call joins the answer right before it, a result the results right
// before it, and everything else is a message of its own. Its answers are arrays always.
class LaterRegrouping {
 public:
  LaterRegrouping(History& history, Provider provider)
      : history_(history), messages_(history), provider_(provider) {}

  SESSIONKIT_SELDOM void operator()(Entry const& entry, Message const& message) {
    Message line = message;
    keep_odd(entry, "content", provider_, line);
    bool const call = is_call_line(message), result = message.role == Role::tool;
    if (call || result) line_part_only(history_, line.parts.back(), entry);
    if (result) one_result(std::get<ToolResult>(line.parts.front()), line.content_is_string);
    bool const whole = line.parts.size() == 1 && std::holds_alternative<Opaque>(line.parts.front());
    line.content_is_string = result || (line.content_is_string && (line.role != Role::assistant || whole));
    if ((call && ends_in(Role::assistant)) || (result && ends_in_results()))
      join(history_.messages.back(), std::move(line.parts.front()));
    else
      messages_.add(entry.id, std::move(line));
  }

 private:
  bool ends_in(Role role) const {
    return !history_.messages.empty() && history_.messages.back().role == role;
  }
  bool ends_in_results() const {
    return ends_in(Role::user) && !history_.messages.back().parts.empty()
           && std::holds_alternative<ToolResult>(history_.messages.back().parts.front());
  }
  void join(Message& before, Part part) const {
    if (std::holds_alternative<ToolResult>(part)
        && !before.content_is_string) { // a line of the user with results
      for (Part& each : before.parts)
        if (auto* result = std::get_if<ToolResult>(&each)) one_result(*result, false);
      before.content_is_string = true;
    }
    before.parts.push_back(std::move(part));
  }
  // A message of results writes those of one text as a string: an array of one text must not look like that.
  void one_result(ToolResult& result, bool bare) const {
    if (bare || provider_ != Provider::anthropic || !is_one_text(result)) return;
    std::string raw;
    detail::encode_native_content(result.content, raw);
    result.content.assign(1, unchanged(raw));
  }

  History& history_;
  Regrouping messages_;
  Provider provider_;
};

SESSIONKIT_SELDOM void regroup_flat_v2(Context const& context, Provider provider, History& history) {
  LaterRegrouping regroup(history, provider);
  for (Entry const& entry : context.entries) {
    if (auto const* message = entry.as<Message>()) regroup(entry, *message);
    if (auto const* other = entry.as<Unknown>())
      detail::note_unsent(history, entry, "unknown_entry", detail::brief(other->type));
  }
}

// ai-panel: the summary is a prefix of the system text, messages of the two roles it reads stay as they are.
SESSIONKIT_SELDOM void regroup_panel(Context const& context, Provider, History& history) {
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
    {{"flat", regroup_flat}, {"flat-v2", regroup_flat_v2}, {"panel", regroup_panel}}};

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
SESSIONKIT_SELDOM void note_passed_over(History& history, Entry const& entry) {
  if (auto const* other = entry.as<Unknown>())
    return detail::note_unsent(history, entry, "unknown_entry", detail::brief(other->type));
  if (std::string words = detail::visit(PassedOver{}, entry.body); !words.empty())
    detail::note_unsent(history, entry, "passed_over", std::move(words));
}

// Texts are joined as text alone.
SESSIONKIT_SELDOM void note_text_members(History& history, Entry const& entry, Message const& message) {
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

}}

namespace detail {

void note_unsent(History& history, Entry const& entry, std::string_view rule, std::string before) {
  history.report.push_back({entry.id, rule, std::move(before), {}, false});
}

SESSIONKIT_SELDOM void note_wordless(History& history, Provider provider) {
  if (provider == Provider::anthropic || provider == Provider::native) return;
  for (std::size_t i = 0; i < history.messages.size(); ++i)
    for (Part const& part : history.messages[i].parts)
      if (auto const rule =
              faithful_regroup_inl::wordless_rule(rules_of(provider), history.messages[i].role, part);
          !rule.empty())
        history.report.push_back({history.sources[i], rule, brief(part), {}, false});
}

SESSIONKIT_SELDOM void leave_out_strange(History& history) {
  for (std::size_t i = 0; i < history.messages.size(); ++i) {
    auto& parts = history.messages[i].parts;
    EntryId const& source = history.sources[i];
    faithful_regroup_inl::take_out_opaque(parts, history.report, source);
    for (Part& part : parts) {
      if (auto* result = std::get_if<ToolResult>(&part))
        faithful_regroup_inl::take_out_opaque(result->content, history.report, source);
      each_extra(part, [&](RawJson& extra) {
        history.report.push_back({source, "part_members", brief(extra.str()), {}, false});
        extra = RawJson{};
      });
    }
  }
}

Regroup regroup_of(std::string_view dialect) noexcept {
  for (faithful_regroup_inl::DialectRegroup const& known : faithful_regroup_inl::dialect_regroups)
    if (known.dialect == dialect) return known.regroup;
  return nullptr;
}

SESSIONKIT_SELDOM void regroup_joined(Context const& context, History& history) {
  bool joins = false;
  for (Entry const& entry : context.entries) {
    auto const* message = entry.as<Message>();
    if (!message || message->role == Role::system) {
      faithful_regroup_inl::note_passed_over(history, entry);
      joins = false;
      continue;
    }
    if (faithful_regroup_inl::is_text(*message))
      faithful_regroup_inl::note_text_members(history, entry, *message);
    Message* const last =
        joins && history.messages.back().role == message->role ? &history.messages.back() : nullptr;
    if (last && faithful_regroup_inl::is_text(*last) && faithful_regroup_inl::is_text(*message)) {
      auto& text = std::get<Text>(last->parts.front()).text;
      text.append("\n\n").append(trimmed(message->text()));
    } else {
      history.messages.emplace_back(Message(*message));
      history.sources.push_back(entry.id);
      if (faithful_regroup_inl::is_text(*message)) history.messages.back().parts = {Text{message->text()}};
    }
    joins = true;
  }
}

}

}}
