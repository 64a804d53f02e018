// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json.hpp>
#include <sessionkit/detail/log_reader.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

constexpr std::size_t detect_bytes = std::size_t{1} << 20; // a header stands within
constexpr std::size_t single_findings = 1000;              // then neighbouring bad lines become one finding

Damage nul_damage(TrimmedLine::Run run) {
  return Damage{
      run.offset, run.length, DamageKind::nul_run,
      fmt::format("{} bytes where a system crash may have left NULs; they are passed over", run.length)};
}

// Looks at the begin of a file until a record tells the dialect.
class FirstRecordSink final : public LineSink {
 public:
  explicit FirstRecordSink(LogReader const& reader, Dialect const*& dialect)
      : reader_(reader), dialect_(dialect) {}
  std::size_t next_window(std::uint64_t bytes_read) override {
    if (end != 0 || bytes_read >= detect_bytes) return 0;
    return bytes_read == 0 ? reader_.windows().smallest : static_cast<std::size_t>(bytes_read) * 2;
  }
  bool take(RawLine const& line) override {
    if (line.data == nullptr) return true;
    TrimmedLine const trimmed = trim_line(line);
    if (!trimmed.text.empty())
      if (Dialect const* found = detect_dialect(trimmed.text)) dialect_ = found;
    RecordView record;
    std::deque<std::string> unescaped;
    std::vector<Damage> ignored;
    if (reader_.judge(line, trimmed, record, unescaped, ignored)) end = line.end();
    return end == 0;
  }
  std::uint64_t end = 0;

 private:
  LogReader const& reader_;
  Dialect const*& dialect_;
};

// Looks from the end of a file for the last record.
class LastRecordSink final : public LineSink {
 public:
  explicit LastRecordSink(LogReader const& reader) : reader_(reader) {}
  std::size_t next_window(std::uint64_t bytes_read) override {
    if (end != 0) return 0;
    return bytes_read == 0 ? reader_.windows().smallest : reader_.windows().first;
  }
  bool take(RawLine const& line) override {
    if (end != 0) return false;
    if (line.data == nullptr) return true;
    RecordView record;
    std::deque<std::string> unescaped;
    std::vector<Damage> ignored;
    if (reader_.judge(line, trim_line(line), record, unescaped, ignored)) end = line.end();
    return true;
  }
  std::uint64_t end = 0;

 private:
  LogReader const& reader_;
};

// Collects the records of one page.
class PageSink final : public LineSink {
 public:
  PageSink(LogReader const& reader, ReadRange const& range, std::uint64_t from, RecordPage& page)
      : reader_(reader), range_(range), page_(page), next_(from) {}

  std::size_t next_window(std::uint64_t bytes_read) override {
    ReadWindows const& sizes = reader_.windows();
    if (!page_.items().empty()
        && (page_.items().size() >= range_.max_records || bytes_read >= range_.max_bytes))
      return 0;
    window_ = window_ == 0 ? sizes.first : std::min(window_ * 2, sizes.largest);
    std::uint64_t const left = range_.max_bytes > bytes_read ? range_.max_bytes - bytes_read : 0;
    if (page_.items().empty() && bytes_read > 0) return window_;
    return std::max<std::size_t>(sizes.smallest,
                                 static_cast<std::size_t>(std::min<std::uint64_t>(window_, left)));
  }

  bool take(RawLine const& line) override {
    bool const any = !page_.items().empty();
    if (any && page_.items().size() >= range_.max_records) return false;
    RecordView record;
    TrimmedLine trimmed;
    if (line.data != nullptr) trimmed = trim_line(line);
    if (any && bytes_ + trimmed.text.size() > range_.max_bytes) return false;
    bool const is_record = reader_.judge(line, trimmed, record, unescaped_, found_);
    for (Damage& damage : found_) add(std::move(damage));
    found_.clear();
    if (is_record) add(line, trimmed, record);
    bool const there = line.terminated || is_record; // what is not there yet is read again
    if (range_.order == ReadRange::newest_first)
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

  void add(Damage damage) {
    auto& all = page_.damage;
    if (all.size() >= single_findings) {
      Damage& last = all.back();
      std::uint64_t const begin = std::min(last.offset, damage.offset);
      std::uint64_t const end = std::max(last.offset + last.length, damage.offset + damage.length);
      if (end - begin <= last.length + damage.length + 1) { // only a line end stands between them
        last = Damage{begin, end - begin, last.kind, "a range of lines that give no entry; they are skipped"};
        return;
      }
    }
    all.push_back(std::move(damage));
  }

  LogReader const& reader_;
  ReadRange const& range_;
  RecordPage& page_;
  std::uint64_t next_;
  std::uint64_t bytes_ = 0;
  std::size_t window_ = 0;
  bool in_use_ = false; // a record points into the buffer being scanned
  std::deque<std::string> unescaped_;
  std::vector<Damage> found_;
};

}

bool is_whole_object(std::string_view text) noexcept {
  return !text.empty() && text.front() == '{' && check_json(text).fault == JsonCheck::none;
}

Damage line_damage(RawLine const& line, std::string_view text) {
  JsonCheck const check = check_json(text);
  Damage damage{line.offset, line.length, DamageKind::bad_json, {}};
  std::uint64_t const at = line.offset + static_cast<std::uint64_t>(text.data() - line.data) + check.offset;
  if (!line.terminated) {
    damage.kind = DamageKind::torn_tail;
    damage.what = fmt::format(
        "the last line has no end and is no whole object ({} bytes); it is not there yet", line.length);
  } else if (check.fault == JsonCheck::too_deep) {
    damage.kind = DamageKind::too_deep;
    damage.what = fmt::format("the line is nested too deep at offset {}; it is skipped", at);
  } else if (check.fault == JsonCheck::none && json_kind(text) != JsonKind::object) {
    damage.kind = DamageKind::not_an_object;
    damage.what = "the line is JSON, but no object; it is skipped";
  } else {
    damage.what = fmt::format("the line is not JSON at offset {}; it is skipped", at);
  }
  return damage;
}

