// SPDX-License-Identifier: MIT
// Stores compactions: checks a plan against the current log, then appends its summary.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/compaction/compaction.hpp>
#include <sessionkit/detail/compaction/compaction_facts.hpp>
#include <sessionkit/detail/compaction/conversation_text.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/detail/session/session_compaction.hpp>
#include <sessionkit/detail/session/session_state.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace session_compaction_inl { namespace {

constexpr int max_compaction_tries = 8; // while others append

std::string_view reason_name(CompactionReason reason) noexcept {
  switch (reason) {
  case CompactionReason::size: return "size";
  case CompactionReason::context_exceeded: return "context_exceeded";
  case CompactionReason::manual: break;
  }
  return "manual";
}

void write_list(detail::JsonWriter& json, std::string_view name, std::vector<std::string> list) {
  std::sort(list.begin(), list.end());
  json.key(name).begin_array();
  for (std::string const& text : list) json.string(text);
  json.end_array();
}

// pi reads the first two lists.
RawJson details_of(CompactionPlan const& plan) {
  std::string text;
  detail::JsonWriter json(text);
  json.begin_object();
  write_list(json, "readFiles", plan.read_files);
  write_list(json, "modifiedFiles", plan.modified_files);
  json.member("reason", reason_name(plan.reason)).member("lastSummarized", plan.last_summarized.str());
  json.end_object();
  return RawJsonAccess::trust(std::move(text));
}

Compaction compaction_of(CompactionPlan const& plan, std::string summary) {
  Compaction body{std::move(summary), plan.first_kept, plan.tokens_before, details_of(plan)};
  body.tokens_after = detail::summary_tokens(body.summary, plan.policy.estimator) + plan.tokens_kept;
  return body;
}

// How much is saved, by estimate, and how large the context was: the provider's count if that is larger.
struct Saving {
  std::uint64_t tokens, before;

  Saving(CompactionPlan const& plan, std::uint64_t after)
      : tokens(plan.tokens_removed + plan.tokens_kept), before(std::max(plan.tokens_before, tokens)) {
    tokens -= std::min(tokens, after);
  }
  std::uint64_t percent() const { return before == 0 ? 0 : tokens * 100 / before; }
};

bool is_on_path(Context const& context, EntryId const& id) {
  return std::any_of(context.entries.begin(), context.entries.end(),
                     [&](Entry const& entry) { return entry.id == id; });
}

bool still_fits(CompactionPlan const& plan, Context const& context) {
  EntryId const last = context.compaction ? context.compaction->id : EntryId{};
  if (last != plan.previous) return false;
  if (!plan.first_kept.empty()) return is_on_path(context, plan.first_kept);
  auto const said = std::find_if(context.entries.rbegin(), context.entries.rend(), [](Entry const& entry) {
    return detail::voice_of(entry) != detail::Voice::silent;
  });
  return said != context.entries.rend() && said->id == plan.last_summarized; // nothing was said since
}

Error no_compactions(SessionId const& id, Dialect const& dialect) {
  return detail::make_error(
      Errc::unsupported,
      "session '{}': {} lines hold no summaries; shorten the view with summarize_window, or "
      "convert the session to native",
      id.str(), dialect.name);
}

Error no_id_to_keep(SessionId const& id, EntryId const& kept) {
  return detail::make_error(
      Errc::unsupported,
      "session '{}': the line of entry '{}' carries no id to refer to; fork the session, the "
      "copy has ids",
      id.str(), kept.str());
}

Error log_changed(SessionId const& id) {
  return detail::make_error(
      Errc::conflict,
      "session '{}': what the compaction keeps is no longer in the log; refresh and compact "
      "again",
      id.str());
}

Error held_back(SessionId const& id) {
  return detail::make_error(
      Errc::invalid_argument,
      "session '{}': messages that are to be summarised are held back until the turn ends; "
      "compact when it has",
      id.str());
}

// The first entry, from the planned one on, that is already in the log. Those that are not yet come after it.
EntryId first_stored(CompactionPlan const& plan, Context const& all, Context const& stored) {
  bool kept = false;
  if (plan.first_kept.empty()) return {};
  for (Entry const& entry : all.entries) {
    kept = kept || entry.id == plan.first_kept;
    if (kept && is_on_path(stored, entry.id)) return entry.id;
  }
  return {};
}

}}

