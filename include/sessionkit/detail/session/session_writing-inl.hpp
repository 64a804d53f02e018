// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/blank.hpp>
#include <sessionkit/detail/history/history_rules.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/session/session_state.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

// When, and how much, of what is said gets stored: the profile's choices.

namespace sessionkit { inline namespace v0 {

namespace {

bool has_tool_results(Message const& message) noexcept {
  return std::any_of(message.parts.begin(), message.parts.end(),
                     [](Part const& part) { return std::holds_alternative<ToolResult>(part); });
}

// The words of an entry that is words of the user and nothing else.
std::string* only_user_text(Entry& entry) noexcept {
  auto* message = std::get_if<Message>(&entry.body);
  if (!message || message->role != Role::user || message->parts.size() != 1) return nullptr;
  auto* text = std::get_if<Text>(&message->parts.front());
  return text ? &text->text : nullptr;
}

Message* only_results(Entry& entry) noexcept {
  auto* message = std::get_if<Message>(&entry.body);
  return message && detail::is_only_results(*message) ? message : nullptr;
}

std::string text_of_result(ToolResult const& result) {
  std::string text;
  for (ToolContent const& piece : result.content)
    if (auto const* said = std::get_if<Text>(&piece)) text += said->text;
  return text;
}

}

bool detail::is_kept(Message const& message, ToolPolicy policy) noexcept {
  if (policy == ToolPolicy::full) return true;
  return message.role != Role::tool && message.tool_uses().empty() && !has_tool_results(message);
}

void Session::State::note_exchanges(Message const& message) {
  if (profile.tools != ToolPolicy::results) return;
  for (Part const& part : message.parts) {
    if (auto const* call = std::get_if<ToolUse>(&part)) exchanges.emplace_back(*call, std::nullopt);
    auto const* result = std::get_if<ToolResult>(&part);
    if (!result) continue;
    for (auto& [call, answer] : exchanges)
      if (call.id == result->tool_use_id && !answer) answer = *result;
  }
}

// ai-panel's display records: input and result as text.
void Session::State::show_exchanges(Message& answer) {
  if (exchanges.empty() || answer.role != Role::assistant) return;
  std::string text = answer.metadata.is_object() ? answer.metadata.str() : "{}";
  text.pop_back();
  detail::JsonWriter json(text);
  json.key("toolCalls").begin_array();
  for (auto const& [call, result] : exchanges) {
    json.begin_object().member("id", call.id).member("name", call.name).member("input", call.input.str());
    if (result) json.member("result", text_of_result(*result));
    json.end_object();
  }
  json.end_array().end_object();
  answer.metadata = RawJsonAccess::trust(std::move(text));
  exchanges.clear();
}

// Answers where among the held it stands.
std::size_t Session::State::hold(Entry entry, bool kept) {
  bool const behind_kept = kept && !held.empty() && held.back().kept;
  Message* const results = behind_kept && dialect->joins_results ? only_results(held.back().entry) : nullptr;
  Message* const more = results ? only_results(entry) : nullptr;
  bool const joins = profile.orphan_user == OrphanUser::join && behind_kept;
  std::string* const before = joins ? only_user_text(held.back().entry) : nullptr;
  std::string* const now = joins ? only_user_text(entry) : nullptr;
  if (more)
    detail::join_results(*results, std::move(*more));
  else if (before && now)
    *before = fmt::format("{}\n\n{}", detail::trimmed(*before), detail::trimmed(*now));
  else
    held.push_back({std::move(entry), kept});
  return held.size() - 1;
}

Result<std::vector<EntryId>> Session::State::append_messages(std::vector<Message> const& messages,
                                                             AppendOptions const& named) {
  Message const& last = messages.back();
  bool const is_final = last.role == Role::assistant && last.tool_uses().empty();
  Plan const plan{named.id, named.ends_turn || (!in_turn && is_final), options.on_conflict};
  bool const plain = profile.timing == WriteTiming::incremental && profile.tools == ToolPolicy::full;
  bool const may_wait =
      dialect->joins_results && std::any_of(messages.begin(), messages.end(), detail::is_only_results);
  if (!plain || may_wait || !held.empty()) return say(messages, plan);
  std::vector<EntryBody> bodies;
  for (Message const& message : messages)
    for (Message& one : dialect->split(message)) bodies.emplace_back(std::move(one));
  return append(std::move(bodies), plan);
}

Result<std::vector<EntryId>> Session::State::say(std::vector<Message> const& messages, Plan const& plan) {
  if (auto checked = check(plan); !checked) return checked.error();
  auto const held_before = held;
  auto const exchanges_before = exchanges;
  std::vector<EntryBody> bodies;
  std::vector<bool> kept;
  for (Message const& message : messages) {
    bool const keep = detail::is_kept(message, profile.tools);
    note_exchanges(message);
    for (Message& one : dialect->split(message)) {
      if (keep) show_exchanges(one);
      bodies.emplace_back(std::move(one));
      kept.push_back(keep);
    }
  }
  Result<std::vector<Entry>> entries = draft(std::move(bodies), plan.id);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; entries && i < entries->size(); ++i)
    places.push_back(hold(std::move((*entries)[i]), kept[i]));

