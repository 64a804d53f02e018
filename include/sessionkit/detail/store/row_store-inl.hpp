// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/store/row_store.hpp>
#include <sessionkit/detail/file_store/session_index.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/dialect.hpp>

#include <fmt/format.h>

namespace sessionkit { inline namespace v0 { namespace detail {

Result<void> check_lines(std::vector<RecordView> const& records, LineLimits const& limits,
                         std::string_view where) {
  std::uint64_t batch = 0;
  for (RecordView const& record : records) batch += record.line.size();
  if (batch > limits.max_batch)
    return Error{Errc::invalid_argument, 0,
                 fmt::format("{}: the batch has {} bytes, the server takes {} at once; append it in parts",
                             where, batch, limits.max_batch)};
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
      return Error{Errc::invalid_argument, 0,
                   fmt::format("{}: record {} of the batch ({} bytes) {}", where, i, line.size(), wrong)};
  }
  return {};
}

AppendDecision::AppendDecision(SessionId const& id, Append const& batch, std::optional<LogTail> tail)
    : session_(id.str()), batch_(&batch), tail_(tail) {
  if (tail_ && tail_->end == Position{}) tail_.reset();
  for (RecordView const& record : batch.records) ours_.insert(record.id.empty() ? record.line : record.id);
}

Error AppendDecision::refusal(Errc code, std::string_view why) const {
  return Error{code, 0, fmt::format("session '{}': {}", session_, why)};
}

bool AppendDecision::wants_line() const noexcept {
  return tail_ && !batch_->records.empty() && batch_->expected != Position{} && batch_->expected < tail_->end;
}

void AppendDecision::line_at_expected(std::optional<std::uint32_t> crc) {
  line_seen_ = true;
  line_crc_ = crc;
}

bool AppendDecision::wants_behind() const {
  return tail_ && !batch_->records.empty() && batch_->expected < tail_->end && (!line_seen_ || line_crc_);
}

// Of what stands there, only entries of our ids count, each one's follower, and whether there is any.
bool AppendDecision::see(RecordPage::Item const& item) {
  bool const of_ours = ours_.count(item.id) > 0 || ours_.count(item.line) > 0;
  if (of_ours || follows_ours_) behind_.add(item.end, item);
  follows_ours_ = of_ours;
  bool const start = batch_->expected == Position{}; // a session is made by its first entries
  return !start || behind_.items().size() <= batch_->records.size();
}

Result<AppendPlan> AppendDecision::plan() const {
  std::size_t const all = batch_->records.size();
  bool const starts = batch_->expected == Position{};
  if (!tail_) {
    if (!starts || all == 0)
      return refusal(Errc::not_found, "it does not exist; create it or look elsewhere");
    return AppendPlan{};
  }
  if (all == 0) return AppendPlan{0, batch_->expected};
  std::optional<std::uint32_t> const crc = line_seen_ ? line_crc_ : std::optional<std::uint32_t>(tail_->crc);
  bool const beyond = batch_->expected > tail_->end || (line_seen_ && !line_crc_);
  if (!starts && (beyond || (batch_->expected_crc && crc != batch_->expected_crc)))
    return refusal(Errc::conflict, "no entry ends where the append expects it; refresh and append again");
  Result<BatchMatch> const match = match_batch(*batch_, behind_.items());
  if (!match && starts)
    return refusal(Errc::already_exists, "it exists already; open it or choose another id");
  if (!match) return refusal(match.error().code, match.error().message);
  if (match->present == all) return AppendPlan{all, match->end};
  return AppendPlan{match->present, tail_->end};
}

Error no_such_session(SessionId const& id, std::string_view where) {
  return Error{Errc::not_found, 0,
               fmt::format("there is no session '{}' in {}; create it or look elsewhere", id.str(), where)};
}

std::string to_row_text(SessionInfo const& info) {
  std::string text;
  JsonWriter out(text);
  write_index_row(IndexRow{info}, out, text);
  return text;
}

SessionInfo from_row_text(SessionId const& id, std::string_view text) {
  return parse_index_row(id, text).info;
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

std::string id_by_place(Position end) { return fmt::format("@{}", end.value()); }

std::string_view dialect_of_first_line(std::string_view line) {
  Dialect const* const dialect = detect_dialect(line);
  return dialect ? dialect->name : native_dialect().name;
}

std::string_view known_dialect(std::string_view name) {
  Dialect const* const dialect = find_dialect(name);
  return dialect ? dialect->name : native_dialect().name;
}

Result<std::optional<ListPlace>> place_behind(ListQuery const& query) {
  if (query.cursor.empty()) return std::optional<ListPlace>{};
  std::optional<ListPlace> place = parse_list_cursor(query.cursor);
  if (!place)
    return Error{Errc::invalid_argument, 0,
                 fmt::format("'{}' is no cursor of a list; pass the `next` of the page before, or none",
                             query.cursor)};
  return place;
}

SessionPage page_of_rows(std::vector<SessionInfo> rows, ListQuery const& query) {
  SessionPage page;
  bool const more = rows.size() > query.limit;
  if (more) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(query.limit), rows.end());
  if (more && !rows.empty()) page.next = list_cursor(rows.back());
  page.sessions = std::move(rows);
  return page;
}

}}}
