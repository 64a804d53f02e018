// SPDX-License-Identifier: MIT
// Reads and writes the files of an index: the snapshot, the journal and the lock of writers.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/replace_file.hpp>
#include <sessionkit/detail/base/text_memory.hpp>
#include <sessionkit/detail/file_store/index_files.hpp>
#include <sessionkit/ids.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace index_files_inl { namespace {

constexpr char const *snapshot_name = "sessions.json", *journal_name = index_journal_name;
constexpr std::size_t piece = std::size_t{256} << 10; // stays in the processor's cache
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20,
                        most_for_one = 4096;                         // of a file; and a transcript
constexpr std::uint64_t most_beside_newest = std::uint64_t{1} << 20; // of a journal
constexpr int load_tries = 8; // another process may be writing a new snapshot
constexpr std::chrono::milliseconds load_pause{2};
constexpr int in_place_tries = 3; // programs that write the snapshot in place may be at it
constexpr std::chrono::milliseconds in_place_pause{10};

}}

SESSIONKIT_SELDOM IndexFiles::IndexFiles(FileOps& ops, int directory, std::string root,
                                         IndexFilesOptions options)
    : ops_(&ops),
      directory_(directory),
      root_(std::move(root)),
      snapshot_path_(root_ + "/" + index_files_inl::snapshot_name),
      journal_path_(root_ + "/" + index_files_inl::journal_name),
      options_(std::move(options)),
      lock_(ops, directory, root_) {}

// True if the file is larger than an index of these transcripts can be: it is not read, because it would use
// up the host's memory.
bool IndexFiles::is_too_large(std::uint64_t size) const {
  if (size <= index_files_inl::most_bytes) return false;
  std::optional<std::size_t> const transcripts = options_.transcripts ? options_.transcripts() : 0;
  return transcripts && size > index_files_inl::most_bytes + index_files_inl::most_for_one * *transcripts;
}

// The bytes [from, to) of either file; `use` sees them while they come in.
Result<IndexText> IndexFiles::read_bytes(OpenFile const& file, std::string const& path, std::uint64_t from,
                                         std::uint64_t to, std::function<void(std::string_view)> const& use) {
  auto const size = static_cast<std::size_t>(to - from);
  IndexText text{text_memory(size), size};
  for (std::size_t at = 0, bytes = 0; at < size; at += bytes) {
    bytes = std::min(index_files_inl::piece, size - at);
    if (auto r = read_exactly(*ops_, file.get(), text.bytes.get() + at, bytes, from + at, path); !r)
      return r.error();
    if (use) use(text.view().substr(0, at + bytes));
  }
  return text;
}

JournalDelta::State IndexFiles::read_snapshot(IndexRows& out) {
  JournalDelta::State state = try_snapshot(out);
  for (int tries = index_files_inl::in_place_tries;
       state == JournalDelta::unreadable && failure_.code == Errc::corrupt && tries > 0; --tries) {
    ops_->pause(index_files_inl::in_place_pause);
    state = try_snapshot(out);
  }
  return state;
}

SESSIONKIT_SELDOM JournalDelta::State IndexFiles::try_snapshot(IndexRows& out) {
  out = {};
  seen_ = {}; // so that a later `replace` looks again
  FileStatus now;
  Result<OpenFile> const file =
      open_for_reading(*ops_, directory_, index_files_inl::snapshot_name, false, snapshot_path_, &now);
  if (!file && file.error().code == Errc::not_found) return JournalDelta::missing;
  if (file && is_too_large(now.size)) {
    failure_ = detail::make_error(Errc::unsupported, "{}: {} bytes are no index of these transcripts",
                                  snapshot_path_, now.size);
    return JournalDelta::unreadable;
  }
  IndexCodec const& codec = index_codec(options_.layout);
  auto const covered = static_cast<std::size_t>(checksummed_bytes(now.size));
  ChecksummedRows lines;
  std::size_t come = 0;
  std::uint32_t crc = 0; // of the covered bytes
  auto const look = [&](std::string_view text) {
    std::size_t const end = std::min(text.size(), covered);
    crc = crc32c(text.substr(come, end - come), crc);
    if (codec.has_checksum && come < covered) lines.look(text.substr(0, end));
    come = end;
  };
  Result<IndexText> text = file ? read_bytes(*file, snapshot_path_, 0, now.size, look) : file.error();
  if (!text) { // an alien entry is moved aside, what may be ours is left alone
    failure_ = text.error();
    return failure_.code == Errc::unsafe_path ? JournalDelta::unreadable : JournalDelta::unavailable;
  }
  print_ = {now.size, crc32c(text->view().substr(covered), crc)};
  std::optional<IndexRows> found = lines.take(*text, crc);
  Result<IndexRows> rows = found ? Result<IndexRows>(std::move(*found)) : codec.parse(text->view());
  foreign_ = false;
  if (!rows && options_.layout == StoreLayout::by_id)
    if (Result<IndexRows> theirs = parse_openclaw_index(text->view())) {
      rows = std::move(theirs);
      foreign_ = true;
    }
  if (!rows) {
    failure_ = rows.error();
    return JournalDelta::unreadable;
  }
  seen_ = now;
  out = std::move(*rows);
  return JournalDelta::good;
}

