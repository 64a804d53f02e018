// SPDX-License-Identifier: MIT
// Plans a compaction: whether it is due, where it cuts the context, and what it summarises.
#pragma once
#include <sessionkit/compaction.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/compaction/breaker.hpp>
#include <sessionkit/detail/compaction/compaction.hpp>
#include <sessionkit/detail/compaction/compaction_facts.hpp>
#include <sessionkit/detail/compaction/conversation_text.hpp>
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/detail/history/structural_rules.hpp>
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/detail/model/token_counts.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace compaction_inl { namespace {

using detail::Voice;

constexpr std::size_t most_summary_tokens = 8000, usual_summary_tokens = 2000, most_fact_tokens = 2000;

// Marks each entry before which a cut would separate a call from its result, as `valid` histories pair them.
std::vector<bool> parted_by_cuts(Context const& context) {
  std::vector<std::ptrdiff_t> opened(context.entries.size() + 2);
  for (auto const& [call, result] : detail::paired_entries(context)) {
    ++opened[std::min(call, result) + 1];
    --opened[std::max(call, result) + 1];
  }
  std::vector<bool> parted(context.entries.size() + 1);
  std::ptrdiff_t open = 0;
  for (std::size_t i = 0; i < parted.size(); ++i) parted[i] = (open += opened[i]) > 0;
  return parted;
}

// How many tokens may stay.
struct Room {
  std::size_t most;  // if the rule keeps so much, it is followed
  std::size_t usual; // else
};

// The entries of a context, as the search for a cut sees them.
class Cutter {
 public:
  Cutter(Context const& context, CompactionPolicy const& policy)
      : context_(context), policy_(policy), parted_(parted_by_cuts(context)) {
    std::size_t const count = context.entries.size();
    voices_.reserve(count);
    for (Entry const& entry : context.entries) voices_.push_back(detail::voice_of(entry));
    tokens_from_.resize(count + 1);
    for (std::size_t i = count; i-- > 0;)
      tokens_from_[i] = tokens_from_[i + 1] + estimate_tokens(context.entries[i], policy.estimator);
  }

  Voice voice(std::size_t i) const { return voices_[i]; }
  std::size_t tokens_from(std::size_t i) const { return tokens_from_[i]; }
  std::size_t messages(std::size_t begin, std::size_t end) const {
    auto const from = voices_.begin() + static_cast<std::ptrdiff_t>(begin);
    auto const to = voices_.begin() + static_cast<std::ptrdiff_t>(std::max(begin, end));
    return static_cast<std::size_t>(std::count_if(from, to, [](Voice v) { return v != Voice::silent; }));
  }
  bool has_user() const {
    return context_.compaction || std::find(voices_.begin(), voices_.end(), Voice::user) != voices_.end();
  }

  struct Cut {
    std::size_t at;  ///< the first entry to keep; 0: all
    bool keeps_less; ///< than the rule, which would keep too much
  };
  /// The cut of the rule, if at most `most` tokens stay; else one by which `room` tokens stay, where
  /// possible.
  Cut find(std::optional<Room> const& room) const {
    std::size_t cut = by_rule();
    bool const too_much = room && tokens_from_[cut] > room->most;
    std::size_t const fits = too_much ? within(cut, room->usual) : cut;
    return {fits == voices_.size() ? fits : with_silent_before(fits), fits != cut};
  }

  /// Where the turn begins that a cut before entry `cut` splits; `cut` if it splits none.
  std::size_t parted_turn(std::size_t cut) const {
    if (cut == voices_.size()) return cut;
    std::size_t first = cut;
    while (first < voices_.size() && voices_[first] == Voice::silent) ++first;
    if (first < voices_.size() && voices_[first] == Voice::user) return cut;
    for (std::size_t i = std::min(first + 1, voices_.size()); i-- > 0;)
      if (voices_[i] == Voice::user || voices_[i] == Voice::other) return i >= cut ? cut : i;
    return cut;
  }

 private:
  bool may_cut(std::size_t i) const {
    return voices_[i] != Voice::silent && voices_[i] != Voice::result && !parted_[i];
  }
  bool begins_turn(std::size_t i) const { return voices_[i] == Voice::user && !parted_[i]; }

  std::size_t turn_at_or_before(std::size_t i) const {
    while (i > 0 && !begins_turn(i)) --i;
    return i;
  }

  std::size_t by_rule() const {
    std::size_t const n = std::max<std::size_t>(policy_.keep.count, 1);
    if (policy_.keep.by == KeepRule::tokens) return by_tokens(policy_.keep.count);
    bool const turns = policy_.keep.by == KeepRule::turns;
    if (turns && policy_.keep.count == 0) return voices_.size();
    std::size_t met = 0;
    for (std::size_t i = voices_.size(); i-- > 0;)
      if ((turns ? voices_[i] == Voice::user : voices_[i] != Voice::silent) && ++met == n)
        return turn_at_or_before(i);
    return 0;
  }

  // As in pi: the last entry from which on enough is kept; if no cut may be there, the next place for one.
  std::size_t by_tokens(std::size_t n) const {
    std::size_t at = voices_.size();
    do {
      if (at == 0) return 0;
      --at;
    } while (voices_[at] == Voice::silent || tokens_from_[at] < n);
    std::size_t cut = at;
    while (cut < voices_.size() && !may_cut(cut)) ++cut;
    if (cut == voices_.size())
      for (cut = at; cut > 0 && !may_cut(cut);) --cut;
    return policy_.split_turns ? cut : turn_at_or_before(cut);
  }

  std::size_t within(std::size_t cut, std::size_t room) const {
    std::size_t last_turn = cut;
    for (std::size_t i = cut; i < voices_.size(); ++i) {
      if (i != cut && !begins_turn(i)) continue;
      last_turn = i;
      if (tokens_from_[i] <= room) return i;
    }
    if (!policy_.split_turns) return last_turn;
    std::size_t best = last_turn;
    for (std::size_t i = last_turn; i < voices_.size(); ++i) {
      if (!may_cut(i)) continue;
      best = i;
      if (tokens_from_[i] <= room) break;
    }
    return best;
  }

  std::size_t with_silent_before(std::size_t cut) const {
    auto const says_nothing = [&](std::size_t i) {
      Entry const& entry = context_.entries[i];
      return voices_[i] == Voice::silent && !entry.as<CustomMessage>() && !entry.as<Compaction>();
    };
    while (cut > 0 && says_nothing(cut - 1) && !(context_.compaction && cut == context_.after_compaction))
      --cut;
    return cut;
  }

  Context const& context_;
  CompactionPolicy const& policy_;
  std::vector<bool> parted_;
  std::vector<Voice> voices_ = {};
  std::vector<std::size_t> tokens_from_ = {}; ///< tokens of entry i and all entries after it
};

// Has there been an answer or a question since the last compaction? Without this check a compaction would be
// requested again and again.
bool went_on_since(Context const& context) {
  for (std::size_t i = context.after_compaction; i < context.entries.size(); ++i) {
    if (detail::is_kept_again(context.entries[i])) continue;
    if (detail::voice_of(context.entries[i]) == Voice::user) return true;
    auto const* message = context.entries[i].as<Message>();
    if (!message || message->role != Role::assistant) continue;
    StopReason const stop = message->generation ? message->generation->stop : StopReason::end_turn;
    if (stop != StopReason::error && stop != StopReason::aborted) return true;
  }
  return false;
}

bool has_reason(Context const& context, CompactionPolicy const& policy, CompactionReason reason,
                std::size_t tokens) {
  if (reason == CompactionReason::manual) return true;
  if (reason == CompactionReason::context_exceeded) return !context.compaction || went_on_since(context);
  std::optional<std::size_t> const limit = limit_of(policy);
  return limit && tokens > *limit && !detail::breaker_is_open(context, policy, tokens, *limit);
}

std::size_t summary_room(CompactionPolicy const& policy) {
  std::optional<std::size_t> const limit = limit_of(policy);
  return policy.max_summary_tokens != 0 ? policy.max_summary_tokens
         : limit                        ? std::min(most_summary_tokens, *limit / 8)
                                        : usual_summary_tokens;
}

// What the rule keeps must leave room for a summary, and for the saving that the breaker asks for. Where it
// does not, half of what the limit leaves for messages may stay, so that the next compaction is far. The same
// holds after a refusal. `estimated`: the part of `tokens` that is messages; the rest is system prompt, tools
// and estimation error.
std::optional<Room> room_for(CompactionPolicy const& policy, CompactionReason reason, std::size_t tokens,
                             std::size_t estimated) {
  std::optional<std::size_t> limit = limit_of(policy);
  if (reason == CompactionReason::context_exceeded) limit = std::min(limit.value_or(tokens), tokens);
  if (!limit) return std::nullopt;
  std::size_t const others = tokens - std::min(tokens, estimated), left = *limit - std::min(*limit, others);
  std::size_t const usual = std::max(left / 2, *limit / 8);
  if (reason == CompactionReason::context_exceeded || policy.keep.by != KeepRule::turns)
    return Room{usual, usual};
  std::size_t const percent = 100 - std::min(policy.min_saved_percent, 100U);
  std::size_t const unsaved = left / 100 * percent + left % 100 * percent / 100;
  std::size_t const summary = std::min(summary_room(policy), usual_summary_tokens);
  return Room{std::max(unsaved - std::min(unsaved, summary), usual), usual};
}

// How many tokens of a conversation fit into a request for a summary, besides the prompt and the previous
// summary; 0: there is no limit.
std::size_t conversation_room(CompactionPolicy const& policy) {
  if (policy.max_request_tokens != 0) return policy.max_request_tokens;
  std::optional<std::size_t> const limit = limit_of(policy);
  if (!limit) return 0;
  SummaryRequest around;
  around.words = policy.prompt;
  around.focus = policy.focus;
  around.previous_summary = " ";
  around.split_turn = true;
  std::size_t const words = estimate_tokens(around.system()) + estimate_tokens(around.prompt());
  std::size_t const others = words + summary_room(policy);
  return std::max({*limit - std::min(*limit, others), *limit / 4, std::size_t{1}});
}

// The text of the entries, split into requests that are not too long.
std::vector<std::string> conversations(std::vector<Entry> const& entries, std::size_t begin, std::size_t turn,
                                       std::size_t end, CompactionPolicy const& policy) {
  SummaryPrompt const& words = policy.prompt ? *policy.prompt : *find_prompt("structured");
  std::vector<std::string> pieces;
  std::vector<detail::SplitItem> items;
  for (std::size_t i = begin; i < end; ++i) {
    std::string piece;
    if (i == turn && i != begin && !words.split_mark.empty()) piece = words.split_mark;
    detail::append_conversation(piece, entries[i], words);
    if (piece.empty()) continue;
    detail::SplitItem item{estimate_tokens(piece)};
    if (auto const* message = entries[i].as<Message>()) {
      item.answers = message->role == Role::assistant;
      for (ToolUse const* call : message->tool_uses())
        if (!call->id.empty()) item.opens.push_back(call->id);
      auto const* result =
          message->parts.empty() ? nullptr : std::get_if<ToolResult>(&message->parts.front());
      if (result) item.is_result = true, item.closes = result->tool_use_id;
    }
    pieces.push_back(std::move(piece));
    items.push_back(std::move(item));
  }
  std::size_t const most = conversation_room(policy);
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> const parts = most == 0
                                             ? std::vector<std::size_t>{pieces.size()}
                                             : detail::split_by_tokens(items, static_cast<double>(most), any);
  std::vector<std::string> all;
  std::size_t next = 0;
  for (std::size_t const count : parts) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i, ++next) {
      if (!text.empty()) text += words.between;
      text += pieces[next];
    }
    if (most == 0)
      all.push_back(std::move(text));
    else
      for (std::string& part : detail::parts_of(std::move(text), most)) all.push_back(std::move(part));
  }
  if (all.empty()) all.emplace_back(); // there are only images
  return all;
}

