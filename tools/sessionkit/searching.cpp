// SPDX-License-Identifier: MIT
// search: finds a text in all sessions or in one.
#include "hiding.hpp"
#include "records.hpp"
#include "watching.hpp"

#include <sessionkit/search.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;

namespace {

/// Hits that are in memory at once: an entry may be large.
constexpr std::size_t hits_at_once = 64;

/// The line of a hit, cut to a readable length.
struct Snippet {
  std::string before, match, behind;
  explicit Snippet(sk::SearchHit const& hit)
      : before((hit.cut_before ? "…" : "") + one_line(hit.before)),
        match(one_line(hit.match)),
        behind(one_line(hit.after) + (hit.cut_after ? "…" : "")) {}
  std::string text() const { return before + match + behind; }

  /// Cuts the line to so many columns. The match stays, and so does a part of what is before it.
  void fit(std::size_t room) {
    match = cut(match, std::max<std::size_t>(room, 1));
    room -= std::min(room, columns(match));
    auto const wanted = std::min(columns(behind), room - room / 3);
    before = cut_front(before, room - wanted);
    room -= std::min(room, columns(before));
    behind = room == 0 ? std::string() : cut(behind, room);
  }
};

std::optional<sk::Role> role_of(std::string const& name) {
  if (name.empty()) return std::nullopt;
  return name == "user"        ? sk::Role::user
         : name == "assistant" ? sk::Role::assistant
         : name == "tool"      ? sk::Role::tool
                               : sk::Role::system;
}

/// A session to search. Its summary is read when it is needed: that of a file costs more than the search.
class Searched {
 public:
  Searched(sk::SessionStore& store, sk::SessionId id) : store_(store), id_(std::move(id)) {}
  Searched(sk::SessionStore& store, sk::SessionInfo info)
      : store_(store), id_(info.id), info_(std::move(info)) {}

  sk::SessionId const& id() const { return id_; }
  sk::SessionInfo const& info() {
    if (!info_) info_ = store_.info(id_).value();
    return *info_;
  }

 private:
  sk::SessionStore& store_;
  sk::SessionId id_;
  std::optional<sk::SessionInfo> info_ = {};
};

/// Shows hits as they are found.
class Hits {
 public:
  Hits(Console& console, Arguments const& args) : console_(console), args_(args) {
    if (console.json()) list_.emplace(console, "search@1", Json{{"query", args.query}}, "hits");
  }
  /// Returns whether to look for more in this session.
  bool add(sk::SearchHit const& hit, Searched& in) {
    auto const kind = speaker_of(hit.entry, hit.type);
    Snippet const found(hit);
    if (++count_ == 1) first_ = {hit.session.str(), hit.entry.id.str()};
    if (list_)
      list_->add({{"session", hit.session.str()},
                  {"entry", hit.entry.id.str()},
                  {"kind", kind},
                  {"timestamp", sk::to_rfc3339(hit.entry.at)},
                  {"snippet", found.text()},
                  {"match", found.match}});
    else if (args_.names_only)
      console_.write(console_.pretty() ? name_of(in.info()) : hit.session.str() + "\n");
    else
      write(hit, in, kind, found);
    return !args_.names_only && !is_over();
  }
  /// How many to look for at once.
  std::size_t wanted() const {
    return args_.limit == 0 ? hits_at_once : std::min(args_.limit - count_, hits_at_once);
  }
  bool is_over() const { return is_full() || !console_.writable(); }
  bool is_full() const { return args_.limit != 0 && count_ >= args_.limit; }
  std::size_t count() const { return count_; }
  void finish(Json const& tail) {
    if (list_) list_->finish(tail);
  }
  /// Names the command that reads what was found.
  void say_how_to_read() const {
    if (!console_.pretty() || count_ == 0) return;
    auto const session = args_.session.value_or(first_.session);
    auto const leaf = args_.names_only || first_.entry.empty() ? "" : " --leaf " + first_.entry;
    console_.notice(fmt::format("read {}: sessionkit show {}{}{}",
                                args_.names_only ? "a conversation" : "up to a hit", shell_word(session),
                                leaf, store_again(args_)));
  }

