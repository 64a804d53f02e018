// SPDX-License-Identifier: MIT
// ls, show, history: print the content of the store for people and programs.
#include "hiding.hpp"
#include "records.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/json.hpp>
#include <sessionkit/profile_view.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/session_info.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

/// The number of first characters that make all ids of the store unique, at least eight.
std::size_t unique_length(sk::SessionStore& store) {
  std::vector<std::string> ids;
  for (auto const& info : sk::list_all(store).value()) ids.push_back(info.id.str());
  std::sort(ids.begin(), ids.end());
  std::size_t longest = 8;
  for (std::size_t i = 1; i < ids.size(); ++i) {
    auto const& a = ids[i - 1];
    auto const shared = std::mismatch(a.begin(), a.end(), ids[i].begin(), ids[i].end()).first - a.begin();
    longest = std::max(longest, static_cast<std::size_t>(shared) + 1);
  }
  return longest;
}

/// False for a row of another program's files: a list does not read them.
bool is_read(sk::SessionInfo const& info) { return info.tokens || info.entries != 0 || info.damaged != 0; }

Json uncounted(sk::SessionInfo const& info) {
  Json row = json_of(info);
  for (char const* const count : {"messages", "turns", "damaged"}) row[count] = nullptr;
  return row;
}

std::string count_of(sk::SessionInfo const& info, char const* unknown) {
  return is_read(info) ? fmt::format("{}", info.messages) : unknown;
}

std::vector<std::string> table_row(sk::SessionInfo const& info, std::size_t id_length, sk::Timestamp now) {
  return {info.id.str().substr(0, id_length),
          moment(info.updated, now),
          count_of(info, "-"),
          info.tokens ? short_number(*info.tokens) : "-",
          one_line(info.model),
          one_line(info.display_title(200))};
}

/// The number of characters of an id that are shown: all of them if the screen has room for them, and for
/// some of each title.
std::size_t id_length(std::vector<sk::SessionInfo> const& sessions, sk::SessionStore& store,
                      std::size_t screen) {
  constexpr std::size_t some_of_a_title = 30, gaps = 10; // two between columns
  std::vector<std::size_t> widths{7, 4, 6, 5};           // the headings from UPDATED to MODEL
  std::size_t longest = 0;
  for (auto const& info : sessions) {
    auto const row = table_row(info, 0, sk::system_now());
    longest = std::max(longest, info.id.str().size());
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], columns(row[i + 1]));
  }
  auto const others = std::accumulate(widths.begin(), widths.end(), some_of_a_title + gaps);
  return longest + others <= screen ? longest : unique_length(store);
}

std::vector<std::string> plain_row(sk::SessionInfo const& info) {
  return {info.id.str(),
          sk::to_rfc3339(info.updated),
          count_of(info, ""),
          info.tokens ? fmt::format("{}", *info.tokens) : "",
          one_line(info.model),
          one_line(info.key),
          one_line(info.display_title())};
}

sk::SessionPage list_page(Console& console, Arguments const& args, StorePtr& store) {
  auto opened = open_store(console, args);
  // A default store that was never used is empty, not missing.
  if (!opened && opened.error().code == sk::Errc::not_found) {
    auto const address = store_address(args);
    if (!address.chosen) return {};
    fail_no_store(shown(address));
  }
  store = std::move(opened).value();
  sk::ListQuery query;
  query.key = args.key;
  query.agent = args.agent;
  query.user = args.user;
  query.archived = args.archived;
  query.cursor = args.cursor.value_or("");
  query.limit = args.limit == 0 ? std::numeric_limits<std::size_t>::max() : args.limit;
  return sk::list_sessions(*store, query, args.offset).value();
}

Json list_of(std::vector<sk::Repair> const& repairs) {
  Json list = Json::array();
  for (auto const& repair : repairs)
    list.push_back({{"entry", or_null(repair.entry.str())},
                    {"rule", repair.rule},
                    {"before", repair.before},
                    {"after", repair.after},
                    {"retroactive", repair.retroactive}});
  return list;
}

void report(Console& console, std::vector<sk::Repair> const& repairs) {
  if (console.json()) return console.report_json(Json{{"repairs", list_of(repairs)}});
  for (auto const& repair : repairs)
    console.report(fmt::format("repair: {} {}{}: {} -> {}",
                               repair.entry.empty() ? "-" : one_line(repair.entry.str()), repair.rule,
                               repair.retroactive ? " (retroactive)" : "", cut(one_line(repair.before), 60),
                               cut(one_line(repair.after), 60)));
}

std::size_t unknown_in(std::vector<sk::Entry> const& entries) {
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [](sk::Entry const& entry) {
    return entry.as<sk::Unknown>() != nullptr;
  }));
}

std::string words_on_unknown(std::string const& name, std::size_t lines) {
  return fmt::format("{}: {} line(s) are of no type that its format has; see which: sessionkit verify {}",
                     name, lines, name);
}

