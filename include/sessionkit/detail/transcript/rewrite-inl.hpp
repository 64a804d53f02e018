// SPDX-License-Identifier: MIT
// Replaces a damaged transcript by a file of its good lines.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/transcript/file_reader.hpp>
#include <sessionkit/detail/transcript/rewrite.hpp>

#include <algorithm>
#include <deque>
#include <optional>

namespace sessionkit { inline namespace v0 { namespace detail {

bool gives_no_entry(DamageKind kind) noexcept {
  switch (kind) {
  case DamageKind::bad_json:
  case DamageKind::not_an_object:
  case DamageKind::too_deep:
  case DamageKind::nul_run:
  case DamageKind::torn_tail: return true;
  default: return false;
  }
}

namespace rewrite_inl { namespace {

constexpr std::size_t rewrite_window = std::size_t{1} << 20;

// Passes on the good lines of a log. A line that cannot be judged is good: none is left out by a guess.
class GoodLineSink final : public LineSink {
 public:
  // `to` below zero: only counts.
  GoodLineSink(FileOps& ops, FileReader const& reader, int from, int to) noexcept
      : ops_(ops), reader_(reader), from_(from), to_(to) {}

  std::size_t next_window(std::uint64_t) override { return failure ? 0 : rewrite_window; }

  bool take(RawLine const& line) override {
    if (line.data == nullptr) {
      good += 1;
      copy_range(line.offset, line.end());
      return !failure;
    }
    TrimmedLine const trimmed = trim_line(line);
    found_.clear();
    std::vector<RawLine> const parts = glued_parts(line, trimmed.text, found_);
    if (!parts.empty()) return take_parts(line, parts);
    RecordView record;
    bool const is_record = reader_.judge(line, trimmed, record, unescaped_, found_)
                           && check_json(record.line).fault == JsonCheck::none;
    std::string_view text(line.data, static_cast<std::size_t>(line.length));
    bool const blank = trimmed.text.empty() && found_.empty();
    if (!is_record && !blank) return ++bad, true;
    if (is_record && !found_.empty()) ++bad, text = record.line; // bytes around the record
    good += is_record ? 1 : 0;
    put(text);
    if (line.terminated || is_record) put("\n");
    return !failure;
  }

  void flush() {
    if (to_ >= 0 && !failure && !buffer_.empty())
      if (auto r = write_fully(ops_, to_, buffer_, reader_.path()); !r) failure = r.error();
    buffer_.clear();
  }

  std::uint64_t good = 0, bad = 0;
  std::optional<Error> failure;

 private:
  // Several entries on one line stay as they are, unless there are bytes between them that belong to none.
  bool take_parts(RawLine const& line, std::vector<RawLine> const& parts) {
    bool const torn = std::any_of(found_.begin(), found_.end(),
                                  [](Damage const& damage) { return gives_no_entry(damage.kind); });
    good += parts.size();
    if (torn)
      ++bad;
    else
      put({line.data, static_cast<std::size_t>(line.length)});
    for (RawLine const& part : parts) {
      if (torn) put(trim_line(part).text);
      if (torn || &part == &parts.back()) put("\n");
    }
    return !failure;
  }

  void put(std::string_view bytes) {
    if (to_ < 0) return;
    buffer_ += bytes;
    if (buffer_.size() >= rewrite_window) flush();
  }
  void copy_range(std::uint64_t at, std::uint64_t end) {
    if (to_ < 0) return;
    std::string piece;
    for (; at < end && !failure; at += piece.size()) {
      piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(end - at, rewrite_window)));
      if (auto r = read_exactly(ops_, from_, piece.data(), piece.size(), at, reader_.path()); !r)
        failure = r.error();
      else
        put(piece);
    }
  }

  FileOps& ops_;
  FileReader const& reader_;
  int from_, to_;
  std::string buffer_;
  std::deque<std::string> unescaped_;
  std::vector<Damage> found_;
};

// One rewriting: the old file, whose lock is held, and what is known of it.
struct Rewriting {
  FileOps& ops;
  int directory;
  std::string const& name;
  std::string const& path;
  OpenFile old = {};
  std::optional<FileLock> lock = {}; // of `old`; destroyed first
  FileStatus status = {};

