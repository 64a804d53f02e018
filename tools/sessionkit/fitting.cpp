// SPDX-License-Identifier: MIT
// compact, context: conversations that fit a model's window.
#include "asking.hpp"
#include "naming.hpp"
#include "records.hpp"
#include "watching.hpp"

#include <sessionkit/session.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <common/text.hpp>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

std::chrono::milliseconds time_of(std::string const& text) {
  auto const time = parse_duration(text);
  if (time && time->count() > 0) return *time;
  throw Failure{Exit::usage, "usage", fmt::format("--deadline: '{}' is no duration", text),
                "write it as 10m, 90s or 500ms"};
}

/// Answers requests with `--summary` or `--exec`.
sk::Result<std::string> answer(Arguments const& args, sk::SummaryRequest const& request) {
  if (args.exec)
    return output_of(*args.exec, request.system() + "\n\n" + request.prompt(), time_of(args.deadline));
  return *args.summary == "-" ? all_of_stdin() : *args.summary;
}

sk::CompactionPolicy policy_of(Arguments const& args, sk::Session const& session) {
  sk::CompactionPolicy policy = session.compaction_policy();
  if (args.keep_turns) policy.keep = sk::keep_turns(*args.keep_turns);
  if (args.keep_messages) policy.keep = sk::keep_messages(*args.keep_messages);
  if (args.keep_tokens) policy.keep = sk::keep_tokens(*args.keep_tokens);
  if (args.keep_turns || args.keep_messages || args.keep_tokens) { // the given number, whatever the limit
    policy.max_request_tokens = sk::limit_of(policy).value_or(0);
    policy.trigger_tokens = 0;
  }
  policy.focus = args.focus;
  if (args.summary)
    policy.max_request_tokens = std::numeric_limits<std::size_t>::max() / 2; // one answer for all
  return policy;
}

void check_options(Arguments const& args) {
  int const keeps =
      args.keep_turns.has_value() + args.keep_messages.has_value() + args.keep_tokens.has_value();
  if (keeps > 1)
    throw Failure{Exit::usage, "usage", "give one of --keep-turns, --keep-messages, --keep-tokens"};
  (void)time_of(args.deadline);
  if (!args.dry_run && args.summary.has_value() == args.exec.has_value())
    throw Failure{Exit::usage, "usage",
                  "give the summary with --summary, or a program that writes it with --exec",
                  "see what would be asked: sessionkit compact SESSION --dry-run --json"};
}

Json json_of(sk::CompactionPlan const& plan) {
  return {{"first_kept", plan.first_kept.str()},   {"summarized", plan.summarized},
          {"turn_prefix", plan.turn_prefix},       {"kept", plan.kept},
          {"tokens_before", plan.tokens_before},   {"tokens_removed", plan.tokens_removed},
          {"tokens_kept", plan.tokens_kept},       {"read_files", plan.read_files},
          {"modified_files", plan.modified_files}, {"calls", plan.calls}};
}

void show_plan(Console& console, sk::CompactionPlan const& plan) {
  if (console.json()) {
    Json document = json_of(plan);
    document["requests"] = Json::array();
    for (std::size_t i = 0; i < plan.conversations.size(); ++i) {
      auto const request = plan.request(i, i == 0 ? plan.previous_summary : "...");
      document["requests"].push_back({{"system", request.system()}, {"prompt", request.prompt()}});
    }
    return console.document("compact@1", document);
  }
  std::vector<std::vector<std::string>> rows;
  Json const members = json_of(plan);
  for (auto const& item : members.items())
    if (!item.value().is_array())
      rows.push_back({item.key(), item.value().is_string() ? one_line(item.value().get<std::string>())
                                                           : item.value().dump()});
  console.table({"PLAN", ""}, rows);
}

std::string why_nothing(sk::Session& session, Arguments const& args) {
  bool const fewest = args.keep_turns == 1 || args.keep_messages == 1 || args.keep_tokens == 1;
  bool const asked = session.info().value().turns != 0;
  return !asked   ? "there is nothing to summarise: the user has said nothing yet"
         : fewest ? "there is nothing to summarise: everything would be kept"
                  : "there is nothing to summarise; keep fewer: --keep-turns 1";
}

/// The program whose rules the sessions follow; a store does not record it.
sk::Profile profile_of(Arguments const& args, sk::SessionStore const& store) {
  return args.profile ? *sk::find_profile(*args.profile) : store.profile();
}

std::string words_on_limit(sk::Context const& seen, sk::CompactionPolicy const& policy, std::size_t tokens) {
  auto const limit = sk::limit_of(policy);
  if (!limit) return "no limit";
  auto words = fmt::format("{} is the limit", *limit);
  if (tokens <= *limit) return words;
  if (sk::plan_compaction(seen, policy)) return words + "; a compaction is due";
  return words
         + (sk::plan_compaction(seen, policy, sk::CompactionReason::manual)
                ? "; over it, and the last compactions saved too little to try again"
                : "; over it, and nothing can be summarised");
}

