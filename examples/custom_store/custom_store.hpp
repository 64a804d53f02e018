// SPDX-License-Identifier: MIT
// A custom store: sessions in a std::map. The library interprets the lines; a store keeps
// them in order.
#pragma once
#include <sessionkit/sessionkit.hpp>

#include <map>
#include <mutex>

namespace custom {
using namespace sessionkit;
using Guard = std::lock_guard<std::mutex>;

class MapStore final : public SessionStore {
  struct Log {
    RecordPage records; // owns the bytes
    std::vector<std::uint32_t> crcs;
    SessionInfo info;
    std::string_view dialect; // of the first line
  };
  std::mutex mutex_;
  std::map<SessionId, Log> logs_;
  static Error missing(SessionId const& id) { return {Errc::not_found, 0, "no session " + id.str()}; }

 public:
  // [append]
  Result<Position> append(SessionId const& id, Append const& batch) override {
    Guard const lock(mutex_);
    for (RecordView const& r : batch.records)
      if (r.line.empty() || r.line.front() != '{' || r.line.back() != '}' || r.line.find('\n') != r.line.npos)
        return Error{Errc::invalid_argument, 0, "not one JSON object on one line"};
    std::size_t const at = batch.expected.value(), size = batch.records.size(); // a position counts records
    if (logs_.count(id) == 0 && (at > 0 || size == 0)) return missing(id);
    if (size == 0) return batch.expected;
    if (logs_.count(id) == 0 && !batch.unless_active.empty())
      for (auto const& log : logs_)
        if (selects(active_query(batch.unless_active), log.second.info))
          return Error{Errc::conflict, 0, "the key has the session " + log.first.str() + "; open that one"};
    Dialect const* const found =
        batch.dialect.empty() ? detect_dialect(batch.records.front().line) : find_dialect(batch.dialect);
    auto& [records, crcs, info, dialect] =
        logs_.try_emplace(id, Log{{}, {}, make_session_info(id), found ? found->name : "native"})
            .first->second;
    if (at > crcs.size() || (at > 0 && batch.expected_crc && *batch.expected_crc != crcs[at - 1]))
      return Error{Errc::conflict, 0, "another log than expected; refresh"};
    if (batch.only_new && at == 0 && !crcs.empty())
      return Error{Errc::already_exists, 0, "the session exists; choose another id"};
    auto const after = records.items().begin() + static_cast<std::ptrdiff_t>(at);
    auto const match = match_batch(batch, {after, records.items().end()});
    if (!match) return Error{at == 0 ? Errc::already_exists : match.error().code, 0, match.error().message};
    if (match->present == size) return match->end;
    for (std::size_t i = match->present; i < size; ++i) {
      RecordView record = batch.records[i];
      std::string const place = "@" + std::to_string(crcs.size() + 1);
      if (record.id.empty()) record.id = place;
      records.add(Position{crcs.size() + 1}, record);
      fold(info, records.items().back(), dialect);
      crcs.push_back(info.end_crc);
    }
    if (batch.after) info = *batch.after;
    return info.end = Position{crcs.size()};
  }
  // [append]
  // [read]
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    Guard const lock(mutex_);
    if (logs_.count(id) == 0) return missing(id);
    auto const& all = logs_.at(id).records.items();
    bool const back = range.order == ReadRange::newest_first;
    std::size_t at = back ? all.size() : 0, bytes = 0;
    if (range.from) at = std::min<std::size_t>(range.from->value(), all.size());
    RecordPage page;
    for (; back ? at > 0 : at < all.size(); back ? --at : ++at) {
      auto const& item = all[back ? at - 1 : at];
      bytes += item.line.size();
      if (!page.items().empty() && (page.items().size() >= range.max_records || bytes > range.max_bytes))
        break;
      page.add(item.end, item);
    }
    page.more = back ? at > 0 : at < all.size(), page.next = Position{at},
    page.log_end = Position{all.size()}, page.dialect = logs_.at(id).dialect;
    return page;
  }
  // [read]
  // [rest]
  Result<SessionInfo> info(SessionId const& id) override {
    Guard const lock(mutex_);
    return logs_.count(id) == 0 ? Result<SessionInfo>(missing(id)) : logs_.at(id).info;
  }
  Result<SessionPage> list(ListQuery const& query) override {
    Guard const lock(mutex_);
    std::vector<SessionInfo> matching;
    for (auto const& [id, log] : logs_)
      if (selects(query, log.info)) matching.push_back(log.info);
    return page_of(std::move(matching), query);
  }
  Result<void> remove(SessionId const& id) override {
    Guard const lock(mutex_);
    return logs_.erase(id) > 0 ? Result<void>{} : missing(id);
  }
  // [rest]
};

}
