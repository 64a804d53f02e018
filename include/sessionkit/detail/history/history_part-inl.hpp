// SPDX-License-Identifier: MIT
// Decides where a conversation can be cut into parts that are rebuilt and encoded apart.
#pragma once
#include <sessionkit/detail/base/config.hpp>
#include <sessionkit/detail/history/history_part.hpp>
#include <sessionkit/detail/history/own_blocks.hpp>
#include <sessionkit/detail/history/provider_rules.hpp>
#include <sessionkit/detail/model/reasoning_item.hpp>
#include <sessionkit/detail/model/tool_results.hpp>
#include <sessionkit/dialect.hpp>

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace history_part_inl { namespace {

std::size_t hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

// A member that is added to one of these types does not compile here, so that it is not forgotten.
auto members_of(ServerRules const& rules) {
  auto const& [name, text_content, system_role, user_first, user_after_tool, reasoning_content, max_calls,
               id_length, dots_in_names, max_name_length, images, files] = rules;
  return std::tie(name, text_content, system_role, user_first, user_after_tool, reasoning_content, max_calls,
                  id_length, dots_in_names, max_name_length, images, files);
}
auto members_of(Wording const& wording) {
  auto const& [summary, missing_result, missing_result_is_error, question, sends_unanswered_calls] = wording;
  return std::tie(summary, missing_result, missing_result_is_error, question, sends_unanswered_calls);
}
auto texts_of(Target const& target) {
  auto const& [provider, model, system, policies, mode, consecutive_user, api, images, estimator,
               summary_prefix, server, wording] = target;
  static_cast<void>(policies), static_cast<void>(mode); // as `has_parts` wants them
  static_cast<void>(estimator);                         // counts, and changes no text
  static_cast<void>(server), static_cast<void>(wording);
  return std::tie(provider, model, system, consecutive_user, api, images, summary_prefix);
}

bool is_any_compaction(Entry const& entry) noexcept { return entry.as<Compaction>() != nullptr; }

// In lines without ids, a compaction counts or not by what follows it.
bool has_open_compaction(Context const& context) {
  Dialect const* const dialect = find_dialect(context.dialect);
  if (dialect != nullptr && dialect->has_ids) return false;
  return context.compaction || std::any_of(context.entries.begin(), context.entries.end(), is_any_compaction);
}

bool may_begin(Message const& before, Message const& after) {
  if (after.role == Role::assistant) return is_only_results(before);
  return after.role == Role::user && before.role == Role::assistant && before.tool_uses().empty();
}

// Gemini's encoder decides by the model of an earlier answer where images of results go.
bool needs_model_before(ToolResult const& result, Target const& target) {
  return target.provider == Provider::gemini && target.model.empty()
         && std::any_of(result.content.begin(), result.content.end(),
                        [](ToolContent const& piece) { return std::holds_alternative<Image>(piece); });
}

}}

SESSIONKIT_SELDOM bool has_parts(Target const& target) noexcept {
  return target.mode == RebuildMode::valid && target.policies.empty();
}

SESSIONKIT_SELDOM bool asks_the_same(Target const& a, Target const& b) {
  using namespace history_part_inl;
  return texts_of(a) == texts_of(b) && members_of(a.server) == members_of(b.server)
         && members_of(a.wording) == members_of(b.wording);
}

SESSIONKIT_SELDOM std::size_t settled_entries(Context const& context, Target const& target,
                                              std::size_t stored) {
  if (!context.damage.empty() || history_part_inl::has_open_compaction(context)) return 0;
  bool const late_summary = context.compaction && target.wording.summary == Wording::Summary::after_kept;
  std::size_t const least = late_summary ? context.after_compaction + 1 : 1;
  Message const* after = nullptr;
  std::size_t place = 0; // of it
  for (std::size_t i = context.entries.size(); i-- > 0;) {
    Entry const& entry = context.entries[i];
    auto const* message = entry.as<Message>();
    if (message && after && place >= least && place <= stored
        && history_part_inl::may_begin(*message, *after))
      return place;
    bool const speaks = message || entry.as<CustomMessage>() || entry.as<BranchSummary>();
    if (speaks) after = message, place = i;
  }
  return 0;
}

SESSIONKIT_SELDOM LoopStart loop_start(std::vector<Message> const& messages, std::size_t end,
                                       LoopStart before) noexcept {
  LoopStart start = LoopStart::none;
  for (; end > 0 && messages[end - 1].role != Role::user; --end)
    if (messages[end - 1].role == Role::assistant)
      start = std::holds_alternative<Thinking>(messages[end - 1].parts.front()) ? LoopStart::reasoning
                                                                                : LoopStart::other;
  return end == 0 && before != LoopStart::none ? before : start;
}

SESSIONKIT_SELDOM bool is_seam(Role before, Role after) noexcept {
  return after == Role::assistant ? before == Role::tool : after == Role::user && before == Role::assistant;
}

SESSIONKIT_SELDOM void add_names(Entry const& entry, Target const& target, std::vector<std::size_t>& names) {
  using namespace history_part_inl;
  if (is_any_compaction(entry)) names.push_back(name_of_all_parts);
  auto const* message = entry.as<Message>();
  if (!message) return;
  if (message->role == Role::system) names.push_back(name_of_all_parts);
  for (Part const& part : message->parts) {
    if (auto const* call = std::get_if<ToolUse>(&part)) names.push_back(hash_of(call->id));
    if (auto const* result = std::get_if<ToolResult>(&part)) {
      names.push_back(hash_of(result->tool_use_id));
      if (needs_model_before(*result, target)) names.push_back(name_of_all_parts);
    }
    auto const* thinking = std::get_if<Thinking>(&part);
    if (thinking && target.provider == Provider::openai_responses)
      if (auto const item = reasoning_item(thinking->signature)) names.push_back(hash_of(item->id));
    auto const* block = std::get_if<Opaque>(&part);
    if (block && target.provider == Provider::anthropic)
      if (std::string const id = server_tool_id(*block); !id.empty()) names.push_back(hash_of(id));
  }
}

SESSIONKIT_SELDOM bool add_names(History const& part, std::vector<std::size_t>& names) {
  for (Message const& message : part.messages)
    for (Part const& each : message.parts)
      if (auto const* call = std::get_if<ToolUse>(&each))
        names.push_back(history_part_inl::hash_of(call->id));
  return std::none_of(part.report.begin(), part.report.end(),
                      [](Repair const& repair) { return repair.rule == "reused_id"; });
}

}}}