struct Line {
  std::string entry, who;
  std::size_t tokens = 0;
  std::string text;
};

std::vector<Line> lines_of(sk::Context const& context, sk::TokenEstimator const& estimator) {
  std::vector<Line> lines;
  auto const add = [&](sk::Entry const& entry, std::string who, std::size_t tokens) {
    lines.push_back({entry.id.str(), std::move(who), tokens, cut(one_line(summary_of(entry)), 60)});
  };
  if (context.compaction) {
    std::string const summary = summary_of(*context.compaction);
    add(*context.compaction, "summary",
        estimator ? estimator(sk::system(summary)) : sk::estimate_tokens(summary));
  }
  for (auto const& entry : context.entries) {
    auto const* const message = entry.as<sk::Message>();
    auto const* const custom = entry.as<sk::CustomMessage>();
    bool const text = (custom != nullptr && custom->in_context) || entry.as<sk::BranchSummary>() != nullptr;
    if (message == nullptr && !text) continue;
    add(entry, speaker_of(entry, "summary"), sk::estimate_tokens(entry, estimator));
  }
  return lines;
}

}

Exit compact(Console& console, Arguments const& args) {
  check_options(args);
  auto const named = find_session(console, args, *args.session);
  sk::SessionOptions options;
  if (args.profile) options.profile = *sk::find_profile(*args.profile);
  auto session = sk::Session::open(watched(console, named.store), named.id, options).value();
  auto const plan = session.plan_compaction(policy_of(args, session), sk::CompactionReason::manual).value();
  if (!plan) {
    if (console.json())
      console.document("compact@1", {{"outcome", to_string(sk::CompactionOutcome::not_needed)}});
    console.notice(why_nothing(session, args));
    return Exit::ok;
  }
  if (args.dry_run) return show_plan(console, *plan), Exit::ok;
  auto summarizer =
      sk::make_summarizer([&](sk::SummaryRequest const& request) { return answer(args, request); });
  auto const outcome = session.apply(*plan, sk::summarize(*plan, summarizer).value()).value();
  if (outcome == sk::CompactionOutcome::superseded)
    throw Failure{Exit::conflict, "conflict", "another compaction came first",
                  "look at it: sessionkit context"};
  if (outcome != sk::CompactionOutcome::applied)
    throw Failure{Exit::runtime, "no_progress",
                  "the summary is blank, or no shorter than what it replaces; nothing was stored"};
  auto const compaction = session.context().value().compaction.value();
  if (!console.json()) return console.write(compaction.id.str() + "\n"), Exit::ok;
  Json document = json_of(*plan);
  document["outcome"] = to_string(outcome);
  document["entry"] = compaction.id.str();
  document["tokens_after"] = compaction.as<sk::Compaction>()->tokens_after.value_or(0);
  console.document("compact@1", document);
  return Exit::ok;
}

Exit context(Console& console, Arguments const& args) {
  auto const named = find_session(console, args, *args.session);
  auto const leaf = leaf_of(named, args);
  auto const seen = value_at(sk::load_context(*named.store, named.id, leaf), *args.session, leaf);
  auto const policy = sk::make_compaction_policy(profile_of(args, *named.store));
  std::size_t const tokens = sk::count_tokens(seen, policy.estimator);
  auto const limit = sk::limit_of(policy);
  bool const due = sk::plan_compaction(seen, policy).has_value();
  auto const lines = lines_of(seen, policy.estimator);
  std::size_t estimated = 0;
  for (auto const& line : lines) estimated += line.tokens;
  if (console.json()) {
    Json rows = Json::array();
    for (auto const& line : lines)
      rows.push_back(
          {{"entry", line.entry}, {"who", line.who}, {"tokens", line.tokens}, {"text", line.text}});
    Json document{{"leaf", seen.leaf.str()},
                  {"compaction", seen.compaction ? Json(seen.compaction->id.str()) : Json()},
                  {"tokens", tokens},
                  {"limit", limit ? Json(*limit) : Json()},
                  {"compaction_due", due}};
    if (args.explain) document["entries"] = std::move(rows);
    console.document("context@1", document);
    return Exit::ok;
  }
  std::vector<std::vector<std::string>> rows;
  if (args.explain)
    for (auto const& line : lines)
      rows.push_back({line.entry, line.who, fmt::format("{}", line.tokens), line.text});
  rows.push_back(
      {"total", plural(lines.size(), "entry", "entries"), fmt::format("{}", tokens),
       words_on_limit(seen, policy, tokens) + (tokens != estimated ? "; as the provider counted" : "")});
  console.table({"ENTRY", "WHO", "TOKENS", "TEXT"}, rows);
  notice_damage(console, *args.session, seen.damage.size());
  return Exit::ok;
}

}
