// SPDX-License-Identifier: MIT
// Reads the records of one transcript file, a page at a time, from either end.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/dialect_detection.hpp>
#include <sessionkit/detail/dialects/glued_lines.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/transcript/file_reader.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_reader_inl { namespace {

constexpr std::size_t most_items = 32768;     // of one page: a record takes more memory than a short line
constexpr std::size_t single_findings = 1000; // then neighbouring bad lines become one finding
constexpr std::size_t filtered_window = std::size_t{64} << 10; // stays in the processor's cache

Damage nul_damage(TrimmedLine::Run run) {
  return Damage{run.offset, run.length, DamageKind::nul_run,
                detail::format_text("{} bytes where a system crash may have left NULs; they are passed over",
                                    run.length)};
}

// Reads the beginning of a file until there is a record, and the dialect is found.
class FirstRecordSink final : public LineSink {
 public:
  FirstRecordSink(FileReader const& reader, DialectSearch& search) : reader_(reader), search_(search) {}
  std::size_t next_window(std::uint64_t bytes_read) override {
    if (is_done() || search_.is_enough(bytes_read)) return 0;
    return bytes_read == 0 ? reader_.windows().smallest
                           : std::min(static_cast<std::size_t>(bytes_read) * 2, reader_.windows().largest);
  }
  bool take(RawLine const& line) override {
    if (line.data == nullptr) return true;
    std::string_view const text = trim_line(line).text;
    search_.look(text);
    std::vector<Damage> ignored;
    for (RawLine const& part : glued_parts(line, text, ignored)) search_.look(trim_line(part).text);
    if (end == 0) end = reader_.ends_of(line).first;
    return !is_done();
  }
  std::uint64_t end = 0;

 private:
  bool is_done() const noexcept { return end != 0 && search_.is_decided(); }

  FileReader const& reader_;
  DialectSearch& search_;
};

// Looks from the end of a file for the last record.
class LastRecordSink final : public LineSink {
 public:
  explicit LastRecordSink(FileReader const& reader) : reader_(reader) {}
  std::size_t next_window(std::uint64_t bytes_read) override {
    if (end != 0) return 0;
    return std::clamp(static_cast<std::size_t>(bytes_read), reader_.windows().smallest,
                      reader_.windows().largest); // twice as much each time
  }
  bool take(RawLine const& line) override {
    if (end != 0) return false;
    if (line.data == nullptr) return true;
    end = reader_.ends_of(line).last;
    return true;
  }
  std::uint64_t end = 0;

 private:
  FileReader const& reader_;
};

// Collects the records of one page.
class PageSink final : public LineSink {
 public:
  PageSink(FileReader const& reader, ReadRange const& range, std::uint64_t limit, RecordPage& page)
      : reader_(reader), range_(range), page_(page), limit_(limit), next_(limit) {}

  std::size_t next_window(std::uint64_t bytes_read) override {
    ReadWindows const& sizes = reader_.windows();
    if (!page_.items().empty() && (is_full() || bytes_read >= range_.max_bytes)) return 0;
    if (range_.filter != nullptr) return filtered_window;
    // If all records that fit are asked for, they share one piece of memory, which is used again.
    bool const takes_all = range_.max_records == std::numeric_limits<std::size_t>::max();
    std::size_t const first = takes_all ? sizes.largest : sizes.first;
    window_ = window_ == 0 ? first : std::min(window_ * 2, sizes.largest);
    std::uint64_t const left = range_.max_bytes > bytes_read ? range_.max_bytes - bytes_read : 0;
    if (page_.items().empty() && bytes_read > 0) return window_;
    return std::max<std::size_t>(sizes.smallest,
                                 static_cast<std::size_t>(std::min<std::uint64_t>(window_, left)));
  }

