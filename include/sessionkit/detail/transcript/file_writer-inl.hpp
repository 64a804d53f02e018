// SPDX-License-Identifier: MIT
// Appends batches to one transcript file, each under the file's lock and with one write.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/fold_case.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/system_advice.hpp>
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/detail/transcript/file_writer.hpp>

#include <algorithm>
#include <optional>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_writer_inl { namespace {

constexpr int open_tries = 16;             // a file that is replaced each time is not ours to write
constexpr unsigned looks_at_file = 16;     // under a kept lock, before one looks for its name again
constexpr std::size_t end_bytes_kept = 64; // ids and times are there: enough to know a line again
constexpr std::size_t written_again_at_once = std::size_t{256} << 10;
constexpr std::size_t buffer_kept = std::size_t{1} << 20; // more is given back after a large batch

// The name in the directory that the system takes for this one.
SESSIONKIT_SELDOM std::string name_in_other_case(FileOps& ops, int directory, std::string const& name) {
  std::string const wanted = change_letters(name, small_letter_of);
  std::string found;
  FileNames names;
  (void)ops.list(directory, names);
  names.each([&](std::string_view one) {
    if (change_letters(one, small_letter_of) == wanted) found = one;
  });
  return found;
}

// Gives the lock back whatever happens, also if memory runs out.
template <class Unlock> class FileUnlock {
 public:
  explicit FileUnlock(Unlock unlock) : unlock_(std::move(unlock)) {}
  FileUnlock(FileUnlock const&) = delete;
  FileUnlock& operator=(FileUnlock const&) = delete;
  ~FileUnlock() { unlock_(); }

 private:
  Unlock unlock_;
};

}}

SESSIONKIT_SELDOM FileWriter::FileWriter(FileOps& ops, FilePlace place, WriterOptions options)
    : ops_(&ops),
      place_(std::move(place)),
      options_(std::move(options)),
      sync_(std::make_shared<FileSync>(ops, place_)),
      process_(place_.path, ops),
      may_create_(options_.create) {}

SESSIONKIT_SELDOM Result<FileWriter> FileWriter::open(FileOps& ops, FilePlace place, WriterOptions options,
                                                      bool make_now) {
  FileWriter writer(ops, std::move(place), std::move(options));
  writer.may_create_ = writer.options_.create && make_now;
  if (auto r = writer.open_file(); !r) return r.error();
  if (writer.options_.exclusive) {
    if (auto r = writer.take_lock(ops.now()); !r) return r.error();
    writer.keep_lock(true);
  }
  return writer;
}

FileWriter::~FileWriter() {
  if (file_ && file_->locked && process_.is_this_one()) keep_lock(false);
}

Error FileWriter::error(Errc code, std::string const& message, int system) const {
  return detail::make_error(code, system, "{}: {}", place_.path, message);
}

SESSIONKIT_SELDOM Result<void> FileWriter::open_file() {
  file_.reset();
  end_ = 0;
  end_bytes_.clear();
  end_bytes_.reserve(file_writer_inl::end_bytes_kept); // nothing may fail between a write and its answer
  auto opened = std::make_shared<SyncedFile>();
  OpenFlags const flags = OpenFlags::read | OpenFlags::write | OpenFlags::append;
  char const* const name = place_.name.c_str();
  int descriptor = -system_code(SystemFault::exists);
  bool made = false;
  for (int i = 0; i < file_writer_inl::open_tries && fault_of(descriptor) == SystemFault::exists; ++i) {
    made = false;
    descriptor = uninterrupted([&] { return ops_->open(place_.directory, name, flags); });
    if (fault_of(descriptor) != SystemFault::missing || !may_create_) continue;
    made = true;
    descriptor =
        uninterrupted([&] { return ops_->open(place_.directory, name, flags | OpenFlags::only_new); });
  }
  if (fault_of(descriptor) == SystemFault::other_case)
    return error(
        Errc::invalid_argument,
        format_text("the directory has '{}', and its file system takes both names for one; choose an id that "
                    "differs in more than capital and small letters",
                    file_writer_inl::name_in_other_case(*ops_, place_.directory, place_.name)),
        -descriptor);
  if (descriptor < 0) return file_error(-descriptor, place_.path, "cannot open the file for appending");
  opened->file = OpenFile(*ops_, descriptor);
  made_ = made;
  auto checked = check_file(*opened, made);
  if (checked) file_ = std::move(opened);
  return checked;
}

SESSIONKIT_SELDOM Result<void> FileWriter::check_file(SyncedFile& file, bool made) {
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
    return error(Errc::unsafe_path,
                 detail::format_text("the file has {} names (hard links); remove the others or copy it",
                                     opened.links));
  if (opened.owner != ops_->user())
    return error(
        Errc::unsafe_path,
        detail::format_text("the file belongs to {}, not to this process's {}; change its owner or copy it",
                            detail::owner_text(opened.owner), detail::owner_text(ops_->user())));
  return {};
}

