// SPDX-License-Identifier: MIT
// prune: moves old sessions to the trash, each with a reason; empty-trash: deletes what is there.
#include "naming.hpp"

#include <sessionkit/retention.hpp>
#include <sessionkit/trash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;

namespace {

sk::RetentionPolicy policy_of(Arguments const& args) {
  sk::RetentionPolicy policy;
  if (args.idle) policy.idle = duration_of("--idle", *args.idle);
  if (args.older) policy.age = duration_of("--age", *args.older);
  policy.max_sessions = args.max_sessions.value_or(0);
  policy.max_bytes = args.max_bytes.value_or(0);
  for (std::string const& key : args.protect) { // written like sessions elsewhere
    require_name(key);
    policy.protected_keys.push_back(key.substr(key.compare(0, 4, "key:") == 0 ? 4 : 0));
  }
  policy.is_excluded = [](sk::SessionInfo const& info) { // the file may not be a session
    return info.updated == sk::Timestamp{};
  };
  if (!args.idle && !args.older && !args.max_sessions && !args.max_bytes)
    throw Failure{Exit::usage, "usage", "nothing is removed unless asked",
                  "choose some: --idle 90d, --age 365d, --most 500 or --most-bytes 1000000000"};
  return policy;
}

/// A key that protects nothing is most likely misspelt, and the sessions it should protect would be removed.
void require_keys(sk::SessionStore& store, std::vector<std::string> const& keys) {
  for (std::string const& key : keys) {
    sk::ListQuery query;
    query.key = key;
    query.limit = 1;
    if (!store.list(query).value().sessions.empty()) continue;
    throw Failure{Exit::not_found, "not_found", fmt::format("--protect: no session has the key '{}'", key),
                  "see the keys of all sessions: sessionkit ls --json"};
  }
}

/// The planned removals that are in `which`, in their order.
void show(Console& console, char const* member, sk::RetentionPlan const& plan,
          std::vector<sk::SessionId> const* which, Json const& more) {
  std::vector<std::vector<std::string>> rows;
  Json list = Json::array();
  for (auto const& removal : plan.removals) {
    if (which && std::find(which->begin(), which->end(), removal.id) == which->end()) continue;
    rows.push_back({removal.id.str(), to_string(removal.reason), one_line(removal.key), removal.why});
    list.push_back({{"id", removal.id.str()},
                    {"reason", to_string(removal.reason)},
                    {"key", removal.key},
                    {"why", removal.why}});
  }
  if (!console.json()) return console.table({"SESSION", "REASON", "KEY", "WHY"}, rows);
  Json document{{member, std::move(list)}};
  document.update(more);
  console.document("prune@1", document);
}

}

Exit prune(Console& console, Arguments const& args) {
  auto const policy = policy_of(args);
  if (args.max_bytes) store_root(args, "prune --most-bytes", "limit their number: --most 500");
  auto const store = open_store(console, args).value();
  require_keys(*store, policy.protected_keys);
  auto const plan = sk::plan_retention(*store, policy, sk::system_now()).value();
  if (args.dry_run) return show(console, "would_remove", plan, nullptr, {{"kept", plan.kept}}), Exit::ok;
  auto const question = store_address(args).removal(
      fmt::format("{} of {} sessions", plan.removals.size(), plan.removals.size() + plan.kept));
  std::string about;
  for (auto const& removal : plan.removals)
    about += fmt::format("{}: {}\n", removal.id.str(), one_line(removal.why));
  if (!plan.removals.empty() && !args.yes && !confirm(question, "--yes", about))
    throw Failure{Exit::usage, "declined", "nothing was removed"};
  auto const done = sk::apply_retention(*store, plan);
  Json skipped = Json::array();
  for (auto const& id : done.skipped) skipped.push_back(id.str());
  show(console, "removed", plan, &done.removed, {{"kept", plan.kept}, {"skipped", std::move(skipped)}});
  if (!done.skipped.empty())
    console.notice(
        fmt::format("{} sessions stay: somebody continued them in the meantime", done.skipped.size()));
  if (!done.failed.empty()) throw failure_of(done.failed.front().error);
  return Exit::ok;
}

Exit empty_trash(Console& console, Arguments const& args) {
  auto const address = store_address(args);
  if (!address.has_trash())
    throw Failure{Exit::usage, "unsupported", fmt::format("'{}' has no trash", shown(address)),
                  "sessions that are removed from a database are deleted at once"};
  auto found = sk::look_into_trash(address.place).value();
  auto const question =
      fmt::format("delete {} removed session{} permanently?", found.files, found.files == 1 ? "" : "s");
  if (found.files != 0 && !args.dry_run) {
    if (!args.yes && !confirm(question, "--yes"))
      throw Failure{Exit::usage, "declined", "nothing was deleted"};
    found = sk::empty_trash(address.place).value();
  }
  if (console.json()) {
    console.document("empty-trash@1",
                     {{"dry_run", args.dry_run}, {"sessions", found.files}, {"bytes", found.bytes}});
  } else {
    console.write(fmt::format("{}\t{}\n", found.files, found.bytes));
  }
  return Exit::ok;
}

}
