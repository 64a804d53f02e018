// SPDX-License-Identifier: MIT
// Folds the lines that a check of a transcript reads into the summary of the session.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/dialects/native_decode.hpp>
#include <sessionkit/detail/dialects/session_info.hpp>
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/transcript/verified_summary.hpp>
#include <sessionkit/tokens.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace verified_summary_inl { namespace {

// So many bytes after the last number of tokens are read again. If there are more, their texts are decoded.
constexpr std::uint64_t most_read_again = std::uint64_t{1} << 20;
constexpr std::size_t most_findings = 1000; // of a page: then it joins neighbours, and counts fewer

}}

VerifiedSummary::VerifiedSummary(FileReader& log, SessionId id)
    : log_(&log), summary_{make_session_info(std::move(id))} {}

void VerifiedSummary::add(RecordView const& record, Position end, JsonMap const* map) {
  SessionInfo& info = summary_.info;
  info.damaged += std::exchange(summary_.trailing, 0);
  summary_.exists = true;
  bool const may =
      map != nullptr && counted_ && end.value() - counted_->value() <= verified_summary_inl::most_read_again;
  bool counts = false;
  if (std::optional<Entry> const entry = may ? without_content(record, *map) : std::nullopt) {
    auto const tokens = info.tokens;
    counts = fold_entry(info, *entry, end, 0, false);
    if (!counts && info.tokens) info.tokens = tokens;
    left_out_ = end;
  } else {
    counts = fold_record(info, {record, end}, log_->dialect());
  }
  if (counts || !info.tokens) // the texts before the end do not matter any more
    counted_ = info.first_user_text.empty() ? std::nullopt : std::optional<Position>(end);
}

void VerifiedSummary::add(Damage const& damage) {
  ++findings_;
  if (costs_an_entry(damage))
    ++(damage.offset < summary_.info.end.value() ? summary_.info.damaged : summary_.trailing);
}

// Depends on the record alone, so that the same records are found again.
std::optional<Entry> VerifiedSummary::without_content(RecordView const& record, JsonMap const& map) const {
  if (&log_->dialect() != &native_dialect()) return std::nullopt;
  return decode_without_content(record, map);
}

Result<FileSummary> VerifiedSummary::finish() {
  SessionInfo& info = summary_.info;
  bool right = findings_ < verified_summary_inl::most_findings;
  if (right && left_out_ == info.end && summary_.exists) {
    Result<bool> const found = take_last_crc();
    if (!found) return found.error();
    right = *found;
  }
  if (!right) return summarise(*log_, info.id, {});
  summary_.exists = summary_.exists || summary_.trailing > 0;
  if (info.tokens && counted_ && left_out_ > *counted_) {
    Result<std::size_t> const tokens = left_out_tokens();
    if (!tokens) return tokens.error();
    *info.tokens += *tokens;
  }
  return std::move(summary_);
}

// False: the last record is not the one that was added last.
Result<bool> VerifiedSummary::take_last_crc() {
  ReadRange range;
  range.from = summary_.info.end;
  range.order = ReadRange::newest_first;
  range.max_records = 1;
  Result<RecordPage> const page = log_->read(range);
  if (!page) return page.error();
  if (page->items().empty() || page->items().front().end != summary_.info.end) return false;
  summary_.info.end_crc = crc32c(page->items().front().line);
  return true;
}

// Reads the records again whose texts were left out since the last number of tokens.
Result<std::size_t> VerifiedSummary::left_out_tokens() {
  std::size_t tokens = 0;
  JsonMap map;
  ReadRange range;
  range.from = *counted_;
  range.max_bytes = static_cast<std::size_t>(left_out_.value() - counted_->value());
  for (bool more = true; more;) {
    Result<RecordPage> const page = log_->read(range);
    if (!page) return page.error();
    for (RecordPage::Item const& item : page->items()) {
      if (item.end > left_out_) break;
      if (!check_json(item.line, map) || !without_content(item, map)) continue;
      Result<Entry> const entry = log_->dialect().decode(item);
      if (Message const* const message = entry ? entry->as<Message>() : nullptr)
        tokens += estimate_tokens(*message);
    }
    range.from = page->next;
    more = page->more && page->next < left_out_;
  }
  return tokens;
}

}}}