  Result<bool> const waits = entries && !plan.durable ? awaits_results() : Result<bool>(false);
  bool const now = (profile.timing == WriteTiming::incremental && waits && !*waits)
                   || (profile.timing == WriteTiming::turn_atomic && plan.durable);
  Result<std::vector<EntryId>> stored = std::vector<EntryId>{};
  if (!waits) stored = waits.error();
  if (entries && now) stored = flush(plan);
  if (!entries || !stored) { // as before, so that the call may be repeated
    held = held_before;
    exchanges = exchanges_before;
    return entries ? stored.error() : entries.error();
  }
  if (!now) held_named = held_named || plan.id.has_value();
  std::vector<EntryId> ids;
  ids.reserve(places.size());
  for (std::size_t const place : places)
    ids.push_back(now ? (*stored)[place] : dialect->has_ids ? held[place].entry.id : EntryId{});
  return ids;
}

// A program that keeps one of several messages in a row would lose the others' results.
Result<bool> Session::State::awaits_results() {
  if (!dialect->joins_results || held.empty() || !held.back().kept) return false;
  Message const* const results = only_results(held.back().entry);
  if (!results) return false;
  std::vector<std::string> calls;
  if (held.size() > 1) {
    if (auto const* message = held[held.size() - 2].entry.as<Message>())
      for (ToolUse const* call : message->tool_uses()) calls.push_back(call->id);
  } else {
    if (!calls_before) {
      Result<std::vector<std::string>> before = unanswered_calls();
      if (!before) return before.error();
      calls_before = std::move(*before);
    }
    calls = *calls_before;
  }
  auto const is_answered = [&](std::string const& call) {
    return std::any_of(results->parts.begin(), results->parts.end(),
                       [&](Part const& part) { return std::get<ToolResult>(part).tool_use_id == call; });
  };
  return !std::all_of(calls.begin(), calls.end(), is_answered);
}

// Those of the answer that stands last in the log.
Result<std::vector<std::string>> Session::State::unanswered_calls() {
  std::vector<std::string> calls, answered;
  if (leaf.empty()) return calls;
  Result<detail::WalkResult> const walked =
      detail::walk_path(*store, id, leaf, [&](RecordPage const& page, RecordPage::Item const& item) {
        Result<Entry> const entry = decode(page, item);
        auto const* message = entry ? entry->as<Message>() : nullptr;
        if (!message) return true;
        for (ToolUse const* call : message->tool_uses()) calls.push_back(call->id);
        if (!detail::is_only_results(*message)) return false;
        for (Part const& part : message->parts) answered.push_back(std::get<ToolResult>(part).tool_use_id);
        return true;
      });
  if (!walked) return walked.error();
  calls.erase(std::remove_if(calls.begin(), calls.end(),
                             [&](std::string const& call) {
                               return std::find(answered.begin(), answered.end(), call) != answered.end();
                             }),
              calls.end());
  return calls;
}

Result<void> Session::State::store_waiting() {
  if (profile.timing != WriteTiming::incremental || held.empty()) return {};
  Result<std::vector<EntryId>> const stored = flush({{}, false, options.on_conflict});
  if (!stored) return stored.error();
  return {};
}

// Answers an id for each of the held.
Result<std::vector<EntryId>> Session::State::flush(Plan plan) {
  std::vector<Entry> kept;
  for (Unstored const& one : held)
    if (one.kept) kept.push_back(one.entry);
  if (held_named && !plan.id) plan.id = held.back().entry.id; // some of it may stand already
  EntryId after = leaf;
  Result<std::vector<EntryId>> stored = std::vector<EntryId>{};
  if (!kept.empty()) stored = store_drafts(std::move(kept), plan);
  if (!stored) return stored;
  std::vector<EntryId> ids;
  auto next = stored->begin();
  for (Unstored& one : held) {
    if (one.kept) {
      ids.push_back(after = *next++);
    } else {
      ids.push_back(one.entry.id);
      aside.push_back({std::move(one.entry), false, after});
    }
  }
  held.clear();
  calls_before.reset();
  held_named = false;
  held_before_turn = 0;
  return ids;
}

void Session::State::begin_turn() {
  in_turn = true;
  held_before_turn = held.size();
  aside_before_turn = aside.size();
  writes_before_turn = writes;
}

Result<void> Session::State::end_turn() {
  if (profile.timing == WriteTiming::never) return {};
  bool const writes_now = std::any_of(held.begin(), held.end(), [](Unstored const& one) { return one.kept; });
  if (!held.empty()) {
    Plan const plan{{}, true, options.on_conflict};
    if (auto checked = check(plan); !checked) return checked;
    Result<std::vector<EntryId>> const stored = flush(plan);
    if (!stored) return stored.error();
  }
  return writes_now ? Result<void>{} : sync();
}

void Session::State::drop_turn() {
  auto const begin = held.begin() + static_cast<std::ptrdiff_t>(std::min(held_before_turn, held.size()));
  bool const keeps_user = profile.orphan_user == OrphanUser::join;
  held.erase(std::remove_if(begin, held.end(),
                            [&](Unstored& one) {
                              return !(keeps_user && one.kept && only_user_text(one.entry) != nullptr);
                            }),
             held.end());
  aside.resize(std::min(aside_before_turn, aside.size()), Unstored{Entry{}, false});
  exchanges.clear();
}

bool Session::State::left_no_trace() const noexcept {
  bool const holds_back = profile.timing != WriteTiming::incremental;
  return holds_back && writes == writes_before_turn;
}

void Session::State::complete(Context& context) const {
  if (held.empty() && aside.empty()) return;
  std::vector<Entry> all;
  std::size_t const after_compaction = context.after_compaction;
  std::unordered_map<std::string, std::vector<Entry const*>> behind;
  for (Unstored const& one : aside) behind[one.after.str()].push_back(&one.entry);
  auto const add_aside = [&](EntryId const& after) {
    auto const found = behind.find(after.str());
    if (found != behind.end())
      for (Entry const* entry : found->second) all.push_back(*entry);
  };
  if (!context.compaction) add_aside(EntryId{});
  for (std::size_t i = 0; i < context.entries.size(); ++i) {
    if (i == after_compaction) context.after_compaction = all.size();
    EntryId const own = context.entries[i].id;
    all.push_back(std::move(context.entries[i]));
    add_aside(own);
  }
  for (Unstored const& one : held) all.push_back(one.entry);
  if (after_compaction >= context.entries.size() && context.compaction)
    context.after_compaction = all.size() - held.size();
  context.entries = std::move(all);
}

}}
