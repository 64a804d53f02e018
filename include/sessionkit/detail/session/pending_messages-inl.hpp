// SPDX-License-Identifier: MIT
// Holds messages back, joins them and drops them, as the profile and the dialect say.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/storable_answer.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/detail/model/tool_results.hpp>
#include <sessionkit/detail/session/pending_messages.hpp>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <variant>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace pending_messages_inl { namespace {

bool has_tool_results(Message const& message) noexcept {
  return std::any_of(message.parts.begin(), message.parts.end(),
                     [](Part const& part) { return std::holds_alternative<ToolResult>(part); });
}

// The text of an entry that consists of one text of the user and nothing else.
std::string* only_user_text(Entry& entry) noexcept {
  auto* message = std::get_if<Message>(&entry.body);
  if (!message || message->role != Role::user || message->parts.size() != 1) return nullptr;
  auto* text = std::get_if<Text>(&message->parts.front());
  return text ? &text->text : nullptr;
}

Message const* only_results(Entry const& entry) noexcept {
  auto const* message = std::get_if<Message>(&entry.body);
  return message && is_only_results(*message) ? message : nullptr;
}

// An answer of the model that has more than texts and calls without signatures and unknown members; null if
// it is, or if it is no answer.
Message const* answer_with_more_than_text(Entry const& entry) noexcept {
  auto const* message = entry.as<Message>();
  if (!message || message->role != Role::assistant) return nullptr;
  auto const is_plain = [](Part const& part) {
    auto const* text = std::get_if<Text>(&part);
    auto const* call = std::get_if<ToolUse>(&part);
    return text ? text->signature.empty() && text->extra.is_null() : call ? call->signature.empty() : false;
  };
  return std::all_of(message->parts.begin(), message->parts.end(), is_plain) ? nullptr : message;
}

std::string text_of_result(ToolResult const& result) {
  std::string text;
  for (ToolContent const& piece : result.content)
    if (auto const* said = std::get_if<Text>(&piece)) text += said->text;
  return text;
}

}}

bool is_kept(Message const& message, ToolPolicy policy) noexcept {
  if (policy == ToolPolicy::full) return true;
  return message.role != Role::tool && message.tool_uses().empty()
         && !pending_messages_inl::has_tool_results(message);
}

std::vector<PendingMessages::Draft> PendingMessages::prepare(std::vector<Message> const& messages,
                                                             Dialect const& dialect) {
  std::vector<Draft> drafts;
  for (Message const& message : messages) {
    bool const kept = is_kept(message, tools_);
    bool const in_loop = is_in_loop(message);
    note_exchanges(message);
    for (Message& one : dialect.split(message)) {
      if (kept) show_exchanges(one);
      drafts.push_back({std::move(one), kept, in_loop});
    }
  }
  return drafts;
}

void PendingMessages::note_exchanges(Message const& message) {
  if (tools_ != ToolPolicy::results) return;
  for (Part const& part : message.parts) {
    if (auto const* call = std::get_if<ToolUse>(&part)) exchanges_.emplace_back(*call, std::nullopt);
    auto const* result = std::get_if<ToolResult>(&part);
    if (!result) continue;
    for (auto& [call, answer] : exchanges_)
      if (call.id == result->tool_use_id && !answer) answer = *result;
  }
}

// ai-panel's display records hold input and result as text.
SESSIONKIT_SELDOM void PendingMessages::show_exchanges(Message& answer) {
  if (exchanges_.empty() || answer.role != Role::assistant) return;
  std::string text = answer.metadata.is_object() ? answer.metadata.str() : "{}";
  text.pop_back();
  JsonWriter json(text);
  json.key("toolCalls").begin_array();
  for (auto const& [call, result] : exchanges_) {
    json.begin_object().member("id", call.id).member("name", call.name).member("input", call.input.str());
    if (result) json.member("result", pending_messages_inl::text_of_result(*result));
    json.end_object();
  }
  json.end_array().end_object();
  answer.metadata = RawJsonAccess::trust(std::move(text));
  exchanges_.clear();
}

