// SPDX-License-Identifier: MIT
// tail: the last entries of a log, and new ones as they are appended.
#include "records.hpp"
#include "waiting.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/follow.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

/// An entry with its line.
struct Line {
  sk::Entry entry;
  std::string type, line;
};

/// Absent for the header, which has no content, and for bytes that only looked like an entry.
std::optional<Line> line_of(sk::RecordPage const& page, sk::RecordPage::Item const& item) {
  auto entry = sk::decode(page, item);
  if (!entry || entry->as<sk::Header>() != nullptr) return std::nullopt;
  return Line{*std::move(entry), std::string(item.type), std::string(item.line)};
}

void print(Console& console, Talk& talk, Line const& line) {
  if (console.json())
    console.write(line.line + "\n");
  else
    talk.add(line.entry, line.type);
}

struct Ending {
  std::vector<Line> lines; ///< oldest first
  sk::Position end;        ///< where the log ended then
};

Ending last_lines(Named const& named, std::size_t most) {
  Ending ending;
  sk::ReadRange range;
  range.order = sk::ReadRange::newest_first;
  for (bool first = true;; first = false) {
    auto const page = named.store->read(named.id, range).value();
    if (first) ending.end = page.log_end;
    for (auto const& item : page.items())
      if (ending.lines.size() < most)
        if (auto line = line_of(page, item)) ending.lines.push_back(*std::move(line));
    if (!page.more || ending.lines.size() >= most) break;
    range.from = page.next;
  }
  std::reverse(ending.lines.begin(), ending.lines.end());
  return ending;
}

void notice_change(Console& console, Named const& named, sk::LogNews const& news) {
  auto const& name = named.name();
  if (news.change == sk::LogNews::removed)
    console.notice(fmt::format("{} was removed; waiting for it to come back", name));
  if (news.change == sk::LogNews::replaced)
    console.notice(fmt::format("{} is another {} now; {}", name, named.path.empty() ? "log" : "file",
                               news.from == sk::Position{}
                                   ? "it is followed from its start"
                                   : "following continues after the entry shown last"));
  for (auto const& damage : news.page.damage)
    console.notice(
        fmt::format("{}: {} at offset {}: {}", name, to_string(damage.kind), damage.offset, damage.what));
}

Exit follow_lines(Console& console, Talk& talk, Named const& named, sk::Position from) {
  FileWatch watch(named.path);
  FileWatch::Woken woken = FileWatch::Woken::look;
  sk::LogFollower follower(named.store, named.id, from);
  auto const take = [&](sk::LogNews const& news) {
    notice_change(console, named, news);
    for (auto const& item : news.page.items())
      if (auto const line = line_of(news.page, item)) print(console, talk, *line);
    console.flush();
    return console.writable() && !FileWatch::stopped();
  };
  auto const wait = [&] {
    console.flush();
    if (console.writable()) woken = watch.wait();
    return console.writable() && woken == FileWatch::Woken::look;
  };
  sk::follow(follower, take, wait).value();
  if (woken == FileWatch::Woken::unread) return Exit::broken_pipe;
  return FileWatch::stopped() ? Exit::interrupted : Exit::ok; // ok: stdout failed, and `finish` reports how
}

}

Exit tail(Console& console, Arguments const& args) {
  auto const named = find_session(console, args, *args.session);
  auto const ending = last_lines(named, args.last);
  Talk talk(console, args.thinking);
  for (auto const& line : ending.lines) print(console, talk, line);
  return args.follow ? follow_lines(console, talk, named, ending.end) : Exit::ok;
}

}
