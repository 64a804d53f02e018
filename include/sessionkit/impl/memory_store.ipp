// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/crc32c.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/memory_store.hpp>

#include <fmt/format.h>

#include <map>
#include <mutex>

namespace sessionkit { inline namespace v0 {

namespace {

class MemoryStore final : public SessionStore {
 public:
  Result<Position> append(SessionId const& id, Append const& batch) override {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto const found = logs_.find(id);
    if (found == logs_.end()) {
      if (batch.expected != Position{}) return missing(id);
      if (batch.records.empty())
        return Error{Errc::invalid_argument, 0, "a new session needs a header; the batch is empty"};
      Dialect const* const dialect = detect_dialect(batch.records.front().line);
      MemoryLog log{{}, make_session_info(id), dialect ? dialect->name : native_dialect().name};
      return write(logs_.try_emplace(id, std::move(log)).first->second, batch, 0);
    }
    MemoryLog& log = found->second;
    if (batch.expected.value() > log.rows.size())
      return Error{Errc::conflict, 0,
                   fmt::format("session '{}' is shorter than expected; refresh", id.str())};
    if (batch.expected_crc && batch.expected.value() > 0
        && detail::crc32c(log.rows[batch.expected.value() - 1].line) != *batch.expected_crc)
      return Error{Errc::conflict, 0,
                   fmt::format("session '{}' is another log than expected; refresh", id.str())};
    Result<BatchMatch> const match = match_batch(batch, items(log, batch.expected.value(), log.rows.size()));
    if (!match)
      return batch.expected == Position{} ? Error{Errc::already_exists, 0, exists(id)} : match.error();
    if (batch.records.empty()) return batch.expected;
    if (match->present == batch.records.size()) return match->end;
    return write(log, batch, match->present);
  }

  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto const found = logs_.find(id);
    if (found == logs_.end()) return missing(id);
    auto const& rows = found->second.rows;
    bool const backwards = range.order == ReadRange::newest_first;
    std::size_t at = backwards ? rows.size() : 0;
    if (range.from) at = std::min<std::size_t>(range.from->value(), rows.size());
    RecordPage page;
    page.dialect = found->second.dialect;
    std::size_t bytes = 0;
    while (backwards ? at > 0 : at < rows.size()) {
      MemoryRow const& row = rows[backwards ? at - 1 : at];
      if (!page.items().empty()
          && (page.items().size() >= range.max_records || bytes + row.line.size() > range.max_bytes))
        break;
      page.add(Position{backwards ? at : at + 1}, row.view());
      bytes += row.line.size();
      backwards ? --at : ++at;
    }
    page.more = backwards ? at > 0 : at < rows.size();
    page.next = Position{at};
    page.log_end = Position{rows.size()};
    return page;
  }

  Result<SessionInfo> info(SessionId const& id) override {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto const found = logs_.find(id);
    if (found == logs_.end()) return missing(id);
    return found->second.info;
  }

  Result<SessionPage> list(ListQuery const& query) override {
    std::lock_guard<std::mutex> const lock(mutex_);
    std::vector<SessionInfo> matching;
    for (auto const& [id, log] : logs_)
      if (selects(query, log.info)) matching.push_back(log.info);
    return page_of(std::move(matching), query);
  }

  Result<void> remove(SessionId const& id) override {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (logs_.erase(id) == 0) return missing(id);
    return {};
  }

 private:
  struct MemoryRow {
    std::string id, type, line, parent;
    Parent link;
    RecordView view() const { return {id, type, line, link, parent}; }
  };
  struct MemoryLog {
    std::vector<MemoryRow> rows;
    SessionInfo info;
    std::string_view dialect;
  };

  static std::vector<RecordPage::Item> items(MemoryLog const& log, std::size_t begin, std::size_t end) {
    std::vector<RecordPage::Item> views;
    for (std::size_t i = begin; i < end; ++i) views.push_back({log.rows[i].view(), Position{i + 1}});
    return views;
  }

  static Result<Position> write(MemoryLog& log, Append const& batch, std::size_t present) {
    for (std::size_t i = present; i < batch.records.size(); ++i) {
      RecordView const& r = batch.records[i];
      std::string name = r.id.empty() ? fmt::format("@{}", log.rows.size() + 1) : std::string(r.id);
      log.rows.push_back(
          {std::move(name), std::string(r.type), std::string(r.line), std::string(r.parent), r.link});
      MemoryRow const& row = log.rows.back();
      if (!batch.after) fold(log.info, RecordPage::Item{row.view(), Position{log.rows.size()}}, log.dialect);
    }
    Position const end{log.rows.size()};
    if (batch.after) {
      log.info = *batch.after;
      log.info.end = end;
    }
    return end;
  }

  static std::string exists(SessionId const& id) {
    return fmt::format("session '{}' exists already; open it or choose another id", id.str());
  }
  static Error missing(SessionId const& id) {
    return Error{Errc::not_found, 0, fmt::format("there is no session '{}' in this store", id.str())};
  }

  std::mutex mutex_;
  std::map<SessionId, MemoryLog> logs_;
};

}

std::shared_ptr<SessionStore> make_memory_store() { return std::make_shared<MemoryStore>(); }

}}