std::size_t PendingMessages::hold(Entry entry, Draft const& draft, Dialect const& dialect) {
  using namespace pending_messages_inl;
  std::optional<Message> line;
  std::vector<std::string> left_out;
  if (auto const* answer = draft.kept ? answer_with_more_than_text(entry) : nullptr) {
    line = *answer;
    left_out = make_storable(*line, dialect);
    if (left_out.empty()) line.reset();
  }
  bool const says_nothing = line && line->parts.empty();
  bool const kept = draft.kept && !says_nothing;
  Entry* const last = kept && !held_.empty() && held_.back().kept ? &held_.back().entry : nullptr;
  bool const joins_results =
      last && dialect.joins_results && only_results(*last) != nullptr && only_results(entry) != nullptr;
  std::string* const before = last && joins_users_ ? only_user_text(*last) : nullptr;
  std::string* const now = before ? only_user_text(entry) : nullptr;
  if (joins_results)
    join_results(std::get<Message>(last->body), std::get<Message>(std::move(entry.body)));
  else if (now)
    *before = format_text("{}\n\n{}", trimmed(*before), trimmed(*now));
  else
    held_.push_back(
        {std::move(entry), kept, {}, draft.in_loop, says_nothing, std::move(line), std::move(left_out)});
  return held_.size() - 1;
}

bool PendingMessages::holds_kept() const noexcept {
  return std::any_of(held_.begin(), held_.end(), [](Pending const& one) { return one.kept; });
}

bool PendingMessages::holds(EntryId const& id) const noexcept {
  return std::any_of(held_.begin(), held_.end(), [&](Pending const& one) { return one.entry.id == id; });
}

std::vector<Entry> PendingMessages::kept() const {
  std::vector<Entry> entries;
  for (Pending const& one : held_)
    if (one.kept) {
      entries.emplace_back(Entry(one.entry));
      if (one.line) entries.back().body = *one.line;
    }
  return entries;
}

std::optional<EntryId> PendingMessages::named() const {
  return named_ && !held_.empty() ? std::optional(held_.back().entry.id) : std::nullopt;
}

SESSIONKIT_SELDOM PendingMessages::Snapshot PendingMessages::snapshot() const {
  Snapshot now;
  now.held_ = held_;
  now.exchanges_ = exchanges_;
  return now;
}

void PendingMessages::restore(Snapshot before) {
  held_ = std::move(before.held_);
  exchanges_ = std::move(before.exchanges_);
}

bool PendingMessages::ends_in_results(Dialect const& dialect) const noexcept {
  return dialect.joins_results && !held_.empty() && held_.back().kept
         && pending_messages_inl::only_results(held_.back().entry) != nullptr;
}

bool PendingMessages::needs_stored_calls(Dialect const& dialect) const noexcept {
  return ends_in_results(dialect) && held_.size() == 1 && !stored_calls_;
}

// A program that keeps only one of several messages in a row would lose the results of the others.
bool PendingMessages::awaits_results(Dialect const& dialect) const {
  if (!ends_in_results(dialect)) return false;
  std::vector<std::string> calls;
  if (held_.size() == 1 && stored_calls_) calls = *stored_calls_;
  if (held_.size() > 1)
    if (auto const* message = held_[held_.size() - 2].entry.as<Message>())
      for (ToolUse const* call : message->tool_uses()) calls.push_back(call->id);
  Message const& results = *pending_messages_inl::only_results(held_.back().entry);
  auto const is_answered = [&](std::string const& call) {
    return std::any_of(results.parts.begin(), results.parts.end(),
                       [&](Part const& part) { return std::get<ToolResult>(part).tool_use_id == call; });
  };
  return !std::all_of(calls.begin(), calls.end(), is_answered);
}

std::vector<EntryId> PendingMessages::release(std::vector<EntryId> const& stored, EntryId after) {
  std::vector<EntryId> ids;
  ids.reserve(held_.size());
  auto next = stored.begin();
  std::vector<std::string> names; // left out of the line that comes next
  for (Pending& one : held_) {
    bool const in_loop = one.in_loop;
    std::move(one.left_out.begin(), one.left_out.end(), std::back_inserter(names));
    if (one.kept) {
      ids.push_back(after = *next++);
      note_left_out(names, after, in_loop);
      if (one.line) loop_.push_back({after, std::get<Message>(std::move(one.entry.body))});
    } else {
      ids.push_back(one.entry.id);
      one.after = after;
      aside_.push_back(std::move(one));
    }
    if (!in_loop) {
      note_left_out(names, after, false);
      end_loop();
    }
  }
  note_left_out(names, after, true);
  held_.clear();
  stored_calls_.reset();
  named_ = false;
  held_before_turn_ = 0;
  return ids;
}

SESSIONKIT_SELDOM void PendingMessages::note_left_out(std::vector<std::string>& names, EntryId const& entry,
                                                      bool was_sent) {
  for (std::string& name : names) left_out_.push_back({entry, std::move(name), was_sent});
  names.clear();
}

