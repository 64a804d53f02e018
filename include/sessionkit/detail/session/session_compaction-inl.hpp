// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/blank.hpp>
#include <sessionkit/detail/compaction/compaction.hpp>
#include <sessionkit/detail/history/history_rules.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/dialects/kept_again.hpp>
#include <sessionkit/detail/dialects/line_members.hpp>
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/session/session_state.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

// A compaction's way into the log. The plan decided; here it is checked against what the log has become.

namespace sessionkit { inline namespace v0 {

namespace {

constexpr int most_compaction_tries = 8; // while others append

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

// pi reads the two lists.
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

// How much is saved, by estimates, and of the whole context, which is more where the provider counted it.
struct Saving {
  std::uint64_t tokens, before;

  Saving(CompactionPlan const& plan, std::uint64_t after)
      : tokens(plan.tokens_removed + plan.tokens_kept), before(std::max(plan.tokens_before, tokens)) {
    tokens -= std::min(tokens, after);
  }
  std::uint64_t percent() const { return before == 0 ? 0 : tokens * 100 / before; }
};

Custom breaker_entry(std::string_view why, std::uint64_t tokens, CompactionPolicy const& policy) {
  std::string text;
  detail::JsonWriter json(text);
  json.begin_object().member("why", why).key("tokens").unsigned_integer(tokens);
  if (std::optional<std::size_t> const limit = limit_of(policy)) json.key("limit").unsigned_integer(*limit);
  json.end_object();
  return {std::string(detail::breaker_type), RawJsonAccess::trust(std::move(text))};
}

bool is_on_path(Context const& context, EntryId const& id) {
  return std::any_of(context.entries.begin(), context.entries.end(),
                     [&](Entry const& entry) { return entry.id == id; });
}

bool still_fits(CompactionPlan const& plan, Context const& context) {
  EntryId const last = context.compaction ? context.compaction->id : EntryId{};
  return last == plan.previous && is_on_path(context, plan.first_kept);
}

Error no_compactions(SessionId const& id, Dialect const& dialect) {
  return {Errc::unsupported, 0,
          fmt::format("session '{}': {} lines hold no summaries; shorten the view with summarize_window, or "
                      "convert the session to native",
                      id.str(), dialect.name)};
}

Error no_id_to_keep(SessionId const& id, EntryId const& kept) {
  return {Errc::unsupported, 0,
          fmt::format("session '{}': the line of entry '{}' carries no id to refer to; fork the session, the "
                      "copy has ids",
                      id.str(), kept.str())};
}

Error log_changed(SessionId const& id) {
  return {Errc::conflict, 0,
          fmt::format("session '{}': what the compaction keeps is no longer in the log; refresh and compact "
                      "again",
                      id.str())};
}

Error held_back(SessionId const& id) {
  return {Errc::invalid_argument, 0,
          fmt::format("session '{}': messages that are to be summarised are held back until the turn ends; "
                      "compact when it has",
                      id.str())};
}

// The first entry from the planned one on that stands in the log: what is only said will follow anyhow.
EntryId first_stored(CompactionPlan const& plan, Context const& all, Context const& stored) {
  bool kept = false;
  for (Entry const& entry : all.entries) {
    kept = kept || entry.id == plan.first_kept;
    if (kept && is_on_path(stored, entry.id)) return entry.id;
  }
  return {};
}

}

Result<std::vector<EntryBody>> Session::State::with_kept(Compaction compaction,
                                                         Context const& stored_part) const {
  std::vector<Entry> const kept = detail::take_kept(compaction, stored_part.entries);
  std::vector<EntryBody> bodies;
  bodies.emplace_back(std::move(compaction));
  if (kept.empty()) return bodies;
  std::unordered_map<std::string, std::string> lines;
  Result<detail::WalkResult> const walked =
      detail::walk_path(*store, id, stored_part.leaf, [&](RecordPage const&, RecordPage::Item const& item) {
        lines.emplace(item.id, item.line);
        return item.id != kept.front().id.str();
      });
  if (!walked) return walked.error();
  for (Entry const& entry : kept) {
    auto const found = lines.find(entry.id.str());
    if (found == lines.end()) return log_changed(id);
    bodies.emplace_back(Unknown{"message", RawJsonAccess::trust(detail::line_again(found->second))});
  }
  return bodies;
}

void Session::State::keep_stored(Context& context) const {
  auto const only_said = [&](Entry const& entry) {
    auto const is_it = [&](Unstored const& one) { return one.entry.id == entry.id; };
    return std::any_of(held.begin(), held.end(), is_it) || std::any_of(aside.begin(), aside.end(), is_it);
  };
  if (held.empty() && aside.empty()) return;
  auto& entries = context.entries;
  entries.erase(std::remove_if(entries.begin(), entries.end(), only_said), entries.end());
}

Result<void> Session::State::check_compaction(CompactionPlan const& plan, Context const& seen) const {
  if (!dialect->can(detail::body_index<Compaction>)) return no_compactions(id, *dialect);
  if (profile.timing == WriteTiming::never)
    return Error{Errc::unsupported, 0,
                 fmt::format("session '{}': its profile '{}' stores nothing; shorten the view with "
                             "summarize_window, or open it with another one",
                             id.str(), profile.name)};
  for (Entry const& entry : seen.entries) {
    if (entry.id == plan.first_kept) break;
    if (std::any_of(held.begin(), held.end(), [&](Unstored const& one) { return one.entry.id == entry.id; }))
      return held_back(id);
  }
  Context stored_part = seen;
  keep_stored(stored_part);
  EntryId const kept = first_stored(plan, seen, stored_part);
  bool const derived = !kept.empty() && kept.str().front() == '@';
  if (dialect->has_ids && derived) return no_id_to_keep(id, kept);
  return {};
}

void Session::State::compaction_failed(CompactionPlan const& plan) {
  if (++failed_compactions < plan.policy.most_failures) return;
  failed_compactions = 0;
  tell(Event::compaction_stopped,
       fmt::format(
           "{} compactions in a row came to nothing at {} tokens; the next try for its size comes when "
           "the conversation has grown by a quarter, or by hand",
           plan.policy.most_failures, plan.tokens_before));
  if (!dialect->can(detail::body_index<Custom>)) {
    breaker = {plan.previous, plan.tokens_before};
    return;
  }
  Result<void> const marked = append_one(breaker_entry("failures", plan.tokens_before, plan.policy));
  if (!marked) tell(Event::compaction_stopped, "the breaker could not be stored: " + marked.error().message);
}

CompactionPolicy Session::compaction_policy() const { return make_compaction_policy(state_->profile); }

Result<std::optional<CompactionPlan>> Session::plan_compaction(CompactionPolicy const& policy,
                                                               CompactionReason reason) {
  Result<Context> const seen = context();
  if (!seen) return seen.error();
  std::optional<CompactionPlan> plan = v0::plan_compaction(*seen, policy, reason);
  if (!plan) return plan;
  if (auto checked = state_->check_compaction(*plan, *seen); !checked) return checked.error();
  return plan;
}

Result<CompactionOutcome> Session::compact(Summarizer& summarizer, CompactionReason reason) {
  return compact(summarizer, compaction_policy(), reason);
}

Result<CompactionOutcome> Session::compact(Summarizer& summarizer, CompactionPolicy const& policy,
                                           CompactionReason reason) {
  Result<std::optional<CompactionPlan>> const planned = plan_compaction(policy, reason);
  if (!planned) return planned.error();
  if (!*planned) return CompactionOutcome::not_needed;
  CompactionPlan const* const plan = &**planned;
  state_->tell(Event::compaction_started,
               fmt::format("{} tokens: {} messages are to be summarised, {} stay", plan->tokens_before,
                           plan->summarized + plan->turn_prefix, plan->kept));
  Result<CompactionOutcome> outcome = apply(*plan, summarize(*plan, summarizer, state_->options.clock));
  state_->tell(Event::compaction_ended,
               outcome ? to_string(*outcome) : "nothing was stored: " + outcome.error().message);
  return outcome;
}

Result<CompactionOutcome> Session::apply(CompactionPlan const& plan, Result<std::string> summary) {
  if (summary) return apply(plan, std::move(*summary));
  state_->compaction_failed(plan);
  return summary.error();
}

Result<CompactionOutcome> Session::apply(CompactionPlan const& plan, std::string summary) {
  detail::take_facts(summary); // facts come from tool calls, not from the model
  bool const blank = detail::is_blank(summary);
  Compaction body = compaction_of(plan, std::move(summary) + plan.facts());
  if (blank || Saving(plan, *body.tokens_after).tokens == 0) {
    state_->compaction_failed(plan);
    return CompactionOutcome::no_progress;
  }
  for (int tries = 0;; ++tries) {
    Result<Context> const seen = context();
    if (!seen) return seen.error();
    if (!still_fits(plan, *seen)) return CompactionOutcome::superseded;
    if (auto checked = state_->check_compaction(plan, *seen); !checked) return checked.error();
    Result<void> const stored = state_->store_compaction(plan, body, *seen);
    if (stored) break;
    if (stored.error().code != Errc::conflict || tries == most_compaction_tries) return stored.error();
    Result<std::vector<Entry>> theirs = state_->refresh();
    if (!theirs) return theirs.error();
    state_->unseen.insert(state_->unseen.end(), theirs->begin(), theirs->end());
  }
  state_->failed_compactions = 0;
  return CompactionOutcome::applied;
}

Result<void> Session::State::store_compaction(CompactionPlan const& plan, Compaction body,
                                              Context const& seen) {
  Context stored_part = seen;
  keep_stored(stored_part);
  body.first_kept = first_stored(plan, seen, stored_part);
  std::vector<EntryBody> bodies;
  Saving const saved(plan, *body.tokens_after);
  if (dialect->has_ids) {
    bodies.emplace_back(std::move(body));
  } else {
    body.details = {};
    Result<std::vector<EntryBody>> with_kept = this->with_kept(std::move(body), stored_part);
    if (!with_kept) return with_kept.error();
    bodies = std::move(*with_kept);
  }
  bool const opens = saved.percent() < plan.policy.least_saved_percent;
  bool const holds_breaker = dialect->can(detail::body_index<Custom>);
  if (opens && holds_breaker)
    bodies.emplace_back(breaker_entry("little_saved", saved.before - saved.tokens, plan.policy));
  Result<std::vector<EntryId>> const ids = append(std::move(bodies), {{}, true, OnConflict::fail, true});
  if (!ids) return ids.error();
  if (opens && !holds_breaker) breaker = {ids->front(), saved.before - saved.tokens};
  if (opens)
    tell(Event::compaction_stopped,
         fmt::format(
             "the compaction saved {} % of {} tokens; the next one for its size comes when the conversation "
             "has grown by a quarter, or by hand",
             saved.percent(), saved.before));
  return {};
}

}}
