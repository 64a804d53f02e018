// SPDX-License-Identifier: MIT
// Arranges what was said on a path as the items of a screen.
#pragma once
#include <sessionkit/conversation.hpp>
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/dialect.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

namespace sessionkit { inline namespace v0 {

namespace conversation_inl { namespace {

using detail::Standing;

// What a request has, by the ids of the context and the history that it is made of.
class RequestView {
 public:
  RequestView(Context const& context, History const* history) : context_(context), history_(history) {
    for (Entry const& entry : context.entries) counts_.insert(entry.id.str());
    if (history == nullptr) return;
    for (EntryId const& source : history->sources) said_.insert(source.str());
    for (PartSource const& source : history->part_sources) said_.insert(source.entry.str());
  }

  InRequest mark(Entry const& entry) const {
    if (context_.compaction && context_.compaction->id == entry.id) return InRequest::sent;
    if (entry.as<Compaction>() || counts_.count(entry.id.str()) == 0) return InRequest::compacted;
    auto const* custom = entry.as<CustomMessage>();
    if (custom && !custom->in_context) return InRequest::left_out;
    auto const* message = entry.as<Message>();
    bool const instructs = message && message->role == Role::system;
    bool const said = history_ == nullptr || instructs || said_.count(entry.id.str()) > 0;
    return said ? InRequest::sent : InRequest::left_out;
  }

 private:
  Context const& context_;
  History const* history_;
  std::unordered_set<std::string_view> counts_, said_;
};

// Collects the items, and gives each call its result.
class ItemBuilder {
 public:
  void add(Entry entry, InRequest mark) {
    items_.push_back({std::move(entry), mark});
    take_results(items_.size() - 1, true);
  }

  std::vector<ConversationItem> finish() && {
    for (std::size_t item = 0; item < items_.size(); ++item) take_results(item, false);
    std::vector<ConversationItem> shown;
    shown.reserve(items_.size());
    for (std::size_t item = 0; item < items_.size(); ++item) {
      if (emptied_.count(item) > 0) continue;
      place_calls(items_[item]);
      shown.push_back(std::move(items_[item]));
    }
    return shown;
  }

 private:
  // A call that has no result yet.
  struct OpenCall {
    std::size_t item, exchange; // index of its item, and in `ConversationItem::tools`
    std::string name;
  };

  // Moves results out of a message to their calls. The first time, calls before them are searched, and the
  // message's own calls are noted. The second time, when all calls are known, calls after them: some programs
  // write a result first.
  SESSIONKIT_SELDOM void take_results(std::size_t item, bool first_time) {
    auto* const message = std::get_if<Message>(&items_[item].entry.body);
    if (message == nullptr) return;
    std::vector<Part> rest;
    rest.reserve(message->parts.size());
    for (Part& part : message->parts) {
      if (auto* const call = first_time ? std::get_if<ToolUse>(&part) : nullptr) {
        open_[call->id].push_back({item, items_[item].tools.size(), call->name});
        items_[item].tools.emplace_back();
      }
      auto* const result = std::get_if<ToolResult>(&part);
      if (result == nullptr || !answers(*result, item, first_time)) rest.push_back(std::move(part));
    }
    if (rest.empty() && !message->parts.empty()) emptied_.insert(item);
    message->parts = std::move(rest);
  }

  bool answers(ToolResult& result, std::size_t item, bool first_time) {
    auto const found = open_.find(result.tool_use_id);
    if (found == open_.end() || found->second.empty()) return false;
    std::vector<OpenCall>& calls = found->second;
    // The newest answer with such a call, or the first one after the result.
    auto const is_later = [item](OpenCall const& call) { return call.item > item; };
    auto chosen = first_time ? calls.end() - 1 : std::find_if(calls.begin(), calls.end(), is_later);
    if (chosen == calls.end()) return false;
    std::size_t const answer = chosen->item;
    // In this answer the call of the tool that the result names, or the first one.
    auto const of_answer = [answer](OpenCall const& call) { return call.item == answer; };
    chosen = std::find_if(calls.begin(), calls.end(), of_answer);
    auto const named = std::find_if(chosen, calls.end(), [&](OpenCall const& call) {
      return of_answer(call) && call.name == result.tool_name;
    });
    if (named != calls.end()) chosen = named;
    ToolExchange& exchange = items_[answer].tools[chosen->exchange];
    exchange.result = std::move(result);
    exchange.entry = items_[item].entry.id;
    exchange.at = items_[item].entry.at;
    calls.erase(chosen);
    return true;
  }

  // Sets `ToolExchange::part`, when the parts have their final places.
  static void place_calls(ConversationItem& item) {
    if (item.tools.empty()) return;
    auto const& parts = std::get<Message>(item.entry.body).parts;
    auto exchange = item.tools.begin();
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (std::holds_alternative<ToolUse>(parts[part])) (exchange++)->part = part;
  }

  std::vector<ConversationItem> items_;
  std::unordered_map<std::string, std::vector<OpenCall>> open_;
  std::unordered_set<std::size_t> emptied_;
};

bool is_shown(Entry const& entry) {
  if (auto const* custom = entry.as<CustomMessage>()) return custom->is_shown();
  return entry.as<Message>() || entry.as<Compaction>() || entry.as<BranchSummary>();
}

SESSIONKIT_SELDOM std::vector<ConversationItem> items_of(std::vector<Entry> path, Context const& context,
                                                         History const* history) {
  RequestView const request(context, history);
  Dialect const* const dialect = find_dialect(context.dialect);
  bool const repeats = dialect != nullptr && !dialect->has_ids; // compactions write messages again
  std::vector<Standing> const standings =
      repeats ? detail::standings(path) : std::vector<Standing>(path.size());
  std::vector<std::size_t> first(path.size()); // where an entry was said first
  std::vector<InRequest> marks(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    first[i] = standings[i].kind == Standing::again ? first[standings[i].original] : i;
    if (standings[i].kind != Standing::cut_short) marks[first[i]] = request.mark(path[i]);
  }
  ItemBuilder builder;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (standings[i].kind == Standing::once && is_shown(path[i])) builder.add(std::move(path[i]), marks[i]);
  return std::move(builder).finish();
}

}}

std::vector<ConversationItem> conversation_of(std::vector<Entry> path, Context const& context) {
  return conversation_inl::items_of(std::move(path), context, nullptr);
}

std::vector<ConversationItem> conversation_of(std::vector<Entry> path, Context const& context,
                                              History const& history) {
  return conversation_inl::items_of(std::move(path), context, &history);
}

}}