 private:
  /// A session for a person: its id, when it was last used, its title.
  std::string name_of(sk::SessionInfo const& info) const {
    auto const about =
        fmt::format("  {}  {}", moment(info.updated, sk::system_now()), one_line(info.display_title()));
    auto const id = info.id.str();
    auto const room = console_.width() > columns(id) ? console_.width() - columns(id) : 0;
    return console_.coloured(35, id) + console_.shown(cut(about, room)) + "\n";
  }
  void write(sk::SearchHit const& hit, Searched& in, std::string const& kind, Snippet const& found) {
    auto const& session = hit.session.str();
    if (!console_.pretty())
      return console_.table({}, {{session, one_line(hit.entry.id.str()), one_line(kind), found.text()}});
    if (session != last_) console_.write(name_of(in.info()));
    last_ = session;
    auto const begin = fmt::format("  {}  {}  ", one_line(hit.entry.id.str()), one_line(kind));
    Snippet line = found;
    line.fit(std::max<std::size_t>(console_.width(), 20) - std::min(columns(begin), console_.width()));
    console_.content(begin + line.before);
    console_.write(console_.coloured(31, console_.shown(line.match)));
    console_.content(line.behind + "\n");
  }

  Console& console_;
  Arguments const& args_;
  std::optional<JsonList> list_;
  std::size_t count_ = 0;
  std::string last_;
  struct {
    std::string session, entry;
  } first_ = {};
};

/// The sessions to search, newest first.
struct Places {
  StorePtr store;
  std::vector<Searched> sessions;
};

Places places_of(Console& console, Arguments const& args) {
  if (args.session) {
    auto named = find_session(console, args, *args.session);
    auto const store = watched(console, named.store);
    return {store, {Searched(*store, named.id)}};
  }
  Places places{watched(console, open_existing_store(console, args)), {}};
  for (auto& info : sk::list_all(*places.store).value())
    places.sessions.emplace_back(*places.store, std::move(info));
  return places;
}

/// Adds the hits in one session. Returns the damaged places. A failure of a whole session is thrown.
std::uint64_t search_one(sk::SessionStore& store, Searched& in, sk::SearchQuery query, bool hidden,
                         Hits& hits) {
  std::uint64_t damaged = 0;
  do {
    query.limit = hits.wanted();
    auto const page = sk::search(store, {in.id()}, query).value();
    damaged += page.damaged;
    for (auto const& hit : page.hits)
      if ((hidden || !is_hidden(hit.entry)) && !hits.add(hit, in)) return damaged;
    if (!page.failures.empty()) throw sk::Exception(page.failures.front().error);
    query.cursor = page.next;
  } while (!query.cursor.empty());
  return damaged;
}

}

Exit search(Console& console, Arguments const& given) {
  Arguments const args = with_foreign_store(given);
  if (args.query.empty())
    throw Failure{Exit::usage, "invalid_argument", "there is nothing to search for",
                  "give a text of at least one character"};
  auto places = places_of(console, args);
  sk::SearchQuery query{args.query};
  query.ignore_case = args.ignore_case;
  query.thinking = args.thinking;
  query.role = role_of(args.role);
  Hits hits(console, args);
  std::uint64_t damaged = 0;
  std::size_t done = 0;
  std::optional<Failure> failed;
  for (auto& in : places.sessions) {
    if (hits.is_over()) break;
    console.progress(done++, places.sessions.size(), "sessions");
    try {
      damaged += search_one(*places.store, in, query, args.hidden, hits);
    } catch (sk::Exception const& exception) { // removed in the meantime, or unreadable: search the others
      if (exception.error().code == sk::Errc::not_found && !args.session) continue;
      failed = failure_of(exception.error());
      console.show(*failed);
    }
  }
  console.progress(places.sessions.size(), places.sessions.size(), "sessions");
  hits.finish({{"sessions", done}, {"damaged", damaged}, {"limited", hits.is_full()}});
  hits.say_how_to_read();
  if (hits.is_full())
    console.notice(fmt::format("stopped after {}; for all: --limit 0", plural(hits.count(), "hit", "hits")));
  if (damaged != 0)
    console.notice(fmt::format("{} damaged place(s) skipped; see: sessionkit verify", damaged));
  if (hits.count() == 0 && !failed)
    console.notice(args.ignore_case ? "no session contains this text"
                                    : "no session contains this text; -i ignores case");
  if (failed) return failed->exit;
  return hits.count() != 0 ? Exit::ok : Exit::differs;
}

}
