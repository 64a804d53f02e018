// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/transcript/log_reader.hpp>
#include <sessionkit/detail/transcript/log_writer.hpp>
#include <sessionkit/detail/store/row_store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include <fcntl.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

constexpr int open_tries = 16;             // a file that is replaced each time is not ours to write
constexpr std::size_t end_bytes_kept = 64; // ids and times stand there: enough to know a line again
constexpr std::size_t buffer_kept = std::size_t{1} << 20; // more is given back after a large batch

// Whatever happens, memory running out included, the lock is given back.
template <class Unlock> class LogUnlock {
 public:
  explicit LogUnlock(Unlock unlock) : unlock_(std::move(unlock)) {}
  LogUnlock(LogUnlock const&) = delete;
  LogUnlock& operator=(LogUnlock const&) = delete;
  ~LogUnlock() { unlock_(); }

 private:
  Unlock unlock_;
};

}

LogWriter::LogWriter(FileOps& ops, LogPlace place, WriterOptions options)
    : ops_(&ops),
      place_(std::move(place)),
      options_(std::move(options)),
      sync_(std::make_shared<LogSync>(ops, place_)),
      process_(ops.process()),
      may_create_(options_.create) {}

Result<LogWriter> LogWriter::open(FileOps& ops, LogPlace place, WriterOptions options, bool make_now) {
  LogWriter writer(ops, std::move(place), std::move(options));
  writer.may_create_ = writer.options_.create && make_now;
  if (auto r = writer.open_file(); !r) return r.error();
  return writer;
}

Error LogWriter::error(Errc code, std::string message, int system) const {
  return Error{code, system, fmt::format("{}: {}", place_.path, message)};
}

Result<void> LogWriter::open_file() {
  file_.reset();
  end_ = 0;
  end_bytes_.clear();
  end_bytes_.reserve(end_bytes_kept); // nothing may fail between a write and its answer
  auto opened = std::make_shared<LogFile>();
  int const flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  char const* const name = place_.name.c_str();
  int descriptor = -EEXIST;
  bool made = false;
  for (int i = 0; i < open_tries && descriptor == -EEXIST; ++i) {
    made = false;
    descriptor = uninterrupted([&] { return ops_->open(place_.directory, name, flags, 0); });
    if (descriptor != -ENOENT || !may_create_) continue;
    made = true;
    descriptor =
        uninterrupted([&] { return ops_->open(place_.directory, name, flags | O_CREAT | O_EXCL, 0600); });
  }
  if (descriptor < 0) return file_error(-descriptor, place_.path, "cannot open the file for appending");
  opened->file = OpenFile(*ops_, descriptor);
  made_ = made;
  auto checked = check_file(*opened, made);
  if (checked) file_ = std::move(opened);
  return checked;
}

Result<void> LogWriter::check_file(LogFile& file, bool made) {
  int const descriptor = file.file.get();
  int failed =
      made ? uninterrupted([&] { return ops_->set_mode(descriptor, 0600); }) : 0; // whatever the umask
  if (failed < 0) return file_error(-failed, place_.path, "cannot set the new file's mode");
  failed = ops_->status(descriptor, file.opened);
  if (failed < 0) return file_error(-failed, place_.path, "cannot look at the file");
  FileStatus const& opened = file.opened;
  if (opened.kind != FileStatus::regular)
    return error(Errc::unsafe_path, "not a regular file; sessions are written to regular files only");
  if (opened.links > 1)
    return error(
        Errc::unsafe_path,
        fmt::format("the file has {} names (hard links); remove the others or copy it", opened.links));
  if (opened.owner != ops_->user())
    return error(
        Errc::unsafe_path,
        fmt::format("the file belongs to user {}, not to this process's user {}; change its owner or copy it",
                    opened.owner, ops_->user()));
  return {};
}

Result<Position> LogWriter::append(Append const& batch) {
  if (ops_->process() != process_)
    return error(Errc::forked, "the file was opened by the parent process; open it again in this one");
  DueSync due;
  Result<Position> end = write(batch, batch.durable, ops_->now(), due);
  if (!end) return end;
  if (auto synced = due.wait(); !synced) return synced.error();
  return end;
}

Result<Position> LogWriter::write(Append const& batch, bool durable,
                                  std::chrono::steady_clock::time_point asked, DueSync& due) {
  if (poisoned()) return sync_->refusal();
  if (auto r = check_lines(batch.records, {options_.max_line}, place_.path); !r) return r.error();
  auto const waited = std::chrono::duration_cast<std::chrono::milliseconds>(ops_->now() - asked);
  auto const wait = std::max(options_.lock_wait - waited, std::chrono::milliseconds{0});
  may_create_ = options_.create && batch.expected == Position{} && !batch.records.empty();
  Result<Position> end = write_locked(batch, durable, wait, due);
  if (buffer_.capacity() > buffer_kept) std::string().swap(buffer_);
  for (Event const& event : std::exchange(events_, {}))
    if (options_.on_event) options_.on_event(event);
  return end;
}