bool IndexFiles::is_missing() {
  FileStatus ignored;
  return fault_of(ops_->status_at(directory_, index_files_inl::snapshot_name, ignored))
         == SystemFault::missing;
}

// Is the snapshot still the one last read or written? Absent: it is not known.
std::optional<bool> IndexFiles::snapshot_unchanged() {
  FileStatus now;
  int const failed = ops_->status_at(directory_, index_files_inl::snapshot_name, now);
  if (failed < 0 && fault_of(failed) != SystemFault::missing) return std::nullopt;
  return failed < 0 ? seen_.inode == 0 : now.same_version(seen_);
}

SESSIONKIT_SELDOM Result<void> IndexFiles::write_snapshot(std::string const& text) {
  Result<OpenFile> const file =
      replace_file(*ops_, directory_, root_, index_files_inl::snapshot_name, text, options_.synced);
  if (!file) return file.error();
  if (ops_->status(file->get(), seen_) < 0) seen_ = {};
  print_ = {text.size(), crc32c(text)};
  return {};
}

// A file that we cannot read may be somebody else's: it is not destroyed. Answers what the system does.
SESSIONKIT_SELDOM int IndexFiles::move_aside(char const* name) {
  std::string const aside = detail::format_text("{}.unreadable-{}", name, random_entry_id());
  return ops_->rename(directory_, name, directory_, aside.c_str(), false);
}

SESSIONKIT_SELDOM Result<void> IndexFiles::replace(std::function<std::string(JournalDelta)> const& make,
                                                   std::chrono::milliseconds lock_wait) {
  if (foreign_) return {};
  Result<FileLock> const held = lock_.take(lock_wait);
  if (!held) return held.error();
  bool const same = seen_.inode != 0 && snapshot_unchanged().value_or(false);
  JournalDelta delta = same ? look() : load();
  if (delta.whole && delta.state == JournalDelta::unavailable) return failure_;
  if (delta.whole && delta.state == JournalDelta::unreadable)
    if (int const failed = move_aside(index_files_inl::snapshot_name); failed < 0)
      return file_error(-failed, snapshot_path_, "cannot move the unreadable index aside");
  if (foreign_) return {}; // it came since the last look
  if (delta.state != JournalDelta::good) delta = {};
  if (auto r = write_snapshot(make(std::move(delta))); !r) return r;
  if (options_.journal) restart_journal();
  return options_.synced ? sync_directory(*ops_, directory_, root_) : Result<void>{};
}

// From `offset` on, up to where it ended when it was looked at. Nothing if it cannot be read now.
std::optional<IndexText> IndexFiles::read_journal(std::uint64_t offset, FileStatus const& now) {
  FileStatus opened;
  Result<OpenFile> const file =
      open_for_reading(*ops_, directory_, index_files_inl::journal_name, false, journal_path_, &opened);
  if (!file || !opened.same_file(now) || opened.size < now.size) return std::nullopt;
  if (offset > 0) { // is it still the journal we know, and not one of the same place on the disk?
    std::string const expected = journal_head_line(head_);
    Result<IndexText> const head = read_bytes(*file, journal_path_, 0, expected.size());
    if (!head || head->view() != expected) return std::nullopt;
  }
  Result<IndexText> text = read_bytes(*file, journal_path_, offset, now.size);
  if (!text) return std::nullopt;
  return std::move(*text);
}

void IndexFiles::take_journal(std::string_view text, JournalDelta& delta) {
  JournalText journal = parse_journal(text, delta.whole);
  applied_ += journal.used;
  if (journal.head) head_ = std::move(*journal.head);
  if (journal.bad > 0) {
    delta.doubt = detail::format_text("{} has {} lines that say nothing", journal_path_, journal.bad);
    usable_ = false;
  }
  delta.names_version = journal.names_version;
  if (!delta.whole) {
    delta.changes = std::move(journal.changes);
    return;
  }
  for (RowChange& change : journal.changes)
    if (change.row)
      delta.rows.put(std::move(*change.row));
    else
      delta.rows.erase(change.name);
}

