// SPDX-License-Identifier: MIT
// Folds a transcript file into the summary of its session, from its start or from an older summary.
#pragma once
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/store/last_record.hpp>
#include <sessionkit/detail/transcript/file_summary.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_summary_inl { namespace {

bool is_whole(RecordPage::Item const& item) noexcept { return is_whole_object(item.line); }

// Looks for a line that is neither blank nor torn; most files begin with one.
class StoredLineSink final : public LineSink {
 public:
  explicit StoredLineSink(ReadWindows const& windows) : windows_(windows) {}
  std::size_t next_window(std::uint64_t bytes_read) override {
    return std::clamp(static_cast<std::size_t>(bytes_read), windows_.smallest, windows_.largest);
  }
  bool take(RawLine const& line) override {
    found = line.data == nullptr || holds_more(line, trim_line(line));
    return !found;
  }
  bool found = false;

 private:
  // Bytes after the last line end are not there yet, unless they are an object.
  static bool holds_more(RawLine const& line, TrimmedLine const& trimmed) noexcept {
    bool const nuls = trimmed.nuls_before.length + trimmed.nuls_after.length > 0;
    if (!line.terminated) return nuls || is_whole_object(trimmed.text);
    return nuls || !(trimmed.text.empty() || is_torn_object(trimmed.text));
  }
  ReadWindows const& windows_;
};

// True if the bytes may be the beginning of an escape in a string.
bool begins_escape(std::string_view bytes) noexcept {
  constexpr std::string_view longest = "\\u0000";
  bool const begins = bytes.substr(0, 2) == longest.substr(0, std::min<std::size_t>(bytes.size(), 2));
  return begins && bytes.size() < longest.size()
         && (bytes.size() <= 2 || bytes.find_first_not_of("0123456789abcdefABCDEF", 2) == bytes.npos);
}

}}

bool is_torn_object(std::string_view text) {
  if (text.empty() || text.front() != '{') return false;
  JsonCheck const check = check_json(text);
  if (check.fault != JsonCheck::syntax) return false;
  if (check.offset < text.size()) return file_summary_inl::begins_escape(text.substr(check.offset));
  // Ends it in a string? Then a quote ends the string, and only the byte after it is wrong.
  bool const in_string = check_json(std::string(text) + "\"!").offset == text.size() + 1;
  return !(in_string && text.back() == '}'); // rather a whole line, and a quote of it was changed
}

Result<bool> holds_nothing(FileReader& log) {
  Result<FileStatus> const now = log.status();
  if (!now) return now.error();
  file_summary_inl::StoredLineSink sink(log.windows());
  LineScan lines = log.scan();
  if (auto r = lines.forward(0, now->size, sink); !r) return r.error();
  return !sink.found;
}

Result<bool> shows_nothing(FileReader& log, RecordPage const& page) {
  if (std::any_of(page.items().begin(), page.items().end(), file_summary_inl::is_whole)) return false;
  return holds_nothing(log);
}

SESSIONKIT_SELDOM Result<FileSummary> summarise(FileReader& log, SessionId const& id,
                                                std::optional<SessionInfo> known,
                                                ReadProgress const& progress) {
  FileSummary out{make_session_info(id)};
  if (known && known->end != Position{}) {
    Result<bool> const all = log.ends_with(known->end, known->end_crc); // nearly always
    if (!all) return all.error();
    if (*all) return FileSummary{std::move(*known), 0, true};
    Result<bool> const holds =
        still_holds({known->end, known->end_crc}, [&](ReadRange const& page) { return log.read(page); });
    if (!holds) return holds.error();
    if (*holds) out.info = std::move(*known);
    out.exists = *holds; // a record that is still there
  }
  bool const certain = out.exists;
  ReadRange range;
  range.from = out.info.end;
  range.max_records = std::numeric_limits<std::size_t>::max();
  for (bool more = true, first = true; more; first = false) {
    Result<RecordPage> const page = log.read(range);
    if (!page) return page.error();
    for (RecordPage::Item const& item : page->items()) {
      fold(out.info, item, page->dialect);
      out.exists = true;
    }
    if (!page->items().empty()) out.info.damaged += std::exchange(out.trailing, 0);
    for (Damage const& damage : page->damage)
      if (costs_an_entry(damage)) ++(damage.offset < out.info.end.value() ? out.info.damaged : out.trailing);
    more = page->more;
    range.from = page->next;
    if (progress && (more || !first))
      progress(more ? page->next.value() : page->log_end.value(), page->log_end.value());
  }
  if (!certain && (out.exists || out.trailing > 0)) {
    Result<bool> const nothing = holds_nothing(log); // torn lines may look like records, or like damage
    if (!nothing) return nothing.error();
    out.exists = !*nothing;
  }
  return out;
}

}}}