std::string derived_id(TrimmedLine const& line) { return fmt::format("@{}", line.end()); }

LogReader::LogReader(FileOps& ops, int descriptor, std::string path, ReaderOptions options,
                     ReadWindows windows)
    : ops_(&ops),
      descriptor_(descriptor),
      path_(std::move(path)),
      options_(options),
      windows_(windows),
      dialect_(&native_dialect()) {}

Result<FileStatus> LogReader::status() {
  FileStatus status;
  int const failed = ops_->status(descriptor_, status);
  if (failed < 0) return file_error(-failed, path_, "cannot look at the file");
  return status;
}

bool LogReader::judge(RawLine const& line, TrimmedLine const& trimmed, RecordView& out,
                      std::deque<std::string>& unescaped, std::vector<Damage>& damage) const {
  if (line.data == nullptr) {
    damage.push_back(
        Damage{line.offset, line.length, DamageKind::oversize,
               fmt::format("the line is longer than {} bytes; it is skipped, raise max_line to read it",
                           options_.max_line)});
    return false;
  }
  if (trimmed.nuls_before.length > 0) damage.push_back(nul_damage(trimmed.nuls_before));
  if (trimmed.nuls_after.length > 0) damage.push_back(nul_damage(trimmed.nuls_after));
  std::string_view text = trimmed.text;
  if (text.empty()) return false;
  // Torn bytes that a later writer closed off show by their end, mostly; the rest shows when it is decoded.
  std::size_t const first_nul = text.find('\0'); // no JSON text has one
  bool const whole = line.terminated ? text.back() == '}' : is_whole_object(text);
  if (whole && first_nul == std::string_view::npos && dialect_->head(text, out, unescaped))
    return out.line = text, true;

  // Pages that a crash lost, with a line end among them: what stands whole behind them, or before, is an
  // entry.
  if (first_nul != std::string_view::npos) {
    for (std::string_view const part : {text.substr(text.rfind('\0') + 1), text.substr(0, first_nul)}) {
      if (!is_whole_object(part) || !dialect_->head(part, out, unescaped)) continue;
      std::uint64_t const begin = part.data() == text.data() ? trimmed.offset + part.size() : line.offset;
      std::uint64_t const end = part.data() == text.data() ? trimmed.end() : trimmed.end() - part.size();
      damage.push_back(nul_damage({begin, end - begin}));
      return out.line = part, true;
    }
  }
  damage.push_back(line_damage(line, text));
  return false;
}

Result<void> LogReader::detect() {
  Result<FileStatus> const now = status();
  if (!now) return now.error();
  FirstRecordSink sink(*this, dialect_);
  LineScan lines = scan();
  if (auto r = lines.forward(0, now->size, sink); !r) return r;
  first_record_end_ = sink.end;
  return {};
}

// The line boundary that stands for a position. Where a record's line lacked its end and got it since, the
// position is just before that end.
Result<std::uint64_t> LogReader::boundary(std::uint64_t at, std::uint64_t size, LineScan& scan) const {
  if (at == 0 || at >= size) return std::min(at, size);
  char around[2];
  if (auto r = read_exactly(*ops_, descriptor_, around, 2, at - 1, path_); !r) return r.error();
  if (around[0] == '\n') return at;
  if (around[1] == '\n') return at + 1;
  return scan.line_begin(at);
}

Result<std::uint64_t> LogReader::log_end(std::uint64_t size) {
  if (size == ended_size_) return ended_at_;
  LastRecordSink sink(*this);
  LineScan lines = scan();
  if (auto r = lines.backward(size, sink); !r) return r.error();
  ended_size_ = size;
  ended_at_ = sink.end;
  return ended_at_;
}

Result<RecordPage> LogReader::read(ReadRange const& range) {
  if (first_record_end_ == 0)
    if (auto r = detect(); !r) return r.error();
  Result<FileStatus> const now = status();
  if (!now) return now.error();
  std::uint64_t const size = now->size;
  bool const backwards = range.order == ReadRange::newest_first;
  LineScan lines = scan();
  Result<std::uint64_t> const from = boundary(range.from  ? range.from->value()
                                              : backwards ? size
                                                          : 0,
                                              size, lines);
  if (!from) return from.error();

  RecordPage page;
  page.dialect = dialect_->name;
  PageSink sink(*this, range, *from, page);
  auto const scanned = backwards ? lines.backward(*from, sink) : lines.forward(*from, size, sink);
  if (!scanned) return scanned.error();
  page.next = Position{sink.next()};
  if (backwards && *from == size && !page.items().empty()) {
    ended_size_ = size;
    ended_at_ = page.items().front().end.value();
  }
  Result<std::uint64_t> const end = log_end(size);
  if (!end) return end.error();
  page.log_end = Position{*end};
  if (backwards)
    page.more = sink.next() > 0 && sink.next() >= first_record_end_;
  else
    page.more = page.next < page.log_end;
  return page;
}

Result<RecordPage> LogReader::first() {
  ReadRange range;
  range.max_records = 1;
  range.max_bytes = windows_.smallest;
  return read(range);
}

}}}