/// The reason why there is nothing to send: nobody has said anything, the rules left out everything, or no
/// line has a known type.
std::string why_nothing(std::string const& name, sk::Context const& context) {
  bool const said = std::any_of(context.entries.begin(), context.entries.end(),
                                [](sk::Entry const& entry) { return entry.as<sk::Message>() != nullptr; });
  if (std::size_t const unknown = unknown_in(context.entries) + context.unlisted; !said && unknown != 0)
    return words_on_unknown(name, unknown);
  return said ? fmt::format("{}: none of its messages can be sent; see why: sessionkit history {} --explain",
                            name, name)
              : fmt::format("{}: there are no messages yet", name);
}

void explain(Console& console, Arguments const& args, Named const& named, sk::Context const& context,
             sk::History const& history) {
  if (console.json())
    return console.document("explain@1", {{"session", named.id.str()},
                                          {"leaf", or_null(context.leaf.str())},
                                          {"provider", args.provider},
                                          {"messages", history.messages.size()},
                                          {"repairs", list_of(history.report)}});
  std::size_t const most = console.pretty() ? 40 : std::string::npos;
  std::vector<std::vector<std::string>> rows;
  for (auto const& repair : history.report)
    rows.push_back({repair.entry.empty() ? "-" : one_line(repair.entry.str()), std::string(repair.rule),
                    repair.retroactive ? "yes" : "no", cut(one_line(repair.before), most),
                    cut(one_line(repair.after), most)});
  console.table({"ENTRY", "RULE", "RETROACTIVE", "BEFORE", "AFTER"}, rows);
  if (history.report.empty()) console.notice("nothing had to be repaired");
}

}

Exit ls(Console& console, Arguments const& given) {
  Arguments args = given;
  if (args.path) args.store = args.path;
  StorePtr store;
  auto const page = list_page(console, args, store);
  if (console.json()) {
    Json rows = Json::array();
    for (auto const& info : page.sessions) rows.push_back(is_read(info) ? json_of(info) : uncounted(info));
    console.document("list@1", {{"store", shown(store_address(args))},
                                {"returned", page.sessions.size()},
                                {"has_more", !page.next.empty()},
                                {"next", or_null(page.next)},
                                {"sessions", std::move(rows)}});
    return Exit::ok;
  }
  std::vector<std::vector<std::string>> rows;
  std::size_t const shown_of_id =
      console.pretty() && store ? id_length(page.sessions, *store, console.width()) : 0;
  for (auto const& info : page.sessions)
    rows.push_back(console.pretty() ? table_row(info, shown_of_id, sk::system_now()) : plain_row(info));
  if (rows.empty())
    console.notice(fmt::format("there are no such sessions in {}; sessionkit new creates one",
                               shown(store_address(args))));
  else
    console.table({"ID", "UPDATED", "MSGS", "TOKENS", "MODEL", "TITLE"}, rows);
  if (!page.next.empty()) console.notice(fmt::format("there are more: sessionkit ls --cursor {}", page.next));
  return Exit::ok;
}

Exit show(Console& console, Arguments const& args) {
  auto const named = find_session(console, args, *args.session);
  auto const path = path_of(named, *args.session, leaf_of(named, args));
  std::optional<JsonList> list;
  if (console.json())
    list.emplace(console, "show@1", Json{{"session", json_of(named.store->info(named.id).value())}},
                 "entries");
  std::size_t unknown = 0;
  Talk talk(console, args.thinking);
  auto const damaged = for_each_on(path, named, [&](Record const& record) {
    unknown += record.entry.as<sk::Unknown>() != nullptr ? 1U : 0U;
    if (list)
      list->add(sk::to_nlohmann(sk::RawJson::from(std::string(record.line))));
    else if (!record.again && (args.hidden || !is_hidden(record.entry)))
      talk.add(record.entry, std::string(record.type));
    return console.writable();
  });
  if (list) list->finish();
  if (unknown != 0 && unknown == path.places.size()) console.notice(words_on_unknown(*args.session, unknown));
  notice_damage(console, *args.session, damaged);
  return Exit::ok;
}

Exit history(Console& console, Arguments const& args) {
  auto const named = find_session(console, args, *args.session);
  sk::Profile const& profile = *sk::find_profile(args.profile.value_or("native"));
  auto const leaf = leaf_of(named, args);
  auto const context =
      sk::view_of(profile, value_at(sk::load_context(*named.store, named.id, leaf), *args.session, leaf));
  sk::Target target = sk::target_of(profile);
  target.provider = sk::parse_provider(args.provider).value();
  if (args.server) target.server = *sk::find_server(*args.server);
  if (args.mode) target.mode = *args.mode == "faithful" ? sk::RebuildMode::faithful : sk::RebuildMode::valid;
  target.model = args.model;
  target.system = args.system;
  auto const rebuilt = sk::HistoryRebuilder(target).rebuild(context);
  if (args.explain) {
    explain(console, args, named, context, rebuilt);
  } else {
    auto const parts = sk::encode(rebuilt, target);
    console.write(fmt::format("{{\"system\":{},\"{}\":{}}}\n", parts.system,
                              sk::request_members(target.provider).messages, parts.messages));
  }
  if (args.report) report(console, rebuilt.report);
  if (rebuilt.messages.empty()) console.notice(why_nothing(*args.session, context));
  notice_damage(console, *args.session, context.damage.size());
  return Exit::ok;
}

}