  bool take(RawLine const& line) override {
    if (is_full()) return false;
    if (range_.filter != nullptr && is_unwanted(line)) return pass_over(line);
    TrimmedLine const trimmed = line.data != nullptr ? trim_line(line) : TrimmedLine{};
    if (!page_.items().empty() && bytes_ + trimmed.text.size() > range_.max_bytes) return false;
    if (range_.heads_only && take_head(line, trimmed)) return true;
    std::vector<RawLine> parts;
    if (line.data != nullptr) parts = glued_parts(line, trimmed.text, found_);
    if (!parts.empty()) return take_parts(line, std::move(parts));
    if (backwards() && line.end() > limit_) return found_.clear(), true;
    bool const is_record = take_one(line, trimmed);
    bool const there = line.terminated || is_record; // what is not there yet is read again
    if (backwards())
      next_ = line.offset;
    else if (there)
      next_ = line.end();
    return true;
  }

  void retire(std::unique_ptr<char[]>& buffer) override {
    if (std::exchange(in_use_, false)) page_.keep(std::move(buffer));
  }

  std::uint64_t next() const noexcept { return next_; }

 private:
  bool backwards() const noexcept { return range_.order == ReadRange::newest_first; }
  bool is_full() const noexcept {
    return !page_.items().empty() && page_.items().size() >= std::min(range_.max_records, most_items);
  }

  // Only of a line that looks whole: the others are reported.
  bool is_unwanted(RawLine const& line) const noexcept {
    if (line.data == nullptr || !line.terminated || line.length < 2) return false;
    std::string_view const text(line.data, static_cast<std::size_t>(line.length));
    return text.front() == '{' && text.back() == '}' && !range_.filter->passes(text);
  }
  bool pass_over(RawLine const& line) noexcept {
    next_ = backwards() ? line.offset : line.end();
    return true;
  }

  // False: only the whole line shows it.
  bool take_head(RawLine const& line, TrimmedLine const& trimmed) {
    bool const sound = line.terminated && !trimmed.text.empty() && trimmed.text.size() == line.length
                       && trimmed.text.back() == '}' && (!backwards() || line.end() <= limit_);
    RecordView record;
    if (!sound || !reader_.dialect().head(trimmed.text, record, unescaped_)) return false;
    add(line, trimmed, record);
    next_ = backwards() ? line.offset : line.end();
    return true;
  }

  // Several records end on this line: a page may begin and end between them.
  bool take_parts(RawLine const& line, std::vector<RawLine> parts) {
    bool const whole_line = backwards() ? line.end() <= limit_ : limit_ <= line.offset;
    if (!whole_line) found_.clear(); // reported with the page that has the line's begin (or end)
    for (Damage& damage : found_) add(std::move(damage));
    found_.clear();
    if (backwards()) std::reverse(parts.begin(), parts.end());
    for (RawLine const& part : parts) {
      if (backwards() ? part.end() > limit_ : part.end() <= limit_) continue;
      if (backwards()) next_ = part.end();
      if (is_full()) return false;
      take_one(part, trim_line(part));
      next_ = part.end();
    }
    if (backwards())
      next_ = line.offset;
    else if (line.terminated)
      next_ = line.end();
    return true;
  }

  bool take_one(RawLine const& line, TrimmedLine const& trimmed) {
    RecordView record;
    bool const is_record = reader_.judge(line, trimmed, record, unescaped_, found_);
    for (Damage& damage : found_) add(std::move(damage));
    found_.clear();
    if (is_record) add(line, trimmed, record);
    return is_record;
  }

  void add(RawLine const& line, TrimmedLine const& trimmed, RecordView& record) {
    for (std::string_view* view : {&record.id, &record.type, &record.parent})
      for (std::string const& text : unescaped_)
        if (view->data() == text.data()) {
          *view = page_.keep(text);
          break;
        }
    if (record.id.empty()) record.id = page_.keep(derived_id(trimmed));
    bytes_ += record.line.size();
    in_use_ = true;
    page_.add_kept(Position{line.end()}, record);
  }

  void add(Damage damage) { add_finding(page_.damage, std::move(damage)); }

