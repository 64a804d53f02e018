// SPDX-License-Identifier: MIT
// search: finds a text in all sessions or in one.
#include "hiding.hpp"
#include "records.hpp"

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

constexpr std::size_t before_match = 40, behind_match = 80; // bytes shown beside it, about

/// The line of a hit, cut to a readable length.
struct Snippet {
  std::string before, match, behind;
  std::string text() const { return before + match + behind; }
};

bool is_inside(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
}

Snippet snippet_of(std::string_view text, std::size_t at, std::size_t length) {
  std::size_t const end = at + length;
  std::size_t begin = at - std::min(at, before_match), last = std::min(text.size(), end + behind_match);
  while (is_inside(text, begin)) --begin;
  while (is_inside(text, last)) ++last;
  auto const part = [&](std::size_t from, std::size_t to) { return one_line(text.substr(from, to - from)); };
  return {(begin > 0 ? "…" : "") + part(begin, at), part(at, end),
          part(end, last) + (last < text.size() ? "…" : "")};
}

class Query {
 public:
  Query(std::string text, bool ignores_case)
      : text_(ignores_case ? folded(text) : std::move(text)), ignores_case_(ignores_case) {}

  std::optional<Snippet> find_in(std::string const& text) const {
    auto const at = ignores_case_ ? folded(text).find(text_) : text.find(text_);
    if (at == std::string::npos) return std::nullopt;
    return snippet_of(text, at, text_.size());
  }
  std::optional<Snippet> find_in(sk::Entry const& entry, bool thinking) const {
    for (auto const& words : words_of(entry, thinking))
      if (auto found = find_in(words)) return found;
    return std::nullopt;
  }

 private:
  std::string text_;
  bool ignores_case_;
};

/// Shows hits as they are found.
class Hits {
 public:
  Hits(Console& console, Arguments const& args) : console_(console), args_(args) {
    if (console.json()) list_.emplace(console, "search@1", Json{{"query", args.query}}, "hits");
  }
  /// Returns whether to look for more in this session.
  bool add(sk::SessionId const& session, Record const& record, Snippet const& found) {
    auto const kind = speaker_of(record.entry, std::string(record.type));
    ++count_;
    if (list_)
      list_->add({{"session", session.str()},
                  {"entry", record.entry.id.str()},
                  {"kind", kind},
                  {"timestamp", sk::to_rfc3339(record.entry.at)},
                  {"snippet", found.text()},
                  {"match", found.match}});
    else if (args_.names_only)
      console_.write(session.str() + "\n");
    else
      write(session, record, kind, found);
    return !args_.names_only && !is_over();
  }
  bool is_over() const { return is_full() || !console_.writable(); }
  bool is_full() const { return args_.limit != 0 && count_ >= args_.limit; }
  std::size_t count() const { return count_; }
  void finish(Json const& tail) {
    if (list_) list_->finish(tail);
  }

 private:
  void write(sk::SessionId const& session, Record const& record, std::string const& kind,
             Snippet const& found) {
    if (!console_.pretty())
      return console_.table({},
                            {{session.str(), one_line(record.entry.id.str()), one_line(kind), found.text()}});
    if (session.str() != last_) console_.write(fmt::format("{}\n", console_.coloured(35, session.str())));
    last_ = session.str();
    console_.content(
        fmt::format("  {}  {}  {}", one_line(record.entry.id.str()), one_line(kind), found.before));
    console_.write(console_.coloured(31, console_.shown(found.match)));
    console_.content(found.behind + "\n");
  }

  Console& console_;
  Arguments const& args_;
  std::optional<JsonList> list_;
  std::size_t count_ = 0;
  std::string last_;
};

/// The sessions to search, newest first.
struct Places {
  StorePtr store;
  std::vector<sk::SessionId> sessions;
};

Places places_of(Console& console, Arguments const& args) {
  if (args.session) {
    auto named = find_session(console, args, *args.session);
    return {std::move(named.store), {named.id}};
  }
  Places places{open_existing_store(console, args), {}};
  for (auto const& info : sk::list_all(*places.store).value()) places.sessions.push_back(info.id);
  return places;
}

}

Exit search(Console& console, Arguments const& given) {
  Arguments const args = with_foreign_store(given);
  if (args.query.empty())
    throw Failure{Exit::usage, "invalid_argument", "there is nothing to search for",
                  "give a text of at least one character"};
  auto const places = places_of(console, args);
  Query const query(args.query, args.ignore_case);
  Hits hits(console, args);
  std::size_t damaged = 0, done = 0;
  std::optional<Failure> failed;
  for (auto const& id : places.sessions) {
    if (hits.is_over()) break;
    console.progress(done++, places.sessions.size(), "sessions");
    try {
      damaged += for_each_record(*places.store, id, [&](Record const& record) {
        if (!args.role.empty() && speaker_of(record.entry, std::string(record.type)) != args.role)
          return true;
        if (!args.hidden && is_hidden(record.entry)) return true;
        auto const found = query.find_in(record.entry, args.thinking);
        return !found || hits.add(id, record, *found);
      });
    } catch (sk::Exception const& exception) { // removed in the meantime, or unreadable: search the others
      if (exception.error().code == sk::Errc::not_found && !args.session) continue;
      failed = failure_of(exception.error());
      console.show(*failed);
    }
  }
  console.progress(places.sessions.size(), places.sessions.size(), "sessions");
  hits.finish({{"sessions", done}, {"damaged", damaged}, {"limited", hits.is_full()}});
  if (hits.is_full())
    console.notice(fmt::format("stopped after {}; for all: --limit 0", plural(hits.count(), "hit", "hits")));
  if (damaged != 0)
    console.notice(fmt::format("{} damaged place(s) skipped; see: sessionkit verify", damaged));
  if (failed) return failed->exit;
  return hits.count() != 0 ? Exit::ok : Exit::differs;
}

}