// Answers the size of the file, which is ours to append to until `unlock_file`.
Result<std::uint64_t> LogWriter::lock_file(std::chrono::milliseconds wait) {
  for (int i = 0; i < open_tries; ++i) {
    if (!file_)
      if (auto r = open_file(); !r) return r.error();
    if (auto r = lock_within(*ops_, file_->file.get(), wait, place_.path); !r) return r.error();
    FileStatus now;
    int const failed = ops_->status_at(place_.directory, place_.name.c_str(), now);
    if (failed == 0 && now.same_file(file_->opened)) {
      if (now.size < end_) { // somebody made it shorter: all we knew is void
        end_ = 0;
        sync_->forget(*file_);
      }
      return now.size;
    }
    file_.reset(); // gives the lock back too
    if (failed < 0 && failed != -ENOENT) return file_error(-failed, place_.path, "cannot look at the file");
  }
  return error(Errc::io_error,
               "the file is replaced again and again; find out who does it, then repeat the call");
}

// False: the lock is still held, until the file is closed.
bool LogWriter::unlock_file() noexcept {
  return uninterrupted([&] { return ops_->unlock(file_->file.get()); }) == 0;
}

Result<Position> LogWriter::write_locked(Append const& batch, bool durable, std::chrono::milliseconds wait,
                                         DueSync& due) {
  Result<std::uint64_t> const size = lock_file(wait);
  if (!size) return size.error();
  std::uint64_t behind = *size; // where the file ends after this call
  bool unlocked = false;
  Result<Position> end = batch.expected;
  {
    LogUnlock const unlock([&]() noexcept { unlocked = unlock_file(); });
    if (!batch.records.empty()) end = append_behind(batch, *size, behind);
  }
  if (end && durable) due = DueSync{sync_, file_, behind};
  if (!unlocked) file_.reset();
  return end;
}

Result<Position> LogWriter::append_behind(Append const& batch, std::uint64_t size, std::uint64_t& behind) {
  Result<Found> const found = look_behind(batch, size);
  if (!found) return found.error();
  if (found->present == batch.records.size()) return found->end;
  Result<Position> end = write_rest(batch, *found, size);
  if (end) behind = end->value();
  return end;
}

// Is `expected` the end of a line, and does the file need a line end before more is written?
Result<void> LogWriter::check_boundary(Append const& batch, std::uint64_t size, bool& seal) {
  std::uint64_t const expected = batch.expected.value();
  char last = '\n';
  if (size > 0)
    if (auto r = read_exactly(*ops_, file_->file.get(), &last, 1, size - 1, place_.path); !r) return r;
  seal = last != '\n';
  if (expected == 0) return {};
  Error const moved =
      error(Errc::conflict,
            fmt::format("offset {} is not the end of an entry any more; refresh and append again", expected));
  if (expected > size) return moved;
  if (expected == end_) { // somebody else wrote since; did they leave our last line alone?
    std::string now(end_bytes_.size(), '\0');
    if (auto r = read_exactly(*ops_, file_->file.get(), now.data(), now.size(), expected - now.size(),
                              place_.path);
        !r)
      return r;
    if (now != end_bytes_) return moved;
  }
  if (batch.expected_crc) {
    Result<bool> const stands = ends_as_before(batch);
    if (!stands) return stands.error();
    if (!*stands) return moved;
  }
  char around[2] = {'\0', '\0'};
  std::size_t const bytes = expected < size ? 2 : 1;
  if (auto r = read_exactly(*ops_, file_->file.get(), around, bytes, expected - 1, place_.path); !r) return r;
  if (around[0] == '\n' || around[1] == '\n') return {};
  LogReader log(*ops_, file_->file.get(), place_.path, ReaderOptions{options_.max_line});
  ReadRange last_line;
  last_line.order = ReadRange::newest_first;
  last_line.from = Position{expected};
  last_line.max_records = 1;
  last_line.max_bytes = 1;
  Result<RecordPage> const page = log.read(last_line);
  if (!page) return page.error();
  bool const entry = !page->items().empty() && page->items().front().end.value() == expected;
  if (!entry) return moved; // torn bytes, or the middle of a line
  return {};
}

// Is the entry that ends where the batch expects it still the one the caller knows?
Result<bool> LogWriter::ends_as_before(Append const& batch) {
  LogReader log(*ops_, file_->file.get(), place_.path, ReaderOptions{options_.max_line});
  ReadRange last_line;
  last_line.order = ReadRange::newest_first;
  last_line.from = batch.expected;
  last_line.max_records = 1;
  last_line.max_bytes = 1;
  Result<RecordPage> const page = log.read(last_line);
  if (!page) return page.error();
  if (page->items().empty()) return false;
  RecordPage::Item const& item = page->items().front();
  std::uint64_t const end = item.end.value(), expected = batch.expected.value();
  bool const there = end == expected || end == expected + 1; // its line end came later
  return there && crc32c(item.line) == *batch.expected_crc;
}

