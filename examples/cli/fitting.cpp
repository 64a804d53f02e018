// SPDX-License-Identifier: MIT
// compact, context: conversations that fit a model's window.
#include "naming.hpp"
#include "records.hpp"
#include "text.hpp"

#include <sessionkit/session.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

namespace cli {

namespace sk = sessionkit;

namespace {

std::string read_all(int descriptor, char const* what) {
  std::string text;
  for (char buffer[1 << 16];;) {
    ssize_t const n = read(descriptor, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_failure(errno, fmt::format("cannot read {}", what));
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

/// The prompt comes from a file, so that neither program waits for the other to read.
std::string output_of(std::string const& command, std::string const& input) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::tmpfile(), std::fclose);
  int ends[2];
  if (!file || std::fwrite(input.data(), 1, input.size(), file.get()) != input.size()
      || std::fflush(file.get()) != 0 || lseek(fileno(file.get()), 0, SEEK_SET) != 0 || pipe(ends) != 0)
    throw system_failure(errno, "cannot hand over the prompt");
  pid_t const child = ::fork();
  if (child == 0) {
    dup2(fileno(file.get()), STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  if (child < 0) throw system_failure(errno, "cannot start a program");
  std::string text = read_all(ends[0], "what the program answers");
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Failure{Exit::runtime, "unavailable",
                  fmt::format("'{}' failed; nothing was stored", one_line(command)),
                  "it gets the prompt on stdin and writes the summary to stdout"};
  return text;
}

/// `--summary` and `--exec` as what answers requests.
sk::Result<std::string> answer(Arguments const& args, sk::SummaryRequest const& request) {
  if (args.exec) return output_of(*args.exec, request.system() + "\n\n" + request.prompt());
  return *args.summary == "-" ? read_all(STDIN_FILENO, "stdin") : *args.summary;
}

sk::CompactionPolicy policy_of(Arguments const& args, sk::Session const& session) {
  sk::CompactionPolicy policy = session.compaction_policy();
  if (args.keep_turns != 0) policy.keep = sk::keep_turns(args.keep_turns);
  if (args.keep_messages != 0) policy.keep = sk::keep_messages(args.keep_messages);
  if (args.keep_tokens != 0) policy.keep = sk::keep_tokens(args.keep_tokens);
  if (args.keep_turns + args.keep_messages + args.keep_tokens != 0) { // as asked, whatever the limit
    policy.max_request_tokens = sk::limit_of(policy).value_or(0);
    policy.trigger_tokens = 0;
  }
  policy.focus = args.focus;
  if (args.summary)
    policy.max_request_tokens = std::numeric_limits<std::size_t>::max() / 2; // one answer for all
  return policy;
}

void check_options(Arguments const& args) {
  int const keeps = (args.keep_turns != 0) + (args.keep_messages != 0) + (args.keep_tokens != 0);
  if (keeps > 1)
    throw Failure{Exit::usage, "usage", "give one of --keep-turns, --keep-messages, --keep-tokens"};
  if (!args.dry_run && args.summary.has_value() == args.exec.has_value())
    throw Failure{Exit::usage, "usage",
                  "give the summary with --summary, or a program that writes it with --exec",
                  "see what would be asked: sessionkit compact SESSION --dry-run --json"};
}

Json json_of(sk::CompactionPlan const& plan) {
  return {{"first_kept", plan.first_kept.str()},  {"summarized", plan.summarized},
          {"turn_prefix", plan.turn_prefix},      {"kept", plan.kept},
          {"tokens_before", plan.tokens_before},  {"tokens_removed", plan.tokens_removed},
          {"tokens_kept", plan.tokens_kept},      {"read_files", plan.read_files},
          {"modified_files", plan.modified_files}};
}

void show_plan(Console& console, sk::CompactionPlan const& plan) {
  if (console.json()) {
    Json document = json_of(plan);
    document["requests"] = Json::array();
    for (std::size_t i = 0; i < plan.conversations.size(); ++i) {
      auto const request = plan.request(i, i == 0 ? plan.previous_summary : "...");
      document["requests"].push_back({{"system", request.system()}, {"prompt", request.prompt()}});
    }
    return console.document(document);
  }
  std::vector<std::vector<std::string>> rows;
  Json const members = json_of(plan);
  for (auto const& item : members.items())
    if (!item.value().is_array())
      rows.push_back({item.key(), item.value().is_string() ? one_line(item.value().get<std::string>())
                                                           : item.value().dump()});
  console.table({"PLAN", ""}, rows);
}

struct Line {
  std::string entry, who, tokens, text;
};

std::vector<Line> lines_of(sk::Context const& context) {
  std::vector<Line> lines;
  auto const add = [&](sk::Entry const& entry, std::string who, std::size_t tokens) {
    lines.push_back(
        {entry.id.str(), std::move(who), fmt::format("{}", tokens), cut(one_line(summary_of(entry)), 60)});
  };
  if (context.compaction)
    add(*context.compaction, "summary", sk::estimate_tokens(summary_of(*context.compaction)));
  for (auto const& entry : context.entries) {
    auto const* const message = entry.as<sk::Message>();
    auto const* const custom = entry.as<sk::CustomMessage>();
    bool const text = (custom != nullptr && custom->in_context) || entry.as<sk::BranchSummary>() != nullptr;
    if (message == nullptr && !text) continue;
    add(entry, speaker_of(entry, "summary"),
        message != nullptr ? sk::estimate_tokens(*message) : sk::estimate_tokens(summary_of(entry)));
  }
  return lines;
}

}

Exit compact(Console& console, Arguments const& args) {
  check_options(args);
  auto const named = find_session(console, args, *args.session);
  auto session = sk::Session::open(named.store, named.id).value();
  auto const plan =
      sk::plan_compaction(session.context().value(), policy_of(args, session), sk::CompactionReason::manual);
  if (!plan) {
    if (console.json()) console.document({{"outcome", to_string(sk::CompactionOutcome::not_needed)}});
    console.notice("there is nothing to summarise; keep fewer: --keep-turns 1");
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
  console.document(document);
  return Exit::ok;
}

Exit context(Console& console, Arguments const& args) {
  auto const named = find_session(console, args, *args.session);
  auto const seen = sk::load_context(*named.store, named.id, sk::EntryId(args.leaf.value_or(""))).value();
  auto const policy = sk::make_compaction_policy(named.store->profile());
  std::size_t const tokens = sk::count_tokens(seen, policy.estimator);
  auto const limit = sk::limit_of(policy);
  bool const due = sk::plan_compaction(seen, policy).has_value();
  auto const lines = lines_of(seen);
  if (console.json()) {
    Json rows = Json::array();
    for (auto const& line : lines)
      rows.push_back({{"entry", line.entry},
                      {"who", line.who},
                      {"tokens", std::stoull(line.tokens)},
                      {"text", line.text}});
    Json document{{"schema", "sessionkit/context@1"},
                  {"leaf", seen.leaf.str()},
                  {"compaction", seen.compaction ? Json(seen.compaction->id.str()) : Json()},
                  {"tokens", tokens},
                  {"limit", limit ? Json(*limit) : Json()},
                  {"compaction_due", due}};
    if (args.explain) document["entries"] = std::move(rows);
    console.document(document);
    return Exit::ok;
  }
  std::vector<std::vector<std::string>> rows;
  if (args.explain)
    for (auto const& line : lines) rows.push_back({line.entry, line.who, line.tokens, line.text});
  rows.push_back(
      {"total", fmt::format("{} entries", lines.size()), fmt::format("{}", tokens),
       limit ? fmt::format("{} is the limit{}", *limit, due ? "; a compaction is due" : "") : "no limit"});
  console.table({"ENTRY", "WHO", "TOKENS", "TEXT"}, rows);
  notice_damage(console, *args.session, seen.damage.size());
  return Exit::ok;
}

}
