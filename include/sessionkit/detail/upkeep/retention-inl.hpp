// SPDX-License-Identifier: MIT
// Plans which sessions to remove by age and number, and removes them.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/dialect_detection.hpp>
#include <sessionkit/detail/file_store/foreign_folder.hpp>
#include <sessionkit/retention.hpp>
#include <sessionkit/session_key.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace retention_inl { namespace {

bool retention_spares(RetentionPolicy const& policy, SessionInfo const& info) {
  auto const& keys = policy.protected_keys;
  bool const by_key = !info.key.empty() && std::find(keys.begin(), keys.end(), info.key) != keys.end();
  return by_key || is_state_key(info.key) || (policy.is_protected && policy.is_protected(info));
}

std::string days_and_hours(std::chrono::milliseconds time) {
  auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (seconds < 60) return detail::format_text("{} s", seconds);
  if (seconds < 3600) return detail::format_text("{} min", seconds / 60);
  std::int64_t const hours = seconds / 3600;
  return hours < 24 ? detail::format_text("{} h", hours)
                    : detail::format_text("{} d {} h", hours / 24, hours % 24);
}

// The sessions of one planning, oldest first; a session that is planned for removal leaves the list.
class RetentionPlanner {
 public:
  RetentionPlanner(std::vector<SessionInfo> const& sessions, RetentionPolicy const& policy, Timestamp now)
      : policy_(policy), now_(now) {
    for (SessionInfo const& info : sessions)
      if (!policy.is_excluded || !policy.is_excluded(info)) left_.push_back(&info);
    std::stable_sort(left_.begin(), left_.end(), [](SessionInfo const* a, SessionInfo const* b) {
      return a->updated != b->updated ? a->updated < b->updated : a->id.str() < b->id.str();
    });
  }

  RetentionPlan run() {
    take_older(policy_.idle, &SessionInfo::updated, RetentionReason::idle, "no entry for ", "");
    take_older(policy_.age, &SessionInfo::created, RetentionReason::age, "created ", " ago");
    if (policy_.max_sessions != 0) take_above_count();
    if (policy_.max_bytes != 0) take_above_bytes();
    plan_.kept = left_.size();
    return std::move(plan_);
  }

 private:
  void take(SessionInfo const& info, RetentionReason reason, std::string why) {
    plan_.removals.push_back(
        {info.id, info.key, reason, std::move(why), info.updated, info.end, info.end_crc});
  }
  // Takes the unprotected sessions that are `due`, oldest first. Only sessions that are due are looked up as
  // protected, because the host's answer may cost something.
  template <class Due, class Take> void take_where(Due due, Take take_one) {
    auto const end = std::remove_if(left_.begin(), left_.end(), [&](SessionInfo const* info) {
      if (!due(*info) || retention_spares(policy_, *info)) return false;
      take_one(*info);
      return true;
    });
    left_.erase(end, left_.end());
  }
  void take_older(std::chrono::milliseconds most, Timestamp SessionInfo::*since, RetentionReason reason,
                  char const* before, char const* behind) {
    if (most.count() <= 0) return;
    auto const due = [&](SessionInfo const& info) {
      return info.*since != Timestamp{} && info.*since < now_ - most;
    };
    take_where(due, [&](SessionInfo const& info) {
      take(info, reason,
           detail::format_text("{}{}{}, the limit is {}", before, days_and_hours(now_ - info.*since), behind,
                               days_and_hours(most)));
    });
  }
  void take_above_count() {
    std::size_t const all = conversations_left();
    std::size_t above = all - std::min(all, policy_.max_sessions);
    if (above <= policy_.slack) return;
    auto const due = [&](SessionInfo const& /*info*/) { return above != 0; };
    take_where(due, [&](SessionInfo const& info) {
      --above;
      take(info, RetentionReason::count,
           detail::format_text("{} sessions, the limit is {}", all, policy_.max_sessions));
    });
  }
  void take_above_bytes() {
    std::uint64_t const all = bytes_left();
    std::uint64_t bytes = all;
    auto const due = [&](SessionInfo const& /*info*/) { return bytes > policy_.max_bytes; };
    take_where(due, [&](SessionInfo const& info) {
      bytes -= std::min(bytes, info.end.value());
      take(info, RetentionReason::bytes,
           detail::format_text("{} bytes, the limit is {}", all, policy_.max_bytes));
    });
  }
  std::size_t conversations_left() const {
    return static_cast<std::size_t>(std::count_if(
        left_.begin(), left_.end(), [](SessionInfo const* info) { return !is_state_key(info->key); }));
  }
  std::uint64_t bytes_left() const {
    std::uint64_t bytes = 0;
    for (SessionInfo const* info : left_) bytes += info->end.value();
    return bytes;
  }

  RetentionPolicy const& policy_;
  Timestamp now_;
  std::vector<SessionInfo const*> left_ = {};
  RetentionPlan plan_ = {};
};

// True if the first lines are another program's: it may still read them, so only a person removes them.
bool is_of_another_program(SessionStore& store, SessionId const& id) {
  ReadRange range;
  range.max_records = 16;
  range.max_bytes = std::size_t{64} << 10;
  Result<RecordPage> const page = store.read(id, range);
  if (!page) return false;
  detail::DialectSearch search;
  for (RecordPage::Item const& item : page->items()) search.look(item.line);
  return !search.is_known()
         && std::any_of(page->items().begin(), page->items().end(), [](RecordPage::Item const& item) {
              return !detail::program_of_line(item.line).empty();
            });
}

bool is_as_planned(Removal const& removal, SessionInfo const& info) {
  return info.end == removal.end && info.end_crc == removal.end_crc;
}

}}

char const* to_string(RetentionReason reason) noexcept {
  constexpr std::array<char const*, 4> names{"idle", "age", "count", "bytes"};
  return names[static_cast<std::size_t>(reason)];
}

RetentionPlan plan_retention(std::vector<SessionInfo> const& sessions, RetentionPolicy const& policy,
                             Timestamp now) {
  return retention_inl::RetentionPlanner(sessions, policy, now).run();
}

Result<RetentionPlan> plan_retention(SessionStore& store, RetentionPolicy const& policy, Timestamp now) {
  Result<std::vector<SessionInfo>> const all = list_all(store);
  if (!all) return all.error();
  RetentionPlan plan = plan_retention(*all, policy, now);
  auto const end = std::remove_if(plan.removals.begin(), plan.removals.end(), [&](Removal const& removal) {
    return retention_inl::is_of_another_program(store, removal.id);
  });
  plan.kept += static_cast<std::size_t>(plan.removals.end() - end);
  plan.removals.erase(end, plan.removals.end());
  return plan;
}

RetentionOutcome apply_retention(SessionStore& store, RetentionPlan const& plan, OnEvent const& on_event) {
  RetentionOutcome outcome;
  auto const failed = [&](Removal const& removal, Error error) {
    if (error.code == Errc::not_found)
      outcome.skipped.push_back(removal.id);
    else
      outcome.failed.push_back({removal.id, std::move(error)});
  };
  for (Removal const& removal : plan.removals) {
    Result<SessionInfo> const info = store.info(removal.id);
    if (!info) {
      failed(removal, info.error());
    } else if (!retention_inl::is_as_planned(removal, *info)) {
      outcome.skipped.push_back(removal.id);
    } else if (Result<void> const removed = store.remove(removal.id); !removed) {
      failed(removal, removed.error());
    } else {
      outcome.removed.push_back(removal.id);
      if (on_event) on_event({Event::retention, removal.id.str(), "removed: " + removal.why});
    }
  }
  return outcome;
}

}}