namespace detail {

SESSIONKIT_SELDOM Result<std::vector<EntryBody>> with_kept(SessionTail const& tail, Compaction compaction,
                                                           Context const& stored) {
  std::vector<Entry> const kept = take_kept(compaction, stored.entries);
  std::vector<EntryBody> bodies;
  bodies.emplace_back(std::move(compaction));
  if (kept.empty()) return bodies;
  std::unordered_map<std::string, std::string> lines;
  Result<WalkResult> const walked =
      walk_path(*tail.store(), tail.id(), stored.leaf, [&](RecordPage const&, RecordPage::Item const& item) {
        lines.emplace(item.id, item.line);
        return item.id != kept.front().id.str();
      });
  if (!walked) return walked.error();
  for (Entry const& entry : kept) {
    auto const found = lines.find(entry.id.str());
    if (found == lines.end()) return session_compaction_inl::log_changed(tail.id());
    bodies.emplace_back(Unknown{"message", RawJsonAccess::trust(line_again(found->second))});
  }
  return bodies;
}

Result<void> check_compaction(CompactionPlan const& plan, Context const& seen, SessionTail const& tail,
                              PendingMessages const& pending, Profile const& profile) {
  if (!tail.dialect().can(body_index<Compaction>))
    return session_compaction_inl::no_compactions(tail.id(), tail.dialect());
  if (profile.timing == WriteTiming::never)
    return make_error(Errc::unsupported,
                      "session '{}': its profile '{}' stores nothing; shorten the view with "
                      "summarize_window, or open it with another one",
                      tail.id().str(), profile.name);
  if (profile.compaction.view_only)
    return make_error(Errc::unsupported,
                      "session '{}': its profile '{}' stores no summaries; shorten the view with "
                      "summarize_window or TokenLimit, or open it with another one",
                      tail.id().str(), profile.name);
  for (Entry const& entry : seen.entries) {
    if (entry.id == plan.first_kept) break;
    if (pending.holds(entry.id)) return session_compaction_inl::held_back(tail.id());
  }
  Context stored = seen;
  pending.remove_from(stored);
  EntryId const kept = session_compaction_inl::first_stored(plan, seen, stored);
  bool const derived = !kept.empty() && kept.str().front() == '@';
  if (tail.dialect().has_ids && derived) return session_compaction_inl::no_id_to_keep(tail.id(), kept);
  return {};
}

}

void Session::State::compaction_failed(CompactionPlan const& plan) {
  if (!breaker.count_failure(plan.policy.max_failures)) return;
  tell(Event::compaction_stopped,
       detail::format_text(
           "{} compactions in a row came to nothing at {} tokens; the next try for its size comes when "
           "the conversation has grown by a quarter, or by hand",
           plan.policy.max_failures, plan.tokens_before));
  if (!tail.dialect().can(detail::body_index<Custom>)) return breaker.open(plan.previous, plan.tokens_before);
  Result<void> const marked =
      append_entry(detail::breaker_entry("failures", plan.tokens_before, plan.policy));
  if (!marked) tell(Event::compaction_stopped, "the breaker could not be stored: " + marked.error().message);
}

CompactionPolicy Session::compaction_policy() const {
  return make_compaction_policy(state_ ? state_->profile : profiles::native);
}

SESSIONKIT_SELDOM Result<std::optional<CompactionPlan>>
Session::plan_compaction(CompactionPolicy const& policy, CompactionReason reason) const {
  Result<Context> const seen = context();
  if (!seen) return seen.error();
  CompactionPolicy rule = policy;
  bool const keeps_last = rule.keep.by == KeepRule::turns && rule.keep.count == 1;
  if (state_->profile.compaction.within_turn && keeps_last && !state_->pending.holds_any())
    rule.keep = keep_turns(0);
  std::optional<CompactionPlan> plan = v0::plan_compaction(*seen, rule, reason);
  if (!plan) return plan;
  if (auto checked = detail::check_compaction(*plan, *seen, state_->tail, state_->pending, state_->profile);
      !checked)
    return checked.error();
  return plan;
}

