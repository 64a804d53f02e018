// SPDX-License-Identifier: MIT
// Copies sessions from one store to another, line by line, and compares them.
#pragma once
#include <sessionkit/copy.hpp>
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/dialect.hpp>

#include <array>
#include <deque>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace copy_inl { namespace {

/// Reads the records of a log one by one, and holds one page in memory.
class CopySource {
 public:
  CopySource(SessionStore& store, SessionId const& id, Position from) : store_(store), id_(id), at_(from) {}

  /// Null: there are no more records.
  Result<RecordPage::Item const*> next() {
    while (used_ == page_.items().size()) {
      if (read_ && !page_.more) return static_cast<RecordPage::Item const*>(nullptr);
      ReadRange range;
      if (at_ != Position{}) range.from = at_;
      Result<RecordPage> page = store_.read(id_, range);
      if (!page) return page.error();
      page_ = std::move(*page);
      at_ = page_.next;
      used_ = 0;
      read_ = true;
    }
    return &page_.items()[used_++];
  }

 private:
  SessionStore& store_;
  SessionId const& id_;
  Position at_;
  RecordPage page_ = {};
  std::size_t used_ = 0;
  bool read_ = false;
};

CopyState copy_state(bool log_ended, bool copy_ended) {
  if (log_ended && copy_ended) return CopyState::same;
  return log_ended ? CopyState::ahead : CopyState::behind;
}

/// A record to give to a store. If its line carries no id, the store assigns one.
RecordView record_of_line(RecordPage::Item const& item, Dialect const& dialect,
                          std::deque<std::string>& scratch) {
  RecordView record = static_cast<RecordView const&>(item), head;
  bool const named = dialect.head(item.line, head, scratch) && !head.id.empty();
  if (!named) record.id = {};
  return record;
}

struct RowFact {
  char const* name;
  std::string SessionInfo::*member;
};
constexpr std::array<RowFact, 4> row_facts{{{"key", &SessionInfo::key},
                                            {"agent", &SessionInfo::agent},
                                            {"user", &SessionInfo::user},
                                            {"title", &SessionInfo::title}}};

/// The summary of a copy that has only the header. Facts that the log lacks come from the source's row.
SessionInfo first_row(RecordPage::Item const& header, std::string_view dialect, SessionInfo const& source) {
  SessionInfo row = make_session_info(source.id);
  fold(row, header, dialect);
  for (RowFact const& fact : row_facts)
    if ((row.*fact.member).empty()) row.*fact.member = source.*fact.member;
  row.title_by_person = source.title_by_person;
  row.archived = source.archived;
  return row;
}

class LogCopy {
 public:
  LogCopy(SessionStore& from, SessionStore& to, SessionId const& id, CopyExtent const& there)
      : from_(from), to_(to), id_(id), at_(there) {}

  /// Writes all missing lines and answers how many there were.
  Result<std::uint64_t> run(CopyProgress const& progress) {
    bool more = true;
    while (more) {
      ReadRange range;
      if (at_.end != Position{}) range.from = at_.end;
      Result<RecordPage> const page = from_.read(id_, range);
      if (!page) return page.error();
      more = page->more;
      Result<void> const put = write(*page);
      if (!put) return put.error();
      at_.end = page->next;
      if (progress) progress(page->items().size());
    }
    return written_;
  }

 private:
  Result<void> write(RecordPage const& page) {
    if (page.items().empty()) return {};
    bool const starts = at_.copy_end == Position{};
    std::size_t const header = starts && has_header(page) ? 1 : 0;
    if (header != 0) {
      Result<SessionInfo> const source = from_.info(id_);
      if (!source) return source.error();
      SessionInfo const row = first_row(page.items().front(), page.dialect, *source);
      if (auto put = append(page, 0, 1, &row); !put) return put;
    }
    return append(page, header, page.items().size(), nullptr);
  }

  static bool has_header(RecordPage const& page) {
    Result<Entry> const first = decode(page, page.items().front());
    return first && first->as<Header>() != nullptr;
  }