  Error refuse(std::string_view why) const {
    return detail::make_error(Errc::unsafe_path, "{}: {}", path, why);
  }
  Result<void> open(std::chrono::milliseconds lock_wait);
  Result<void> pass(FileReader& log, GoodLineSink& sink, std::uint64_t max_line) const;
  Result<OpenFile> make_new(std::string const& temporary) const;
  Result<void> carry_over(int to) const;
};

SESSIONKIT_SELDOM Result<void> Rewriting::open(std::chrono::milliseconds lock_wait) {
  OpenFlags const flags = OpenFlags::read | OpenFlags::write | OpenFlags::append;
  int const descriptor = uninterrupted([&] { return ops.open(directory, name.c_str(), flags); });
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open the transcript");
  old = OpenFile(ops, descriptor);
  if (int const failed = ops.status(descriptor, status); failed < 0)
    return file_error(-failed, path, "cannot look at the transcript");
  if (status.kind != FileStatus::regular) return refuse("not a regular file");
  if (status.links > 1)
    return refuse("the file has several names (hard links); remove the others or copy it");
  if (status.owner != ops.user()) return refuse("the file belongs to another user");
  Result<FileLock> held = lock_within(ops, descriptor, lock_wait, path);
  if (!held) return held.error();
  lock.emplace(std::move(*held));
  FileStatus named;
  int failed = ops.status(descriptor, status); // again: there may have been an append before we had the lock
  if (failed == 0) failed = ops.status_at(directory, name.c_str(), named);
  if (failed < 0) return file_error(-failed, path, "cannot look at the transcript");
  if (!named.same_file(status))
    return detail::make_error(Errc::conflict, "{}: the file was replaced just now; look at it again", path);
  return {};
}

Result<void> Rewriting::pass(FileReader& log, GoodLineSink& sink, std::uint64_t max_line) const {
  if (auto r = log.detect(); !r) return r;
  LineScan lines(ops, old.get(), path, max_line);
  if (auto r = lines.forward(0, status.size, sink); !r) return r;
  sink.flush();
  if (sink.failure) return *sink.failure;
  return {};
}

Result<OpenFile> Rewriting::make_new(std::string const& temporary) const {
  OpenFlags const flags = OpenFlags::read | OpenFlags::write | OpenFlags::append | OpenFlags::only_new;
  int const descriptor = uninterrupted([&] { return ops.open(directory, temporary.c_str(), flags); });
  if (descriptor < 0) return file_error(-descriptor, path, "cannot make a new file beside it");
  OpenFile file(ops, descriptor);
  if (int const failed = ops.set_mode(descriptor, status.mode & 0777U); failed < 0) {
    (void)ops.unlink(directory, temporary.c_str());
    return file_error(-failed, path, "cannot set the new file's mode");
  }
  return file;
}

// A program without locks may have appended to the old file until it lost its name.
Result<void> Rewriting::carry_over(int to) const {
  FileStatus now;
  if (int const failed = ops.status(old.get(), now); failed < 0)
    return file_error(-failed, path, "cannot look whether somebody appended meanwhile");
  if (now.size <= status.size) return {};
  std::string more(static_cast<std::size_t>(now.size - status.size), '\0');
  if (auto r = read_exactly(ops, old.get(), more.data(), more.size(), status.size, path); !r) return r;
  return write_fully(ops, to, more, path);
}

}}

SESSIONKIT_SELDOM Result<std::string> rewrite_transcript(FileOps& ops, int directory, std::string const& name,
                                                         std::string const& path, Quarantine& quarantine,
                                                         RewriteOptions const& options) {
  rewrite_inl::Rewriting job{ops, directory, name, path};
  if (auto r = job.open(options.lock_wait); !r) return r.error();
  FileReader log(ops, job.old.get(), path, ReaderOptions{options.max_line});
  rewrite_inl::GoodLineSink count(ops, log, job.old.get(), -1);
  if (auto r = job.pass(log, count, options.max_line); !r) return r.error();
  if (count.bad == 0) return std::string{};
  if (count.good == 0)
    return detail::make_error(
        Errc::corrupt, "{}: no line of it gives an entry, so there is nothing to keep; move the file away",
        path);

  Result<std::string> copy = quarantine.copy(job.old.get(), name);
  if (!copy) return copy;
  std::string const temporary = detail::format_text(".{}.{}", name, random_entry_id());
  Result<OpenFile> const file = job.make_new(temporary);
  if (!file) return file.error();
  auto const replace = [&]() -> Result<void> {
    rewrite_inl::GoodLineSink sink(ops, log, job.old.get(), file->get());
    if (auto r = job.pass(log, sink, options.max_line); !r) return r;
    int failed = uninterrupted([&] { return ops.sync(file->get()); });
    if (failed < 0) return file_error(-failed, path, "cannot sync the new file");
    // A writer that waits for the old file's lock finds the new file by its name, and locks that.
    failed = ops.rename(directory, temporary.c_str(), directory, name.c_str(), true);
    if (failed < 0) return file_error(-failed, path, "cannot put the new file in its place");
    return {};
  };
  if (auto r = replace(); !r) {
    (void)ops.unlink(directory, temporary.c_str());
    return r.error();
  }
  if (auto r = job.carry_over(file->get()); !r) return r.error();
  if (auto r = sync_directory(ops, directory, path); !r) return r.error();
  return copy;
}

}}}