Result<LogWriter::Found> LogWriter::look_behind(Append const& batch, std::uint64_t size) {
  Found found;
  std::uint64_t const expected = batch.expected.value();
  bool const as_we_left_it =
      size == end_ && (!batch.expected_crc || *batch.expected_crc == end_crc_); // nobody else wrote
  if (expected == size && (size == 0 || as_we_left_it)) return found;
  if (auto r = check_boundary(batch, size, found.seal); !r) return r.error();
  if (expected == size) return found;

  // Of what stands there, only entries of our ids count, each one's follower, and whether there is any.
  std::set<std::string_view> ours; // ids, and lines without
  for (RecordView const& record : batch.records) ours.insert(record.id.empty() ? record.line : record.id);
  RecordPage behind;
  bool follows_ours = true;
  std::uint64_t torn = 0;
  LogReader log(*ops_, file_->file.get(), place_.path, ReaderOptions{options_.max_line});
  ReadRange range;
  range.from = batch.expected;
  for (bool more = true; more;) {
    Result<RecordPage> const page = log.read(range);
    if (!page) return page.error();
    for (RecordPage::Item const& item : page->items()) {
      if (!is_whole_object(item.line)) continue; // torn bytes that somebody closed off
      bool const of_ours = ours.count(item.id) > 0 || ours.count(item.line) > 0;
      if (of_ours || follows_ours) behind.add(item.end, item);
      follows_ours = of_ours;
    }
    for (Damage const& damage : page->damage)
      if (damage.kind == DamageKind::torn_tail) torn = damage.length;
    bool const seen_start = expected == 0 && behind.items().size() > batch.records.size();
    more = page->more && !seen_start; // a session is made by its first entries
    range.from = page->next;
  }
  Result<BatchMatch> const match = match_batch(batch, behind.items());
  if (!match) {
    bool const exists = expected == 0 || match.error().code == Errc::already_exists;
    return error(exists ? Errc::already_exists : Errc::conflict, match.error().message);
  }
  found.present = match->present;
  found.end = match->end;
  if (torn > 0 && found.present < batch.records.size())
    events_.push_back(
        Event{Event::tail_sealed, place_.path,
              fmt::format("{} torn bytes at offset {} were closed off with a line end; they stay", torn,
                          size - torn)});
  return found;
}

Result<Position> LogWriter::write_rest(Append const& batch, Found const& found, std::uint64_t size) {
  buffer_.clear();
  std::size_t total = 1;
  for (std::size_t i = found.present; i < batch.records.size(); ++i)
    total += batch.records[i].line.size() + 1;
  buffer_.reserve(total);
  if (found.seal) buffer_ += '\n';
  for (std::size_t i = found.present; i < batch.records.size(); ++i)
    buffer_.append(batch.records[i].line) += '\n';

  auto const result =
      uninterrupted([&] { return ops_->write(file_->file.get(), buffer_.data(), buffer_.size()); });
  if (result < 0 || static_cast<std::size_t>(result) != buffer_.size()) {
    std::uint64_t const first_line_end = (found.seal ? 1 : 0) + batch.records[found.present].line.size();
    return failed_write(result, size, first_line_end, found.present > 0);
  }
  made_ = false;
  end_ = size + buffer_.size();
  file_->written.store(end_, std::memory_order_release);
  end_crc_ = batch.after != nullptr ? batch.after->end_crc : crc32c(batch.records.back().line);
  end_bytes_.assign(buffer_, buffer_.size() - std::min(buffer_.size(), end_bytes_kept));
  return Position{end_};
}

// Tells what an append that did not go through left behind.
Error LogWriter::failed_write(std::int64_t result, std::uint64_t size, std::uint64_t first_line_end,
                              bool part_stands) {
  events_.clear(); // nothing was sealed that a person must know of: the next append says it
  end_ = 0;
  int const system = result < 0 ? static_cast<int>(-result) : 0;
  std::string const doing = fmt::format("cannot append {} bytes at offset {}", buffer_.size(), size);
  Error failure =
      system != 0
          ? file_error(system, place_.path, doing)
          : error(Errc::no_space, // the one thing that makes a regular file take a part
                  fmt::format("{}: the system took only {}; the disk, the quota or the file size limit is "
                              "reached: free some and append again",
                              doing, result));
  FileStatus now;
  bool const known = ops_->status(file_->file.get(), now) == 0;
  if (part_stands || !known || now.size >= size + first_line_end)
    failure.code = Errc::outcome_unknown;
  else if (failure.code != Errc::no_space)
    failure.code = Errc::not_written;
  if (known && now.size == 0) remove_if_made();
  return failure;
}

// An empty file that we made, whose lock we hold and that still has its name, is no session of anybody.
void LogWriter::remove_if_made() {
  FileStatus named;
  if (!made_ || ops_->status_at(place_.directory, place_.name.c_str(), named) < 0) return;
  if (named.same_file(file_->opened) && named.size == 0)
    (void)ops_->unlink(place_.directory, place_.name.c_str()); // else it stays, and may be started anew
}

}}}