// No journal extends the snapshot yet.
void IndexFiles::begin_journal(bool usable) {
  usable_ = usable;
  alien_ = false;
  head_ = {};
  appending_.reset();
  journal_ = {};
  applied_ = written_ = 0;
}

SESSIONKIT_SELDOM JournalDelta IndexFiles::load() {
  JournalDelta delta;
  for (int tries = index_files_inl::load_tries; tries > 0; --tries) {
    delta = {};
    delta.whole = loaded_ = true;
    delta.state = read_snapshot(delta.rows);
    begin_journal(options_.journal && delta.state == JournalDelta::good && !foreign_);
    if (!usable_ || load_journal(delta)) break;
  }
  return delta;
}

// False: the snapshot that was read is not the last one any more.
SESSIONKIT_SELDOM bool IndexFiles::load_journal(JournalDelta& delta) {
  FileStatus now;
  int const failed = ops_->status_at(directory_, index_files_inl::journal_name, now);
  if (fault_of(failed) == SystemFault::missing)
    return snapshot_unchanged().value_or(true); // or it is part of a new snapshot
  bool const large = failed == 0 && is_too_large(now.size);
  std::optional<IndexText> const text = failed < 0 || large ? std::nullopt : read_journal(0, now);
  std::optional<JournalHead> const head = text ? parse_journal_begin(text->view()) : std::nullopt;
  if (head && head->extends == print_) {
    journal_ = now;
    take_journal(text->view(), delta);
    return true;
  }
  usable_ = false;
  alien_ = large || (text && !may_be_journal(text->view()));
  delta.doubt = journal_path_
                + (large   ? " is larger than a journal of these transcripts"
                   : !text ? " could not be read"
                   : head  ? " extends another index"
                           : " is no journal of ours");
  return !is_in_change(now);
}

// A new snapshot takes its name just before the journal it holds loses its own: is somebody between the two?
bool IndexFiles::is_in_change(FileStatus const& journal) {
  for (int tries = index_files_inl::load_tries; tries > 0; --tries) {
    ops_->pause(index_files_inl::load_pause);
    FileStatus now;
    int const failed = ops_->status_at(directory_, index_files_inl::journal_name, now);
    if (fault_of(failed) == SystemFault::missing || (failed == 0 && !now.same_version(journal))) return true;
    if (!snapshot_unchanged().value_or(true)) return true;
  }
  return false;
}

JournalDelta IndexFiles::look() {
  if (!loaded_) return load();
  if (!options_.journal) return {}; // the rows in memory are used until we write
  std::optional<bool> const same = snapshot_unchanged();
  FileStatus now;
  int const failed = ops_->status_at(directory_, index_files_inl::journal_name, now);
  if (!same || (failed < 0 && fault_of(failed) != SystemFault::missing))
    return appending_.reset(), JournalDelta{}; // what is in memory serves
  if (!*same) return load();
  JournalDelta delta;
  if (fault_of(failed) == SystemFault::missing) {
    if (journal_.inode == 0) return {};
    if (!snapshot_unchanged().value_or(true)) return load(); // it became part of a new snapshot
    journal_ = {};
    applied_ = 0;
    usable_ = false;
    delta.doubt = journal_path_ + " is gone";
    return delta;
  }
  if (!usable_) return {}; // reported already; the next snapshot replaces it
  if (!journal_.same_file(now) || now.size < applied_) return load();
  if (now.links != 1 || now.owner != journal_.owner) appending_.reset(); // the next change looks closely
  if (now.size == journal_.size) return {};
  if (is_too_large(now.size)) return load();
  std::optional<IndexText> const text = read_journal(applied_, now);
  if (!text) return load();
  journal_ = now;
  take_journal(text->view(), delta);
  return delta;
}