  FileReader const& reader_;
  ReadRange const& range_;
  RecordPage& page_;
  std::uint64_t limit_; // where the last page ended
  std::uint64_t next_;
  std::uint64_t bytes_ = 0;
  std::size_t window_ = 0;
  bool in_use_ = false; // a record points into the buffer being scanned
  std::deque<std::string> unescaped_;
  std::vector<Damage> found_;
};

}}

void add_finding(std::vector<Damage>& all, Damage damage) {
  auto const is_of_lines = [](DamageKind kind) {
    return kind <= DamageKind::oversize || kind == DamageKind::glued_lines;
  };
  if (all.size() >= file_reader_inl::single_findings && is_of_lines(damage.kind)) {
    Damage& last = all.back();
    std::uint64_t const begin = std::min(last.offset, damage.offset);
    std::uint64_t const end = std::max(last.offset + last.length, damage.offset + damage.length);
    if (is_of_lines(last.kind)
        && end - begin <= last.length + damage.length + 1) { // only a line end is between them
      last = Damage{begin, end - begin, last.kind, "a range of lines that give no entry; they are skipped"};
      return;
    }
  }
  all.push_back(std::move(damage));
}

SESSIONKIT_SELDOM std::vector<RawLine> glued_parts(RawLine const& line, std::string_view text,
                                                   std::vector<Damage>& damage) {
  bool const suspect = !text.empty() && (text.back() != '}' || may_be_glued(text));
  if (!suspect || is_whole_object(text)) return {};
  GluedLine const found = split_glued(text);
  auto const offset_of = [&](std::string_view part) {
    return line.offset + static_cast<std::uint64_t>(part.data() - line.data);
  };
  std::uint64_t const text_end = offset_of(text) + text.size();
  std::vector<RawLine> parts;
  for (std::string_view const entry : found.entries) {
    std::uint64_t const begin = offset_of(entry);
    bool const last = begin + entry.size() == text_end; // and has the line's end, and what surrounds the text
    std::uint64_t const length = last ? line.offset + line.length - begin : entry.size();
    parts.push_back(RawLine{begin, length, entry.data(), last && line.terminated});
  }
  for (std::string_view const torn : found.torn) {
    bool const tail = !line.terminated && offset_of(torn) + torn.size() == text_end;
    bool const nuls = torn.find('\0') != std::string_view::npos;
    damage.push_back(Damage{
        offset_of(torn), torn.size(),
        tail   ? DamageKind::torn_tail
        : nuls ? DamageKind::nul_run
               : DamageKind::bad_json,
        tail ? detail::format_text(
            "{} bytes behind a whole entry are no object; it does not count as an entry yet", torn.size())
             : detail::format_text("{} bytes that belong to no entry share a line with one; they are skipped",
                                   torn.size())});
  }
  if (parts.size() > 1)
    damage.push_back(Damage{line.offset, line.length, DamageKind::glued_lines,
                            detail::format_text("{} entries are on one line; all are read", parts.size())});
  return parts;
}

Damage line_damage(RawLine const& line, std::string_view text) {
  JsonCheck const check = check_json(text);
  Damage damage{line.offset, line.length, DamageKind::bad_json, {}};
  std::uint64_t const at = line.offset + static_cast<std::uint64_t>(text.data() - line.data) + check.offset;
  if (!line.terminated) {
    damage.kind = DamageKind::torn_tail;
    damage.what = detail::format_text(
        "the last line has no end and is no whole object ({} bytes); it does not count as an entry yet",
        line.length);
  } else if (check.fault == JsonCheck::too_deep) {
    damage.kind = DamageKind::too_deep;
    damage.what = detail::format_text("the line is nested too deep at offset {}; it is skipped", at);
  } else if (check.fault == JsonCheck::none && json_kind(text) != JsonKind::object) {
    damage.kind = DamageKind::not_an_object;
    damage.what = "the line is JSON, but no object; it is skipped";
  } else {
    damage.what = detail::format_text("the line is not JSON at offset {}; it is skipped", at);
  }
  return damage;
}

std::string derived_id(TrimmedLine const& line) { return detail::format_text("@{}", line.end()); }