EntryId last_message(Cutter const& cutter, Context const& context, std::size_t end) {
  while (end > 0 && cutter.voice(end - 1) == Voice::silent) --end;
  return end > 0 ? context.entries[end - 1].id : EntryId{};
}

}}

namespace detail {

detail::Voice voice_of(Entry const& entry) noexcept {
  if (auto const* message = entry.as<Message>()) {
    auto const is_result = [](Part const& part) { return std::holds_alternative<ToolResult>(part); };
    bool const results =
        !message->parts.empty() && std::all_of(message->parts.begin(), message->parts.end(), is_result);
    switch (message->role) {
    case Role::assistant: return detail::Voice::answer;
    case Role::tool: return detail::Voice::result;
    case Role::user: return results ? detail::Voice::result : detail::Voice::user;
    case Role::system: break;
    }
    return detail::Voice::other;
  }
  if (auto const* custom = entry.as<CustomMessage>())
    return custom->in_context ? detail::Voice::other : detail::Voice::silent;
  if (auto const* branch = entry.as<BranchSummary>())
    return is_blank(branch->summary) ? detail::Voice::silent : detail::Voice::other;
  return detail::Voice::silent;
}

}

std::size_t estimate_tokens(Entry const& entry, TokenEstimator const& estimator) {
  auto const count = [&](Message const& message) {
    return estimator ? estimator(message) : estimate_tokens(message);
  };
  if (auto const* message = entry.as<Message>()) return count(*message);
  if (auto const* branch = entry.as<BranchSummary>()) return count(user(branch->summary));
  auto const* custom = entry.as<CustomMessage>();
  if (!custom || !custom->in_context) return 0;
  Message said;
  for (ToolContent const& piece : custom->content)
    detail::visit([&](auto const& part) { said.parts.emplace_back(part); }, piece);
  return count(said);
}

