// SPDX-License-Identifier: MIT
// Implements the smallest store, which keeps sessions in maps and is the model for the other stores.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/mutex.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/memory_store.hpp>

#include <map>

namespace sessionkit { inline namespace v0 {

namespace memory_store_inl { namespace {

class MemoryStore final : public SessionStore {
 public:
  explicit MemoryStore(Profile const& profile) noexcept : SessionStore(profile) {}

  Result<Position> append(SessionId const& id, Append const& batch) override {
    if (auto r = process_.check(); !r) return r.error();
    if (auto r = detail::check_lines(batch.records, {}, "session '" + id.str() + "'"); !r) return r.error();
    std::lock_guard<detail::Mutex> const lock(mutex_);
    auto const found = logs_.find(id);
    std::optional<detail::LastRecord> last;
    if (found != logs_.end()) last = {Position{found->second.rows.size()}, found->second.info.end_crc};
    detail::AppendDecision decision(id, batch, last);
    auto const expected = static_cast<std::size_t>(batch.expected.value());
    if (decision.wants_line())
      decision.line_at_expected(decision.expects({found->second.rows[expected - 1].view(), batch.expected}));
    if (decision.wants_behind())
      for (std::size_t i = expected; i < found->second.rows.size(); ++i)
        if (!decision.see({found->second.rows[i].view(), Position{i + 1}})) break;
    Result<detail::AppendPlan> const plan = decision.plan();
    if (!plan) return plan.error();
    if (plan->from == batch.records.size()) return plan->end;
    if (found != logs_.end()) return write(found->second, batch, *plan);
    if (detail::is_sole_start(batch))
      for (auto const& [other, log] : logs_)
        if (selects(active_query(batch.unless_active), log.info))
          return detail::key_has_session(id, batch.unless_active, other.str());
    MemoryLog log{{}, make_session_info(id), detail::dialect_of_start(batch)};
    return write(logs_.try_emplace(id, std::move(log)).first->second, batch, *plan);
  }

  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    if (auto r = process_.check(); !r) return r.error();
    std::lock_guard<detail::Mutex> const lock(mutex_);
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
    if (auto r = process_.check(); !r) return r.error();
    std::lock_guard<detail::Mutex> const lock(mutex_);
    auto const found = logs_.find(id);
    if (found == logs_.end()) return missing(id);
    return found->second.info;
  }

  Result<SessionPage> list(ListQuery const& query) override {
    if (auto r = process_.check(); !r) return r.error();
    std::lock_guard<detail::Mutex> const lock(mutex_);
    std::vector<SessionInfo> matching;
    for (auto const& [id, log] : logs_)
      if (selects(query, log.info)) matching.push_back(log.info);
    return page_of(std::move(matching), query);
  }

  SESSIONKIT_SELDOM Result<void> remove(SessionId const& id) override {
    if (auto r = process_.check(); !r) return r;
    std::lock_guard<detail::Mutex> const lock(mutex_);
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

  static Position write(MemoryLog& log, Append const& batch, detail::AppendPlan const& plan) {
    std::vector<Position> ends;
    for (std::size_t i = plan.from; i < batch.records.size(); ++i) {
      RecordView const& r = batch.records[i];
      ends.emplace_back(log.rows.size() + 1);
      std::string name = r.id.empty() ? detail::id_by_place(ends.back()) : std::string(r.id);
      log.rows.push_back(
          {std::move(name), std::string(r.type), std::string(r.line), std::string(r.parent), r.link});
    }
    log.info = detail::info_after(std::move(log.info), batch, plan, ends, log.dialect);
    return ends.back();
  }

  static Error missing(SessionId const& id) { return detail::no_such_session(id, place); }
  static constexpr char const* place = "this store in memory";

  detail::OpeningProcess process_{place};
  detail::Mutex mutex_;
  std::map<SessionId, MemoryLog> logs_;
};

}}

std::shared_ptr<SessionStore> make_memory_store(Profile const& profile) {
  return std::make_shared<memory_store_inl::MemoryStore>(profile);
}

}}