  Result<void> append(RecordPage const& page, std::size_t begin, std::size_t end, SessionInfo const* after) {
    if (begin == end) return {};
    Dialect const& dialect = *find_dialect(page.dialect);
    std::deque<std::string> scratch;
    Append batch;
    batch.expected = at_.copy_end;
    batch.expected_crc = at_.crc;
    batch.after = after;
    batch.dialect = page.dialect;
    batch.durable = !page.more && end == page.items().size();
    for (std::size_t i = begin; i < end; ++i)
      batch.records.push_back(record_of_line(page.items()[i], dialect, scratch));
    Result<Position> const put = to_.append(id_, batch);
    if (!put) return in_log(put.error(), batch.records.size());
    at_.copy_end = *put;
    at_.crc = detail::crc32c(batch.records.back().line);
    written_ += batch.records.size();
    return {};
  }

  // A store reports places within the batch, so the error names the batch's lines in the log.
  Error in_log(Error error, std::size_t batch) const {
    std::uint64_t const before = at_.lines + written_;
    error.message = detail::format_text("session '{}', of the lines {} to {}: {}", id_.str(), before + 1,
                                        before + batch, error.message);
    return error;
  }

  SessionStore& from_;
  SessionStore& to_;
  SessionId const& id_;
  CopyExtent at_;
  std::uint64_t written_ = 0;
};

/// Compares the rows of the source and the copy, and notes what differs.
Result<void> note_rows(SessionStore& from, SessionStore& to, CopiedLog& done, SessionId const& id) {
  Result<SessionInfo> const source = from.info(id);
  if (!source) return source.error();
  done.damaged = source->damaged;
  if (done.after != CopyState::same) return {}; // differences may go away when the missing lines are copied
  Result<SessionInfo> const copy = to.info(id);
  if (!copy) return copy.error();
  for (RowFact const& fact : row_facts)
    if (*source.*fact.member != *copy.*fact.member) done.losses.emplace_back(fact.name);
  if (source->archived != copy->archived) done.losses.emplace_back("archived");
  return {};
}

}}

char const* to_string(CopyState state) noexcept {
  constexpr std::array<char const*, 5> names{"missing", "behind", "same", "ahead", "different"};
  return names[static_cast<std::size_t>(state)];
}

Result<CopyExtent> compare_logs(SessionStore& store, SessionStore& copies, SessionId const& id,
                                CopyExtent known, CopyProgress const& progress) {
  constexpr std::uint64_t reported_at_once = 1024;
  CopyExtent both = known;
  copy_inl::CopySource log(store, id, known.end), copy(copies, id, known.copy_end);
  for (std::uint64_t since = 0;; ++since) {
    Result<RecordPage::Item const*> const ours = log.next();
    if (!ours) return ours.error();
    Result<RecordPage::Item const*> const theirs = copy.next();
    if (!theirs && theirs.error().code != Errc::not_found) return theirs.error();
    bool const ended = *ours == nullptr || !theirs || *theirs == nullptr;
    if (progress && (ended || since == reported_at_once)) progress(std::exchange(since, 0));
    if (!theirs) return both;
    if (ended) {
      both.state = copy_inl::copy_state(*ours == nullptr, *theirs == nullptr);
      return both;
    }
    if ((*ours)->line != (*theirs)->line) {
      both.state = CopyState::different;
      return both;
    }
    ++both.lines;
    both.end = (*ours)->end;
    both.copy_end = (*theirs)->end;
    both.crc = detail::crc32c((*ours)->line);
  }
}

Result<CopiedLog> copy_session(SessionStore& from, SessionStore& to, SessionId const& id,
                               CopyProgress const& progress) {
  Result<CopyExtent> both = compare_logs(from, to, id, {}, progress);
  if (!both) return both.error();
  CopiedLog done;
  done.before = both->state;
  if (both->state == CopyState::missing || both->state == CopyState::behind) {
    Result<std::uint64_t> const written = copy_inl::LogCopy(from, to, id, *both).run(progress);
    if (!written) {
      bool const never = written.error().code == Errc::invalid_argument;
      if (never && done.before == CopyState::missing) (void)to.remove(id);
      return written.error();
    }
    done.written = *written;
    std::uint64_t const expected = both->lines + *written;
    both = compare_logs(from, to, id, *both);
    if (!both) return both.error();
    if (both->lines < expected)
      return detail::make_error(Errc::corrupt,
                                "session '{}': the copy reads back otherwise than it was written, from line "
                                "{} on; remove it and copy again",
                                id.str(), both->lines + 1);
  }
  done.after = both->state;
  done.lines = both->lines;
  Result<void> const noted = copy_inl::note_rows(from, to, done, id);
  if (!noted) return noted.error();
  return done;
}

}}
