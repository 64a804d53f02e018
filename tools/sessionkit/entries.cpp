// SPDX-License-Identifier: MIT
// log: the raw entries, one a line. last: the last answer of the model.
#include "records.hpp"

#include <sessionkit/json.hpp>

#include <fmt/format.h>

#include <common/text.hpp>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;

namespace {

struct Line {
  std::uint64_t number;
  std::string id, kind, parent;
  sk::Timestamp at;
  std::size_t bytes;
  sk::Position end;
};

Line line_of(Record const& record, std::uint64_t number) {
  auto const& entry = record.entry;
  return {number,
          entry.id.str(),
          entry.as<sk::Header>() != nullptr ? "session" : speaker_of(entry, std::string(record.type)),
          entry.link == sk::Parent::entry ? entry.parent.str() : "",
          entry.at,
          record.line.size(),
          record.end};
}

Json json_of(Line const& line) {
  return {{"number", line.number},
          {"id", or_null(line.id)},
          {"parent", or_null(line.parent)},
          {"kind", line.kind},
          {"timestamp", sk::to_rfc3339(line.at)},
          {"bytes", line.bytes},
          {"end", line.end.value()}};
}

/// Shows lines in order, some at a time: a log may be longer than memory.
class Lines {
 public:
  Lines(Console& console, sk::SessionId const& session) : console_(console) {
    if (console.json()) list_.emplace(console, "log@1", Json{{"session", session.str()}}, "entries");
  }
  void add(Line const& line) {
    if (list_) return list_->add(json_of(line));
    rows_.push_back({fmt::format("{:>6}", line.number), one_line(line.id), sk::to_rfc3339(line.at),
                     one_line(line.kind), fmt::format("{}", line.bytes)});
    if (!console_.pretty()) rows_.back()[0] = fmt::format("{}", line.number);
    if (rows_.size() == 1000) write();
  }
  void finish(std::size_t damaged) {
    if (list_) return list_->finish({{"damaged", damaged}});
    write();
  }

 private:
  void write() { console_.table({"NUMBER", "ID", "TIME", "KIND", "BYTES"}, std::exchange(rows_, {})); }

  Console& console_;
  std::optional<JsonList> list_;
  std::vector<std::vector<std::string>> rows_;
};

/// The code in its first fenced block.
std::string first_block(std::string const& text) {
  auto const begin = text.find("```"), line = text.find('\n', begin);
  auto const end = text.find("\n```", line);
  if (begin == std::string::npos || line == std::string::npos || end == std::string::npos)
    throw Failure{Exit::not_found, "not_found", "the last answer has no code block",
                  "leave --code out for the whole answer"};
  return text.substr(line + 1, end - line);
}

}

Exit log_entries(Console& console, Arguments const& args) {
  auto const named = find_session(console, args, *args.session);
  Lines lines(console, named.id);
  std::deque<Line> last; // of the requested ones
  std::uint64_t number = 0;
  auto const damaged = for_each_record(*named.store, named.id, [&](Record const& record) {
    if (number == 0 && record.entry.as<sk::Header>() == nullptr) ++number; // the header is number 0
    auto line = line_of(record, number++);
    if (args.type && *args.type != line.kind && *args.type != record.type) return true;
    if (!args.newest) return lines.add(line), console.writable();
    last.push_back(std::move(line));
    if (last.size() > *args.newest) last.pop_front();
    return true;
  });
  for (auto const& line : last) lines.add(line);
  lines.finish(damaged);
  notice_damage(console, *args.session, damaged);
  return Exit::ok;
}

Exit last(Console& console, Arguments const& args) {
  auto const name = args.session.value_or("@last");
  auto const named = find_session(console, args, name);
  std::optional<sk::Entry> answer;
  auto const leaf = leaf_of(named, args);
  auto const walked = sk::walk_back(*named.store, named.id, leaf, [&](sk::Entry const& entry) {
    auto const* const message = entry.as<sk::Message>();
    bool const found = message != nullptr && message->role == sk::Role::assistant && !message->text().empty();
    if (found) answer = entry;
    return !found;
  });
  if (!walked && !leaf.empty() && walked.error().code == sk::Errc::not_found) fail_entry(name, leaf.str());
  walked.value();
  if (!answer)
    throw Failure{Exit::not_found, "not_found", fmt::format("there is no answer in '{}' yet", name),
                  "see what was said: sessionkit show " + name};
  auto text = answer->text();
  if (args.code) text = first_block(text);
  if (console.json())
    console.document("last@1", {{"session", named.id.str()},
                                {"entry", answer->id.str()},
                                {"timestamp", sk::to_rfc3339(answer->at)},
                                {"text", text}});
  else
    console.content(text + (!text.empty() && text.back() == '\n' ? "" : "\n"));
  return Exit::ok;
}

}