SESSIONKIT_SELDOM CompactionPolicy make_compaction_policy(Profile const& profile) {
  CompactionPolicy policy;
  policy.trigger_tokens = profile.compaction.trigger_tokens;
  policy.keep = profile.compaction.keep;
  policy.prompt = find_prompt(profile.compaction.prompt);
  if (Estimator const* estimator = find_estimator(profile.estimator)) policy.estimator = estimator->message;
  return policy;
}

std::optional<std::size_t> limit_of(CompactionPolicy const& policy) noexcept {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t limit = policy.trigger_tokens != 0 ? policy.trigger_tokens : none;
  if (policy.window != 0) limit = std::min(limit, policy.window);
  if (policy.window != 0 && policy.window_percent != 0)
    limit = std::min(limit, policy.window / 100 * policy.window_percent
                                + policy.window % 100 * policy.window_percent / 100);
  if (policy.window != 0 && policy.window_reserve != 0)
    limit = std::min(limit, policy.window - std::min(policy.window, policy.window_reserve));
  if (limit == none) return std::nullopt;
  return limit;
}

std::size_t count_tokens(Context const& context, TokenEstimator const& estimator) {
  std::size_t tokens = 0;
  for (std::size_t i = context.entries.size(); i-- > 0;) {
    auto const* message = context.entries[i].as<Message>();
    bool const fresh = !context.compaction || i >= context.after_compaction;
    if (message && fresh && detail::has_usable_count(*message))
      return tokens + detail::tokens_of(*message->generation->usage);
    tokens += estimate_tokens(context.entries[i], estimator);
  }
  auto const* compaction = context.compaction ? context.compaction->as<Compaction>() : nullptr;
  if (!compaction) return tokens;
  return tokens + detail::summary_tokens(compaction->summary, estimator);
}

