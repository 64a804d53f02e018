// SPDX-License-Identifier: MIT
// Checks the lines of an append, decides which of them to write, and computes the new summary.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/dialects/dialect_detection.hpp>
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/session_info.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace append_decision_inl { namespace {
constexpr char const* taken = "it exists already; open it or choose another id";
}}

Result<void> check_lines(std::vector<RecordView> const& records, LineLimits const& limits,
                         std::string_view where) {
  std::uint64_t batch = 0;
  for (RecordView const& record : records) batch += record.line.size();
  if (batch > limits.max_batch)
    return detail::make_error(Errc::invalid_argument,
                              "{}: the batch has {} bytes, the server takes {} at once; append it in parts",
                              where, batch, limits.max_batch);
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::string_view const line = records[i].line;
    char const* wrong = nullptr;
    if (line.size() > limits.max_line)
      wrong = "is longer than max_line; make it shorter or raise max_line";
    else if (line.find('\n') != std::string_view::npos)
      wrong = "holds a line end; give one JSON object on one line";
    else if (line.empty() || line.front() != '{' || line.back() != '}')
      wrong = "is no JSON object; give one on one line";
    else if (limits.utf8_only && !is_utf8(line))
      wrong = "has bytes that are not UTF-8, which this store cannot keep; replace them";
    if (wrong != nullptr)
      return detail::make_error(Errc::invalid_argument, "{}: record {} of the batch ({} bytes) {}", where, i,
                                line.size(), wrong);
  }
  return {};
}

AppendDecision::AppendDecision(SessionId const& id, Append const& batch,
                               std::optional<LastRecord> const& last)
    : name_(id.str()), is_path_(false), batch_(&batch), only_new_(batch.only_new) {
  if (!last || last->end == Position{}) return;
  end_ = last->end;
  crc_ = last->crc;
}

AppendDecision::AppendDecision(std::string const& path, Append const& batch, Position end,
                               std::optional<std::uint32_t> crc) noexcept
    : name_(path), is_path_(true), batch_(&batch), end_(end), crc_(crc), only_new_(batch.only_new) {}

Error AppendDecision::refusal(Errc code, std::string_view why) const {
  if (is_path_) return detail::make_error(code, "{}: {}", name_, why);
  return detail::make_error(code, "session '{}': {}", name_, why);
}

bool AppendDecision::wants_line() const noexcept {
  if (!end_ || batch_->records.empty() || starts()) return false;
  return batch_->expected < *end_ || (batch_->expected == *end_ && !crc_);
}

bool AppendDecision::expects(RecordPage::Item const& record) const noexcept {
  if (!batch_->expected_crc) return ends_there(record.end, batch_->expected);
  return is_last_record(record, {batch_->expected, *batch_->expected_crc});
}

bool AppendDecision::wants_behind() const noexcept {
  return end_ && !batch_->records.empty() && batch_->expected < *end_ && line_.value_or(true);
}

// Only these records count: entries of our ids, the one after each, and whether there is any.
bool AppendDecision::see(RecordPage::Item const& record) {
  if (ours_.empty())
    for (RecordView const& own : batch_->records) ours_.insert(own.id.empty() ? own.line : own.id);
  bool const of_ours = ours_.count(record.id) > 0 || ours_.count(record.line) > 0;
  if (of_ours || follows_ours_) behind_.add(record.end, record);
  follows_ours_ = of_ours;
  return !starts() || behind_.items().size() <= batch_->records.size(); // its first entries make a session
}

Result<AppendPlan> AppendDecision::plan() const {
  std::size_t const all = batch_->records.size();
  if (!end_) {
    if (!starts() || all == 0)
      return refusal(Errc::not_found, "it does not exist; create it or look elsewhere");
    return AppendPlan{};
  }
  if (all == 0) return AppendPlan{0, batch_->expected};
  if (only_new_ && starts() && *end_ != Position{})
    return refusal(Errc::already_exists, append_decision_inl::taken);
  bool const other_tail = !line_ && crc_ && batch_->expected_crc && *crc_ != *batch_->expected_crc;
  if (!starts() && (batch_->expected > *end_ || !line_.value_or(true) || other_tail))
    return refusal(
        Errc::conflict,
        detail::format_text("no entry ends at {}, where the append expects one; refresh and append again",
                            batch_->expected.value()));
  Result<BatchMatch> const match = match_batch(*batch_, behind_.items());
  if (!match && starts()) return refusal(Errc::already_exists, append_decision_inl::taken);
  if (!match) return refusal(match.error().code, match.error().message);
  if (match->present == all) return AppendPlan{all, match->end};
  return AppendPlan{match->present, *end_};
}

Error key_has_session(SessionId const& id, std::string_view key, std::string_view other) {
  return detail::make_error(Errc::conflict,
                            "session '{}' was not started: key '{}' has the session '{}'; open that one",
                            id.str(), key, other);
}

Error removal_in_doubt(SessionId const& id, Error const& why) {
  return detail::make_error(Errc::outcome_unknown, why.system,
                            "session '{}': it is removed, but may be back after power loss: {}", id.str(),
                            why.message);
}

Error removal_incomplete(SessionId const& id, Error const& why) {
  return detail::make_error(
      Errc::outcome_unknown, why.system,
      "session '{}': its transcript is deleted, but something of it is left: {}; delete "
      "the file, or write the index again (sessionkit reindex)",
      id.str(), why.message);
}

Error no_such_session(SessionId const& id, std::string_view where) {
  return detail::make_error(Errc::not_found, "there is no session '{}' in {}; create it or look elsewhere",
                            id.str(), where);
}

SessionInfo info_after(SessionInfo before, Append const& batch, AppendPlan const& plan,
                       std::vector<Position> const& ends, std::string_view dialect) {
  if (batch.after != nullptr) {
    SessionId const id = before.id;
    before = *batch.after;
    before.id = id;
  } else {
    for (std::size_t i = plan.from; i < batch.records.size(); ++i) {
      RecordPage::Item item{batch.records[i], ends[i - plan.from]};
      std::string const place = item.id.empty() ? id_by_place(item.end) : std::string();
      if (item.id.empty()) item.id = place;
      fold(before, item, dialect);
    }
  }
  if (!ends.empty()) {
    before.end = ends.back();
    before.end_crc = crc32c(batch.records.back().line);
  }
  return before;
}

std::string id_by_place(Position end) { return detail::format_text("@{}", end.value()); }

std::string_view dialect_of_start(Append const& batch) {
  DialectSearch search(find_dialect(batch.dialect));
  for (RecordView const& record : batch.records)
    if (search.look(record.line)) break;
  return search.dialect().name;
}

std::string_view known_dialect(std::string_view name) {
  Dialect const* const dialect = find_dialect(name);
  return dialect ? dialect->name : native_dialect().name;
}

}}}