FileReader::FileReader(FileOps& ops, int descriptor, std::string path, ReaderOptions options,
                       ReadWindows windows)
    : ops_(&ops),
      descriptor_(descriptor),
      path_(std::move(path)),
      options_(options),
      windows_(windows),
      begin_{{}, options.fallback != nullptr ? options.fallback : &native_dialect()} {}

Result<FileStatus> FileReader::status() {
  FileStatus status;
  int const failed = ops_->status(descriptor_, status);
  if (failed < 0) return file_error(-failed, path_, "cannot look at the file");
  return status;
}

bool FileReader::judge(RawLine const& line, TrimmedLine const& trimmed, RecordView& out,
                       std::deque<std::string>& unescaped, std::vector<Damage>& damage) const {
  if (line.data == nullptr) {
    damage.push_back(Damage{
        line.offset, line.length, DamageKind::oversize,
        detail::format_text("the line is longer than {} bytes; it is skipped, raise max_line to read it",
                            options_.max_line)});
    return false;
  }
  if (trimmed.nuls_before.length > 0) damage.push_back(file_reader_inl::nul_damage(trimmed.nuls_before));
  if (trimmed.nuls_after.length > 0) damage.push_back(file_reader_inl::nul_damage(trimmed.nuls_after));
  std::string_view text = trimmed.text;
  if (text.empty()) return false;
  // The end mostly shows torn bytes that a later writer closed off; decoding shows the others.
  std::size_t const first_nul = text.find('\0'); // no JSON text has one
  bool const closed = line.terminated && trimmed.nuls_before.length + trimmed.nuls_after.length == 0;
  bool const whole = closed ? text.back() == '}' : is_whole_object(text);
  if (whole && first_nul == std::string_view::npos && begin_.dialect->head(text, out, unescaped))
    return out.line = text, true;

  // A crash lost pages, with a line end among them: a whole object after them, or before, is an
  // entry.
  if (first_nul != std::string_view::npos) {
    for (std::string_view const part : {text.substr(text.rfind('\0') + 1), text.substr(0, first_nul)}) {
      if (!is_whole_object(part) || !begin_.dialect->head(part, out, unescaped)) continue;
      std::uint64_t const begin = part.data() == text.data() ? trimmed.offset + part.size() : line.offset;
      std::uint64_t const end = part.data() == text.data() ? trimmed.end() : trimmed.end() - part.size();
      damage.push_back(file_reader_inl::nul_damage({begin, end - begin}));
      return out.line = part, true;
    }
  }
  damage.push_back(line_damage(line, text));
  return false;
}

FileReader::Ends FileReader::ends_of(RawLine const& line) const {
  TrimmedLine const trimmed = trim_line(line);
  std::vector<Damage> ignored;
  std::vector<RawLine> const parts = glued_parts(line, trimmed.text, ignored);
  if (!parts.empty()) return {parts.front().end(), parts.back().end()};
  RecordView record;
  std::deque<std::string> unescaped;
  if (!judge(line, trimmed, record, unescaped, ignored)) return {};
  return {line.end(), line.end()};
}

bool FileReader::holds_at(std::uint64_t offset, std::string_view bytes) const {
  std::array<char, 4096> there;
  while (!bytes.empty()) {
    std::string_view const now = bytes.substr(0, there.size());
    if (!read_exactly(*ops_, descriptor_, there.data(), now.size(), offset, path_)) return false;
    if (std::string_view(there.data(), now.size()) != now) return false;
    bytes.remove_prefix(now.size());
    offset += now.size();
  }
  return true;
}

