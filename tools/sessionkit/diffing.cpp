// SPDX-License-Identifier: MIT
// diff: where two requests differ, and what that means for a provider's prompt cache.
#include "naming.hpp"
#include "records.hpp"

#include <sessionkit/divergence.hpp>
#include <sessionkit/provider.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;

namespace {

/// One of the two compared requests.
struct Side {
  std::string name; ///< as on the command line
  Named session;
  sk::Context context;
  sk::History history;
  sk::RequestParts request;
};

/// A session, its name on the command line, and that of an entry; empty if none is given.
struct Leaf {
  Named session;
  std::string name, entry;
};

/// `SESSION@ENTRY`, if the whole text does not name a session; ids and names may contain an `@`.
Leaf find_leaf(Console& console, Arguments const& args, std::string const& name) {
  require_name(name);
  std::optional<Failure> missing;
  for (std::size_t at = name.size(); at != 0 && at != std::string::npos; at = name.rfind('@', at - 1)) {
    try {
      auto const session = name.substr(0, at);
      return {find_session(console, args, session), session,
              at == name.size() ? std::string{} : name.substr(at + 1)};
    } catch (Failure const& failure) {
      bool const no_name = failure.exit == Exit::usage && name.front() == '@'; // as all of "@last@ENTRY"
      if (failure.exit != Exit::not_found && !no_name) throw;
      if (!missing) missing = failure;
    }
  }
  throw *missing;
}

Side side_of(Console& console, Arguments const& args, std::string const& name, sk::Target const& target) {
  auto [session, session_name, entry] = find_leaf(console, args, name);
  sk::EntryId const leaf(entry);
  auto context = value_at(sk::load_context(*session.store, session.id, leaf), session_name, leaf);
  auto history = sk::HistoryRebuilder(target).rebuild(context);
  auto request = sk::encode(history, target);
  notice_damage(console, name, context.damage.size());
  return {name, std::move(session), std::move(context), std::move(history), std::move(request)};
}

std::string_view verdict_of(sk::RequestRelation relation) {
  switch (relation) {
  case sk::RequestRelation::same: return "same";
  case sk::RequestRelation::later_extends: return "b_extends_a";
  case sk::RequestRelation::earlier_extends: return "a_extends_b";
  case sk::RequestRelation::differ: break;
  }
  return "differ";
}

Json or_null(sk::EntryId const& entry) { return entry.empty() ? Json() : Json(entry.str()); }

Json json_of(Side const& side) {
  return {{"name", side.name},
          {"session", side.session.id.str()},
          {"leaf", or_null(side.context.leaf)},
          {"messages", side.history.messages.size()}};
}

std::string reason_of(sk::Divergence const& at) {
  if (at.compacted) return "compaction";
  return at.repair ? std::string(at.repair->rule) : std::string{};
}

Json json_of(sk::Divergence const& at) {
  auto const reason = reason_of(at);
  return {{"in_system", at.in_system},
          {"message", at.message},
          {"part", at.part},
          {"a", {{"entry", or_null(at.earlier)}, {"says", at.before}}},
          {"b", {{"entry", or_null(at.later)}, {"says", at.after}}},
          {"reason", reason.empty() ? Json() : Json(reason)},
          {"reason_entry", at.repair ? or_null(at.repair->entry) : Json()},
          {"retroactive", at.repair && at.repair->retroactive}};
}

std::string field(sk::EntryId const& entry) { return entry.empty() ? "-" : one_line(entry.str()); }

std::vector<std::vector<std::string>> rows_of(std::string_view verdict,
                                              std::optional<sk::Divergence> const& at, std::size_t shared) {
  std::vector<std::vector<std::string>> rows{{"verdict", "-", std::string(verdict)},
                                             {"cache", "-", at ? "breaks" : "holds"},
                                             {"shared", "-", fmt::format("{} messages", shared)}};
  if (!at) return rows;
  rows.push_back(
      {"at", "-", at->in_system ? "system text" : fmt::format("message {}, part {}", at->message, at->part)});
  rows.push_back({"a", field(at->earlier), one_line(at->before)});
  rows.push_back({"b", field(at->later), one_line(at->after)});
  if (auto const reason = reason_of(*at); !reason.empty())
    rows.push_back({"why", at->repair ? field(at->repair->entry) : "-",
                    reason + (at->repair && at->repair->retroactive ? " (retroactive)" : "")});
  return rows;
}

}

Exit diff(Console& console, Arguments const& args) {
  sk::Target target;
  target.provider = sk::parse_provider(args.provider).value();
  if (args.server) target.server = *sk::find_server(*args.server);
  target.model = args.model;
  auto const a = side_of(console, args, *args.session, target);
  auto const b = side_of(console, args, *args.other, target);
  auto const at = sk::explain_divergence(a.history, b.history, target);
  auto const verdict = verdict_of(sk::compare_requests(a.request, b.request));
  auto const shared = at ? at->message : std::min(a.history.messages.size(), b.history.messages.size());
  if (console.json())
    console.document("diff@1", {{"provider", args.provider},
                                {"a", json_of(a)},
                                {"b", json_of(b)},
                                {"verdict", verdict},
                                {"breaks_cache", at.has_value()},
                                {"shared_messages", shared},
                                {"divergence", at ? json_of(*at) : Json()}});
  else
    console.table({"WHAT", "ENTRY", "SAYS"}, rows_of(verdict, at, shared));
  return at ? Exit::differs : Exit::ok;
}

}