Result<Position> FileWriter::append(Append const& batch) {
  if (auto r = process_.check(); !r) return r.error();
  DueSync due;
  Result<Position> end = write(batch, batch.durable, ops_->now(), due);
  if (!end) return end;
  if (auto synced = due.wait(); !synced) return synced.error();
  return end;
}

Result<Position> FileWriter::write(Append const& batch, bool durable,
                                   std::chrono::steady_clock::time_point asked, DueSync& due) {
  may_create_ = options_.create && batch.expected == Position{} && !batch.records.empty();
  return write_checked(batch, nullptr, durable, asked, due);
}

SESSIONKIT_SELDOM Result<Position> FileWriter::write_at_end(Append& batch, bool durable,
                                                            std::chrono::steady_clock::time_point asked,
                                                            DueSync& due) {
  may_create_ = options_.create;
  return write_checked(batch, &batch, durable, asked, due);
}

// If `at_end` is given, it is the same batch.
Result<Position> FileWriter::write_checked(Append const& batch, Append* at_end, bool durable,
                                           std::chrono::steady_clock::time_point asked, DueSync& due) {
  if (poisoned()) return sync_->refusal();
  if (auto r = check_lines(batch.records, {options_.max_line}, place_.path); !r) return r.error();
  Result<Position> end = write_locked(batch, at_end, durable, asked, due);
  if (buffer_.capacity() > file_writer_inl::buffer_kept) std::string().swap(buffer_);
  for (Event const& event : std::exchange(events_, {}))
    if (options_.on_event) options_.on_event(event);
  return end;
}

std::chrono::milliseconds FileWriter::time_left(std::chrono::steady_clock::time_point asked) const {
  auto const waited = std::chrono::duration_cast<std::chrono::milliseconds>(ops_->now() - asked);
  return std::max(options_.lock_wait - waited, std::chrono::milliseconds{0});
}

// While the lock is kept, most appends look at the open file only. This is half as dear as finding its name,
// and shows all but one thing: that the file was given another name, and this one belongs to another file.
int FileWriter::look(bool by_name, FileStatus& now) {
  if (!by_name && ops_->status_at_without_time(file_->file.get(), "", now) == 0 && now.links != 0) return 0;
  return ops_->status_at_without_time(place_.directory, place_.name.c_str(), now);
}

// Answers the size of the file, which is ours to append to until `unlock_file`.
Result<std::uint64_t> FileWriter::lock_file(std::chrono::steady_clock::time_point asked, bool by_name) {
  for (int i = 0; i < file_writer_inl::open_tries; ++i) {
    if (!file_)
      if (auto r = open_file(); !r) return r.error();
    if (!file_->locked) {
      Result<FileLock> lock = lock_within(*ops_, file_->file.get(), time_left(asked), place_.path);
      if (!lock) return lock.error();
      lock->leave();
      by_name = true;
    }
    file_->locked = true;
    FileStatus now;
    int const failed = look(by_name, now);
    if (failed == 0 && now.same_file(file_->opened)) {
      if (now.size < end_) { // it was shortened: all we knew is void
        end_ = 0;
        sync_->forget(*file_);
      }
      return now.size;
    }
    (void)ops_->unlock(file_->file.get());
    file_.reset();
    if (failed < 0 && fault_of(failed) != SystemFault::missing)
      return file_error(-failed, place_.path, "cannot look at the file");
  }
  return error(Errc::io_error,
               "the file is replaced again and again; find out who does it, then repeat the call");
}

// False: the lock could not be given back, and is held until the file is closed.
bool FileWriter::unlock_file() noexcept {
  if (keeps_lock_) return true;
  file_->locked = uninterrupted([&] { return ops_->unlock(file_->file.get()); }) != 0;
  return !file_->locked;
}

SESSIONKIT_SELDOM Result<void> FileWriter::take_lock(std::chrono::steady_clock::time_point asked) {
  may_create_ = false;
  Result<std::uint64_t> const size = lock_file(asked);
  return size ? Result<void>{} : size.error();
}

SESSIONKIT_SELDOM void FileWriter::keep_lock(bool keep) noexcept {
  keeps_lock_ = keep;
  if (file_ && file_->locked && !unlock_file()) file_.reset();
}