SESSIONKIT_SELDOM Result<CompactionOutcome> Session::compact(Summarizer& summarizer,
                                                             CompactionReason reason) {
  return compact(summarizer, compaction_policy(), reason);
}

SESSIONKIT_SELDOM Result<CompactionOutcome>
Session::compact(Summarizer& summarizer, CompactionPolicy const& policy, CompactionReason reason) {
  Result<std::optional<CompactionPlan>> const planned = plan_compaction(policy, reason);
  if (!planned) return planned.error();
  if (!*planned) return CompactionOutcome::not_needed;
  CompactionPlan const* const plan = &**planned;
  std::shared_ptr<State> const state = state_; // the summarizer may move this object
  state->tell(Event::compaction_started,
              detail::format_text(
                  "{} tokens: {} messages are to be summarised, {} stay{}", plan->tokens_before,
                  plan->summarized + plan->turn_prefix, plan->kept,
                  plan->keeps_less ? ", fewer than the policy keeps, because more would not fit" : ""));
  Result<CompactionOutcome> outcome = apply(*plan, summarize(*plan, summarizer, state->options.clock));
  state->tell(Event::compaction_ended,
              outcome ? to_string(*outcome) : "nothing was stored: " + outcome.error().message);
  return outcome;
}

SESSIONKIT_SELDOM Result<CompactionOutcome> Session::apply(CompactionPlan const& plan,
                                                           Result<std::string> given) {
  if (!state_) return detail::empty_session();
  if (!given) {
    state_->compaction_failed(plan);
    return given.error();
  }
  std::string& summary = *given;
  detail::take_facts(summary); // facts come from tool calls, not from the model
  bool const blank = detail::is_blank(summary);
  Compaction body = session_compaction_inl::compaction_of(plan, std::move(summary) + plan.facts());
  if (blank || session_compaction_inl::Saving(plan, *body.tokens_after).tokens == 0) {
    state_->compaction_failed(plan);
    return CompactionOutcome::no_progress;
  }
  for (int tries = 0;; ++tries) {
    Result<Context> const seen = context();
    if (!seen) return seen.error();
    if (!session_compaction_inl::still_fits(plan, *seen)) return CompactionOutcome::superseded;
    if (auto checked = detail::check_compaction(plan, *seen, state_->tail, state_->pending, state_->profile);
        !checked)
      return checked.error();
    Result<void> const stored = state_->store_compaction(plan, body, *seen);
    if (stored) break;
    if (stored.error().code != Errc::conflict || tries == session_compaction_inl::max_compaction_tries)
      return stored.error();
    if (auto caught_up = state_->tail.catch_up(); !caught_up) return caught_up.error();
  }
  state_->breaker.reset_failures();
  return CompactionOutcome::applied;
}

SESSIONKIT_SELDOM Result<void> Session::State::store_compaction(CompactionPlan const& plan, Compaction body,
                                                                Context const& seen) {
  Context stored = seen;
  pending.remove_from(stored);
  body.first_kept = session_compaction_inl::first_stored(plan, seen, stored);
  std::vector<EntryBody> bodies;
  session_compaction_inl::Saving const saved(plan, *body.tokens_after);
  if (tail.dialect().has_ids) {
    bodies.emplace_back(std::move(body));
  } else {
    body.details = {};
    Result<std::vector<EntryBody>> with_kept = detail::with_kept(tail, std::move(body), stored);
    if (!with_kept) return with_kept.error();
    bodies = std::move(*with_kept);
  }
  bool const opens = saved.percent() < plan.policy.min_saved_percent;
  bool const holds_breaker = tail.dialect().can(detail::body_index<Custom>);
  if (opens && holds_breaker)
    bodies.emplace_back(detail::breaker_entry("little_saved", saved.before - saved.tokens, plan.policy));
  Result<std::vector<EntryId>> const ids =
      append_entries(std::move(bodies), {{}, true, OnConflict::fail, true});
  if (!ids) return ids.error();
  if (opens && !holds_breaker) breaker.open(ids->front(), saved.before - saved.tokens);
  if (opens)
    tell(Event::compaction_stopped,
         detail::format_text(
             "the compaction saved {} % of {} tokens; the next one for its size comes when the conversation "
             "has grown by a quarter, or by hand",
             saved.percent(), saved.before));
  return {};
}

}}