SESSIONKIT_SELDOM void PendingMessages::end_loop() {
  left_out_before_loop_ = left_out_.size();
  loop_.clear();
  auto const is_over = [](Pending const& one) { return one.until_loop_ends; };
  auto const turn = aside_.begin() + static_cast<std::ptrdiff_t>(std::min(aside_before_turn_, aside_.size()));
  aside_before_turn_ -= static_cast<std::size_t>(std::count_if(aside_.begin(), turn, is_over));
  aside_.erase(std::remove_if(aside_.begin(), aside_.end(), is_over), aside_.end());
}

void PendingMessages::begin_turn() noexcept {
  held_before_turn_ = held_.size();
  aside_before_turn_ = aside_.size();
}

SESSIONKIT_SELDOM void PendingMessages::drop_turn(bool keeps_unanswered) {
  auto const begin = held_.begin() + static_cast<std::ptrdiff_t>(std::min(held_before_turn_, held_.size()));
  auto const is_unanswered = [&](Pending& one) {
    return joins_users_ && one.kept && pending_messages_inl::only_user_text(one.entry) != nullptr;
  };
  auto const goes = [&](Pending& one) { return !is_unanswered(one); };
  held_.erase(std::remove_if(begin, held_.end(), goes), held_.end());
  if (!keeps_unanswered) // the turn's text may be joined with one from before it
    held_.erase(std::remove_if(held_.begin(), held_.end(), is_unanswered), held_.end());
  aside_.resize(std::min(aside_before_turn_, aside_.size()), Pending{Entry{}, false});
  end_loop();
  exchanges_.clear();
}

SESSIONKIT_SELDOM bool PendingMessages::visit_held(std::function<bool(Entry const&)> const& visit) const {
  return std::all_of(held_.rbegin(), held_.rend(), [&](Pending const& one) { return visit(one.entry); });
}

SESSIONKIT_SELDOM bool PendingMessages::visit_aside(EntryId const& after,
                                                    std::function<bool(Entry const&)> const& visit) const {
  return std::all_of(aside_.rbegin(), aside_.rend(),
                     [&](Pending const& one) { return one.after != after || visit(one.entry); });
}

SESSIONKIT_SELDOM bool
PendingMessages::visit_all_aside(std::function<bool(Entry const&)> const& visit) const {
  return std::all_of(aside_.rbegin(), aside_.rend(), [&](Pending const& one) { return visit(one.entry); });
}

SESSIONKIT_SELDOM Entry PendingMessages::as_said(Entry entry) const {
  for (LoopView const& view : loop_)
    if (view.entry == entry.id) entry.body = view.message;
  return entry;
}

SESSIONKIT_SELDOM void PendingMessages::add_to(Context& context) const {
  context.left_out.assign(left_out_.begin(),
                          left_out_.begin() + static_cast<std::ptrdiff_t>(left_out_before_loop_));
  for (LoopView const& view : loop_) {
    auto const stored = std::find_if(context.entries.rbegin(), context.entries.rend(),
                                     [&](Entry const& entry) { return entry.id == view.entry; });
    if (stored != context.entries.rend()) stored->body = view.message;
  }
  if (held_.empty() && aside_.empty()) return;
  std::vector<Entry> all;
  std::size_t const after_compaction = context.after_compaction;
  std::unordered_map<std::string, std::vector<Entry const*>> followers;
  for (Pending const& one : aside_) followers[one.after.str()].push_back(&one.entry);
  auto const add_aside = [&](EntryId const& after) {
    auto const found = followers.find(after.str());
    if (found != followers.end())
      for (Entry const* entry : found->second) all.emplace_back(Entry(*entry));
  };
  if (!context.compaction) add_aside(EntryId{});
  for (std::size_t i = 0; i < context.entries.size(); ++i) {
    if (i == after_compaction) context.after_compaction = all.size();
    EntryId const own = context.entries[i].id;
    all.push_back(std::move(context.entries[i]));
    add_aside(own);
  }
  for (Pending const& one : held_) all.emplace_back(Entry(one.entry));
  if (after_compaction >= context.entries.size() && context.compaction)
    context.after_compaction = all.size() - held_.size();
  context.entries = std::move(all);
}

void PendingMessages::remove_from(Context& context) const {
  if (held_.empty() && aside_.empty()) return;
  auto const is_pending = [&](Entry const& entry) {
    auto const is_it = [&](Pending const& one) { return one.entry.id == entry.id; };
    return std::any_of(held_.begin(), held_.end(), is_it) || std::any_of(aside_.begin(), aside_.end(), is_it);
  };
  auto& entries = context.entries;
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_pending), entries.end());
}

}}}