SESSIONKIT_SELDOM std::optional<CompactionPlan>
plan_compaction(Context const& context, CompactionPolicy const& policy, CompactionReason reason) {
  std::size_t const tokens = count_tokens(context, policy.estimator);
  if (!compaction_inl::has_reason(context, policy, reason, tokens)) return std::nullopt;
  compaction_inl::Cutter const cutter(context, policy);
  auto const [cut, keeps_less] =
      cutter.find(compaction_inl::room_for(policy, reason, tokens, cutter.tokens_from(0)));
  std::size_t const removed = cutter.messages(0, cut);
  if (removed == 0 || !cutter.has_user()) return std::nullopt;
  std::size_t const turn = cutter.parted_turn(cut);

  CompactionPlan plan;
  plan.reason = reason;
  if (cut < context.entries.size()) plan.first_kept = context.entries[cut].id;
  plan.last_summarized = compaction_inl::last_message(cutter, context, cut);
  plan.turn_prefix = cutter.messages(turn, cut);
  plan.summarized = removed - plan.turn_prefix;
  plan.kept = cutter.messages(cut, context.entries.size());
  plan.keeps_less = keeps_less;
  plan.tokens_before = tokens;
  plan.tokens_kept = cutter.tokens_from(cut);
  plan.tokens_removed = cutter.tokens_from(0) - cutter.tokens_from(cut);
  plan.policy = policy;
  plan.conversations = compaction_inl::conversations(context.entries, 0, turn, cut, policy);
  detail::Facts facts;
  if (auto const* last = context.compaction ? context.compaction->as<Compaction>() : nullptr) {
    plan.previous = context.compaction->id;
    plan.tokens_removed += detail::summary_tokens(last->summary, policy.estimator);
    plan.previous_summary = last->summary;
    facts = detail::take_facts(plan.previous_summary);
    if (!last->from_hook) facts.add_details(last->details);
  }
  std::vector<std::vector<std::string_view>> answered(cut);
  for (auto const& [call, result] : detail::paired_entries(context))
    if (call < cut)
      for (Part const& part : context.entries[result].as<Message>()->parts)
        if (auto const* one = std::get_if<ToolResult>(&part)) answered[call].push_back(one->tool_use_id);
  for (std::size_t i = 0; i < cut; ++i) facts.add(context.entries[i], answered[i]);
  facts.settle();
  plan.read_files = std::move(facts.read_files);
  plan.modified_files = std::move(facts.modified_files);
  plan.calls = std::move(facts.calls);
  return plan;
}