Result<bool> FileReader::ends_with(Position end, std::uint32_t crc) {
  constexpr std::size_t room = 4096;
  std::array<char, room> block;
  std::size_t const bytes = std::min<std::size_t>(end.value(), room - 1);
  if (bytes == 0) return false;
  auto const got = uninterrupted( // one more byte than there should be
      [&] { return ops_->pread(descriptor_, block.data(), bytes + 1, end.value() - bytes); });
  if (got < 0) return file_error(static_cast<int>(-got), path_, "cannot read the end of the file");
  if (static_cast<std::size_t>(got) != bytes) return false;
  std::string_view const text(block.data(), bytes - 1); // without the line end
  std::size_t const before = text.rfind('\n');
  if (block[bytes - 1] != '\n' || (before == text.npos && bytes != end.value())) return false;
  return crc32c(text.substr(before + 1)) == crc; // of all there is, where there is no line end before
}

SESSIONKIT_SELDOM Result<void> FileReader::detect() {
  Result<FileStatus> const now = status();
  if (!now) return now.error();
  if (last_ != nullptr && last_->recall(*now, begin_)) return {};
  DialectSearch search(options_.fallback);
  file_reader_inl::FirstRecordSink sink(*this, search);
  LineScan lines = scan();
  if (auto r = lines.forward(0, now->size, sink); !r) return r;
  begin_ = {*now, &search.dialect(), search.is_known(), search.is_decided(), sink.end};
  if (last_ != nullptr) last_->keep(begin_);
  return {};
}

// The line boundary of a position. If a record's line lacked its end and got it since, the position is just
// before that end. Records end within a line only if several share it.
Result<FileReader::Start> FileReader::boundary(ReadRange const& range, std::uint64_t size,
                                               LineScan& scan) const {
  bool const backwards = range.order == ReadRange::newest_first;
  std::uint64_t const at = range.from ? range.from->value() : backwards ? size : 0;
  if (at == 0 || at >= size) return Start{std::min(at, size), std::min(at, size)};
  char around[2];
  if (auto r = read_exactly(*ops_, descriptor_, around, 2, at - 1, path_); !r) return r.error();
  if (around[0] == '\n') return Start{at, at};
  if (around[1] == '\n') return Start{at + 1, at + 1};
  Result<std::uint64_t> const edge = backwards ? scan.find_end(at, size) : scan.line_begin(at);
  if (!edge) return edge.error();
  return Start{std::min(backwards ? *edge + 1 : *edge, size), at};
}

Result<std::uint64_t> FileReader::log_end(std::uint64_t size) {
  if (size == ended_size_) return ended_at_;
  file_reader_inl::LastRecordSink sink(*this);
  LineScan lines = scan();
  if (auto r = lines.backward(size, sink); !r) return r.error();
  ended_size_ = size;
  ended_at_ = sink.end;
  return ended_at_;
}

Result<RecordPage> FileReader::read(ReadRange const& range) {
  Result<FileStatus> const now = status();
  if (!now) return now.error();
  std::uint64_t const size = now->size;
  bool const detected = begin_.first_record_end != 0 && (begin_.is_decided || begin_.file.size == now->size);
  if (!detected && (last_ == nullptr || !last_->recall(*now, begin_)))
    if (auto r = detect(); !r) return r.error();
  bool const backwards = range.order == ReadRange::newest_first;
  LineScan lines = scan();
  Result<Start> const start = boundary(range, size, lines);
  if (!start) return start.error();

  RecordPage page;
  page.dialect = begin_.dialect->name;
  file_reader_inl::PageSink sink(*this, range, start->limit, page);
  auto const scanned = backwards ? lines.backward(start->scan, sink) : lines.forward(start->scan, size, sink);
  if (!scanned) return scanned.error();
  page.next = Position{sink.next()};
  if (backwards && start->limit == size && !page.items().empty()) {
    ended_size_ = size;
    ended_at_ = page.items().front().end.value();
  }
  Result<std::uint64_t> const end = log_end(size);
  if (!end) return end.error();
  page.log_end = Position{*end};
  if (backwards)
    page.more = sink.next() > 0 && sink.next() >= begin_.first_record_end;
  else
    page.more = page.next < page.log_end;
  return page;
}

Result<RecordPage> FileReader::first() {
  ReadRange range;
  range.max_records = 1;
  range.max_bytes = windows_.smallest;
  return read(range);
}

}}}
