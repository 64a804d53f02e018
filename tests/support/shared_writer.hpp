// SPDX-License-Identifier: MIT
// A writer of a session to which others append, and a reader that counts the entries.
#pragma once
#include "transcript.hpp"

#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/session_store.hpp>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

/// Appends to a session that others append to as well: finds its end, tries, finds it again.
class SharedWriter {
 public:
  SharedWriter(sk::SessionStore& store, std::string const& name)
      : store_(store), name_(name), id_(sk::SessionId::parse(name).value()) {}

  std::int64_t conflicts = 0;

  /// Tries until it is stored, or another error occurs.
  sk::Result<sk::Position> append(std::string const& entry, std::string const& text, bool durable = false) {
    std::string const line = message_line(entry, "", text);
    for (;;) {
      if (!known_) look();
      std::vector<std::string> lines{line};
      if (end_ == sk::Position{}) lines.insert(lines.begin(), header_line(name_));
      Batch batch(lines, end_, durable);
      batch.append.expected_crc = crc_;
      auto const answer = store_.append(id_, batch);
      if (answer) {
        end_ = *answer;
        crc_ = sk::detail::crc32c(line);
        return answer;
      }
      sk::Errc const code = answer.error().code;
      known_ = false;
      if (code == sk::Errc::outcome_unknown) known_ = true; // the same again
      if (code != sk::Errc::conflict && code != sk::Errc::already_exists && code != sk::Errc::timed_out
          && code != sk::Errc::outcome_unknown)
        return answer;
      ++conflicts;
    }
  }

 private:
  void look() {
    sk::ReadRange last;
    last.order = sk::ReadRange::newest_first;
    last.max_records = 1;
    last.max_bytes = 1;
    auto const page = store_.read(id_, last);
    end_ = {};
    crc_.reset();
    known_ = true;
    if (!page) return;
    end_ = page->log_end;
    if (!page->items().empty()) crc_ = sk::detail::crc32c(page->items().front().line);
  }

  sk::SessionStore& store_;
  std::string name_;
  sk::SessionId id_;
  sk::Position end_ = {};
  std::optional<std::uint32_t> crc_ = {};
  bool known_ = false;
};

/// All entries of a session in order, and how much damage was skipped. Torn lines are not included.
struct Found {
  std::vector<std::string> ids;
  std::size_t damage = 0;
  std::unordered_map<std::string, int> count() const {
    std::unordered_map<std::string, int> all;
    for (std::string const& id : ids) ++all[id];
    return all;
  }
};
inline Found find_all(sk::SessionStore& store, std::string const& name) {
  Found found;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = store.read(sk::SessionId::parse(name).value(), range);
    if (!page) break;
    for (auto const& item : page->items())
      if (item.type == "message") found.ids.emplace_back(item.id);
    found.damage += page->damage.size();
    more = page->more;
    range.from = page->next;
  }
  return found;
}

}