std::optional<NewestOfIndex> IndexFiles::look_at_newest() {
  if (loaded_ || !options_.journal) return std::nullopt;
  FileStatus now;
  Result<OpenFile> const file =
      open_for_reading(*ops_, directory_, index_files_inl::snapshot_name, false, snapshot_path_, &now);
  if (!file || now.size <= small_snapshot) return std::nullopt;
  Result<IndexText> end = read_bytes(*file, snapshot_path_, now.size - NewestRows::most_bytes, now.size);
  std::optional<NewestRows> rows = end ? NewestRows::parse(std::move(*end), now.size) : std::nullopt;
  FileStatus journal;
  if (!rows || ops_->status_at(directory_, index_files_inl::journal_name, journal) < 0) return std::nullopt;
  if (journal.size > index_files_inl::most_beside_newest) return std::nullopt;
  std::optional<IndexText> const text = read_journal(0, journal);
  if (!text) return std::nullopt;
  JournalText changes = parse_journal(text->view(), true);
  if (!changes.head || !(changes.head->extends == rows->snapshot()) || changes.bad > 0) return std::nullopt;
  rows->apply(std::move(changes.changes));
  return NewestOfIndex{std::move(*rows), changes.names_version};
}

SESSIONKIT_SELDOM Result<void> IndexFiles::open_for_append() {
  bool const make = journal_.inode == 0;
  OpenFlags const flags = OpenFlags::write | OpenFlags::append;
  int const descriptor = uninterrupted([&] {
    return ops_->open(directory_, index_files_inl::journal_name, make ? flags | OpenFlags::only_new : flags);
  });
  if (descriptor < 0) return file_error(-descriptor, journal_path_, "cannot open the journal of the index");
  OpenFile file(*ops_, descriptor);
  FileStatus status;
  int failed = make ? ops_->set_mode(descriptor, 0600) : 0;
  if (failed == 0) failed = ops_->status(descriptor, status);
  if (failed < 0) return file_error(-failed, journal_path_, "cannot look at the journal of the index");
  if (status.kind != FileStatus::regular || status.links != 1 || status.owner != ops_->user())
    return detail::make_error(Errc::unsafe_path, "{}: not a file of one name that is ours", journal_path_);
  if (!make && !status.same_file(journal_))
    return detail::make_error(Errc::conflict, "{}: the journal was replaced without the lock of the index",
                              journal_path_);
  journal_ = status;
  appending_ = std::move(file);
  return {};
}

Result<void> IndexFiles::append(std::function<std::string(JournalDelta)> const& make,
                                std::chrono::milliseconds lock_wait) {
  if (foreign_) return {};
  Result<FileLock> const held = lock_.take(lock_wait);
  if (!held) return held.error();
  std::string text = make(look());
  if (!may_append())
    return detail::make_error(Errc::conflict, "{}: there is no index that it extends", journal_path_);
  if (text.empty()) return {};
  bool const begins = journal_.inode == 0;
  if (!appending_)
    if (auto opened = open_for_append(); !opened) return opened;
  if (begins) {
    head_ = {print_, random_entry_id()};
    text.insert(0, journal_head_line(head_));
  } else if (journal_.size > applied_) {
    text.insert(0, "\n"); // torn bytes of a process that was killed
  }
  auto const put = uninterrupted([&] { return ops_->write(appending_.get(), text.data(), text.size()); });
  if (put != static_cast<std::int64_t>(text.size())) {
    if (begins) remove_torn_journal();
    return file_error(put < 0 ? static_cast<int>(-put) : system_code(SystemFault::no_space), journal_path_,
                      "cannot write to the journal");
  }
  journal_.size += text.size();
  applied_ = journal_.size;
  written_ += text.size();
  return {};
}

// A journal without its first line holds nothing: it is removed, or read again.
SESSIONKIT_SELDOM void IndexFiles::remove_torn_journal() {
  loaded_ = ops_->unlink(directory_, index_files_inl::journal_name) == 0;
  begin_journal(usable_);
}

// A new snapshot exists, with all that the journal holds; the lock is held.
void IndexFiles::restart_journal() {
  char const* const name = index_files_inl::journal_name;
  int const failed = alien_ ? move_aside(name) : ops_->unlink(directory_, name);
  loaded_ = true;
  begin_journal(failed == 0 || fault_of(failed) == SystemFault::missing);
  if (usable_ && print_.bytes > small_snapshot) start_journal(); // else the next change begins it
}

// A journal without changes, so that a process that only lists can note the directory's version in it: making
// the file would change this version.
SESSIONKIT_SELDOM void IndexFiles::start_journal() {
  if (!open_for_append()) return begin_journal(usable_);
  head_ = {print_, random_entry_id()};
  std::string const text = journal_head_line(head_);
  auto const put = uninterrupted([&] { return ops_->write(appending_.get(), text.data(), text.size()); });
  if (put != static_cast<std::int64_t>(text.size())) return remove_torn_journal();
  journal_.size = applied_ = text.size();
}

}}}