Result<Position> FileWriter::write_locked(Append const& batch, Append* at_end, bool durable,
                                          std::chrono::steady_clock::time_point asked, DueSync& due) {
  bool const by_name = !keeps_lock_ || durable || ++looks_ % file_writer_inl::looks_at_file == 0;
  Result<std::uint64_t> const size = lock_file(asked, by_name);
  if (!size) return size.error();
  std::uint64_t behind = *size; // where the file ends after this call
  bool unlocked = false;
  Result<Position> end = batch.expected;
  {
    file_writer_inl::FileUnlock const unlock([&]() noexcept { unlocked = unlock_file(); });
    if (auto r = write_doubtful_again(*size); !r)
      end = r.error();
    else if (auto known = at_end != nullptr ? expect_end(*at_end) : Result<void>(); !known)
      end = known.error();
    else if (!batch.records.empty())
      end = append_behind(batch, *size, behind);
  }
  if (end && durable) due = DueSync{sync_, file_, behind};
  if (!unlocked) file_.reset();
  return end;
}

// An earlier sync of this process failed, so the system may have dropped bytes that can still be read from
// its memory. The same bytes are written again at their place: then the next sync covers them. This happens
// before anything is looked for in the file: what was written again is not dropped without an error.
SESSIONKIT_SELDOM Result<void> FileWriter::write_doubtful_again(std::uint64_t size) {
  std::optional<FileDoubts::Doubt> const doubt = ops_->doubts().find(file_->identity());
  if (!doubt || file_->written_again == doubt->failure) return {};
  OpenFlags const flags = OpenFlags::read | OpenFlags::write; // `append` would ignore the place
  int const descriptor =
      uninterrupted([&] { return ops_->open(place_.directory, place_.name.c_str(), flags); });
  OpenFile const second(*ops_, descriptor);
  FileStatus status;
  int failed = descriptor < 0 ? descriptor : ops_->status(descriptor, status);
  if (failed == 0 && !status.same_file(file_->opened)) failed = -system_code(SystemFault::replaced);
  std::string bytes;
  for (std::uint64_t at = doubt->from; at < size && failed == 0; at += bytes.size()) {
    bytes.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(size - at, std::uint64_t{file_writer_inl::written_again_at_once})));
    if (auto r = read_exactly(*ops_, descriptor, bytes.data(), bytes.size(), at, place_.path); !r) return r;
    auto const put = uninterrupted([&] { return ops_->pwrite(descriptor, bytes.data(), bytes.size(), at); });
    if (put != static_cast<std::int64_t>(bytes.size()))
      failed = put < 0 ? static_cast<int>(put) : -system_code(SystemFault::input_or_output);
  }
  if (failed == 0) {
    file_->written_again = doubt->failure;
    return {};
  }
  Error error = file_error(-failed, place_.path,
                           detail::format_text("a sync failed earlier, and what follows offset {} cannot be "
                                               "written again",
                                               doubt->from));
  error.code = Errc::poisoned;
  return error;
}

SESSIONKIT_SELDOM Result<void> FileWriter::expect_end(Append& batch) {
  ReadRange last;
  last.order = ReadRange::newest_first;
  last.max_records = 1;
  last.max_bytes = 1;
  Result<RecordPage> const page = reader().read(last);
  if (!page) return page.error();
  batch.expected = page->log_end;
  return {};
}

Result<Position> FileWriter::append_behind(Append const& batch, std::uint64_t size, std::uint64_t& behind) {
  bool seal = false;
  Result<AppendPlan> const plan = decide(batch, size, seal);
  if (!plan) return plan.error();
  if (plan->from == batch.records.size()) return plan->end;
  Result<Position> end = write_rest(batch, plan->from, seal, size);
  if (end) behind = end->value();
  return end;
}

// Decides what is left of the batch. `seal`: the file's last line lacks its end, which is written first.
Result<AppendPlan> FileWriter::decide(Append const& batch, std::uint64_t size, bool& seal) {
  Position const end{size};
  bool const as_we_left_it =
      size == end_ && (!batch.expected_crc || *batch.expected_crc == end_crc_); // nobody else wrote
  AppendDecision decision(place_.path, batch, end, as_we_left_it ? std::optional(end_crc_) : std::nullopt);
  if (batch.expected == end && (size == 0 || as_we_left_it)) return decision.plan();
  char last = '\n';
  if (size > 0)
    if (auto r = read_exactly(*ops_, file_->file.get(), &last, 1, size - 1, place_.path); !r)
      return r.error();
  seal = last != '\n';
  if (decision.wants_line()) {
    Result<bool> const as_expected = holds_expected(batch, size);
    if (!as_expected) return as_expected.error();
    decision.line_at_expected(*as_expected);
  }
  std::uint64_t torn = 0;
  if (decision.wants_behind())
    if (auto r = show_behind(batch.expected, decision, torn); !r) return r.error();
  Result<AppendPlan> plan = decision.plan();
  if (plan && torn > 0 && plan->from < batch.records.size())
    events_.push_back(
        Event{Event::tail_sealed, place_.path,
              detail::format_text("{} torn bytes at offset {} were closed off with a line end; they stay",
                                  torn, size - torn)});
  return plan;
}

FileReader FileWriter::reader() const {
  return FileReader(*ops_, file_->file.get(), place_.path, ReaderOptions{options_.max_line});
}

