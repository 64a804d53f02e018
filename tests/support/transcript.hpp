// SPDX-License-Identifier: MIT
// Lines, batches and slow references for tests of transcripts.
#pragma once
#include <sessionkit/session_store.hpp>

#include <string>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

inline std::string header_line(std::string const& id = "s1") {
  return R"({"type":"session","version":3,"id":")" + id
         + R"(","timestamp":"2025-11-04T08:00:00.000Z","cwd":"/w"})";
}
inline std::string message_line(std::string const& id, std::string const& parent, std::string const& text) {
  return R"({"type":"message","id":")" + id + R"(","parentId":)"
         + (parent.empty() ? "null" : '"' + parent + '"')
         + R"(,"timestamp":"2025-11-04T08:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":")"
         + text + R"("}],"timestamp":1762243201000}})";
}

/// A batch that owns its lines. The id of a record is the text of its "id" member, found in a simple way.
struct Batch {
  std::vector<std::string> lines, ids;
  sk::Append append;
  explicit Batch(std::vector<std::string> all, sk::Position expected = {}, bool durable = false)
      : lines(std::move(all)) {
    for (std::string const& line : lines) {
      auto const at = line.find("\"id\":\"");
      ids.push_back(at == std::string::npos ? "" : line.substr(at + 6, line.find('"', at + 6) - at - 6));
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      sk::RecordView record;
      record.id = ids[i];
      record.type = lines[i].find("\"session\"") == std::string::npos ? "message" : "session";
      record.line = lines[i];
      append.records.push_back(record);
    }
    append.expected = expected;
    append.durable = durable;
  }
  Batch(Batch const&) = delete;
  Batch& operator=(Batch const&) = delete;
  operator sk::Append const&() const { return append; }
};

/// The summary with a batch that begins at a place.
inline sk::SessionInfo folded(sk::SessionInfo info, Batch const& batch, sk::Position at) {
  for (auto const& record : batch.append.records) {
    at = sk::Position{at.value() + record.line.size() + 1};
    sk::RecordPage::Item item{};
    static_cast<sk::RecordView&>(item) = record;
    item.end = at;
    sk::fold(info, item);
  }
  return info;
}

/// The lines of all pages of a log in one direction, and where each record ends.
struct ReadBack {
  std::vector<std::string> lines, ids;
  std::vector<std::uint64_t> ends;
  std::vector<sk::Damage> damage;
  std::uint64_t log_end = 0, pages = 0;
};
template <class Reader> ReadBack read_all(Reader&& read, sk::ReadRange range = {}) {
  ReadBack all;
  for (;;) {
    sk::RecordPage const page = read(range).value();
    for (auto const& item : page.items()) {
      all.lines.emplace_back(item.line);
      all.ids.emplace_back(item.id);
      all.ends.push_back(item.end.value());
    }
    all.damage.insert(all.damage.end(), page.damage.begin(), page.damage.end());
    all.log_end = page.log_end.value();
    ++all.pages;
    if (!page.more) return all;
    range.from = page.next;
  }
}

/// The text split at every '\n'; a remainder without one comes last if it is not empty.
inline std::vector<std::string> split_lines(std::string const& bytes) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t end; (end = bytes.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(bytes.substr(at, end - at));
  if (at < bytes.size()) lines.push_back(bytes.substr(at));
  return lines;
}

}