SummaryRequest CompactionPlan::request(std::size_t part, std::string summary_so_far) const {
  SummaryRequest request;
  request.words = policy.prompt;
  request.conversation = conversations.at(part);
  request.previous_summary = std::move(summary_so_far);
  request.focus = policy.focus;
  request.split_turn = turn_prefix != 0 && part + 1 == conversations.size();
  request.max_tokens = compaction_inl::summary_room(policy);
  return request;
}

SESSIONKIT_SELDOM std::string CompactionPlan::facts() const {
  std::optional<std::size_t> const limit = limit_of(policy);
  return detail::facts_text({read_files, modified_files, calls},
                            limit ? std::min(compaction_inl::most_fact_tokens, *limit / 16)
                                  : compaction_inl::most_fact_tokens);
}

SESSIONKIT_SELDOM std::string shown_summary(std::string summary) {
  (void)detail::take_facts(summary);
  return summary;
}

SESSIONKIT_SELDOM Result<std::string> summarize(CompactionPlan const& plan, Summarizer& summarizer,
                                                Clock const& clock) {
  auto const now = [&] { return clock ? clock() : system_now(); };
  constexpr auto most_deadline = std::chrono::hours(24 * 365); // the range of a clock is limited
  bool const hurries = plan.policy.deadline.count() > 0 && plan.policy.deadline < most_deadline;
  Timestamp const deadline = hurries ? now() + plan.policy.deadline : Timestamp{};
  Result<std::string> summary = plan.previous_summary;
  for (std::size_t part = 0; part < plan.conversations.size(); ++part) {
    SummaryRequest request = plan.request(part, std::move(*summary));
    request.deadline = deadline;
    summary = summarizer.summarize(request);
    if (!summary || detail::is_blank(*summary)) return summary;
    if (hurries && now() > deadline)
      return detail::make_error(
          Errc::timed_out, "the summary came later than {} ms after it was asked for; nothing was stored",
          plan.policy.deadline.count());
  }
  return summary;
}

char const* to_string(CompactionOutcome outcome) noexcept {
  constexpr std::array<char const*, 4> names{"applied", "superseded", "no_progress", "not_needed"};
  return names[static_cast<std::size_t>(outcome)];
}

}}