// True if an entry ends at `expected`, within the file, and is the one that the batch expects.
Result<bool> FileWriter::holds_expected(Append const& batch, std::uint64_t size) {
  std::uint64_t const expected = batch.expected.value();
  if (expected == end_) { // somebody else wrote since; did they leave our last line alone?
    std::string now(end_bytes_.size(), '\0');
    if (auto r = read_exactly(*ops_, file_->file.get(), now.data(), now.size(), expected - now.size(),
                              place_.path);
        !r)
      return r.error();
    if (now != end_bytes_) return false;
  }
  if (batch.expected_crc) {
    FileReader log = reader();
    Result<bool> same = still_holds({batch.expected, *batch.expected_crc},
                                    [&](ReadRange const& range) { return log.read(range); });
    if (!same || !*same) return same;
  }
  char around[2] = {'\0', '\0'};
  std::size_t const bytes = expected < size ? 2 : 1;
  if (auto r = read_exactly(*ops_, file_->file.get(), around, bytes, expected - 1, place_.path); !r)
    return r.error();
  if (around[0] == '\n' || around[1] == '\n') return true;
  Result<RecordPage> const page = reader().read(record_before(batch.expected));
  if (!page) return page.error();
  return !page->items().empty() && page->items().front().end == batch.expected; // else torn, or within a line
}

// Torn bytes at the end of the file are no record; `torn` says how many there are.
Result<void> FileWriter::show_behind(Position expected, AppendDecision& decision, std::uint64_t& torn) {
  FileReader log = reader();
  ReadRange range;
  range.from = expected;
  for (bool more = true; more;) {
    Result<RecordPage> const page = log.read(range);
    if (!page) return page.error();
    more = page->more;
    range.from = page->next;
    for (RecordPage::Item const& item : page->items())
      if (is_whole_object(item.line)) more = decision.see(item) && more; // else torn and closed off
    for (Damage const& damage : page->damage)
      if (damage.kind == DamageKind::torn_tail) torn = damage.length;
  }
  return {};
}

Result<Position> FileWriter::write_rest(Append const& batch, std::size_t from, bool seal,
                                        std::uint64_t size) {
  buffer_.clear();
  std::size_t total = 1;
  for (std::size_t i = from; i < batch.records.size(); ++i) total += batch.records[i].line.size() + 1;
  buffer_.reserve(total);
  if (seal) buffer_ += '\n';
  for (std::size_t i = from; i < batch.records.size(); ++i) buffer_.append(batch.records[i].line) += '\n';

  auto const result =
      uninterrupted([&] { return ops_->write(file_->file.get(), buffer_.data(), buffer_.size()); });
  if (result < 0 || static_cast<std::size_t>(result) != buffer_.size()) {
    std::uint64_t const first_line_end = (seal ? 1 : 0) + batch.records[from].line.size();
    return failed_write(result, size, first_line_end, from > 0);
  }
  made_ = false;
  end_ = size + buffer_.size();
  file_->written.store(end_, std::memory_order_release);
  end_crc_ = batch.after != nullptr ? batch.after->end_crc : crc32c(batch.records.back().line);
  end_bytes_.assign(buffer_, buffer_.size() - std::min(buffer_.size(), file_writer_inl::end_bytes_kept));
  return Position{end_};
}

// Reports what a failed append left in the file.
SESSIONKIT_SELDOM Error FileWriter::failed_write(std::int64_t result, std::uint64_t size,
                                                 std::uint64_t first_line_end, bool part_written) {
  events_.clear(); // the next append reports what it seals
  end_ = 0;
  int const system = result < 0 ? static_cast<int>(-result) : 0;
  std::string const doing = detail::format_text("cannot append {} bytes at offset {}", buffer_.size(), size);
  Error failure =
      system != 0 ? file_error(system, place_.path, doing)
                  : error(Errc::no_space, // the one thing that makes a regular file take a part
                          detail::format_text(
                              "{}: the system took only {}; the disk, the quota or the file size limit is "
                              "reached: free some and append again",
                              doing, result));
  FileStatus now;
  bool const known = ops_->status(file_->file.get(), now) == 0;
  if (part_written || !known || now.size >= size + first_line_end)
    failure.code = Errc::outcome_unknown;
  else if (failure.code != Errc::no_space)
    failure.code = Errc::not_written;
  if (known && now.size == 0) remove_if_made();
  return failure;
}

// An empty file that we made, whose lock we hold and that still has its name, is no session.
void FileWriter::remove_if_made() {
  FileStatus named;
  if (!made_ || ops_->status_at(place_.directory, place_.name.c_str(), named) < 0) return;
  if (named.same_file(file_->opened) && named.size == 0)
    (void)ops_->unlink(place_.directory, place_.name.c_str()); // else it stays, and may be started again
}

}}}
