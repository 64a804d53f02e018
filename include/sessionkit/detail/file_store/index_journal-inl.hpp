// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/file_store/index_journal.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/ids.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <unordered_map>

#include <fcntl.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

constexpr char const* journal_name = "sessions.journal";
constexpr std::size_t crc_digits = 8;
constexpr int load_tries = 8; // somebody may be writing a new snapshot
constexpr std::chrono::milliseconds load_pause{2};

void finish_journal_line(std::string const& json, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:08x} {}\n", crc32c(json), json);
}

// Could this be what we write, whole or torn? What cannot is somebody's, and not ours to destroy.
bool is_begin_of_journal(std::string_view text) noexcept {
  constexpr std::string_view begin = "{\"journal\":";
  for (std::size_t i = 0; i < std::min(text.size(), crc_digits); ++i)
    if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f'))) return false;
  if (text.size() <= crc_digits) return true;
  std::string_view const json = text.substr(std::min(text.size(), crc_digits + 1), begin.size());
  return text[crc_digits] == ' ' && json == begin.substr(0, json.size());
}

// The JSON of a line; empty if its checksum is not right.
std::string_view checked_journal_line(std::string_view line) {
  if (line.size() < crc_digits + 2 || line[crc_digits] != ' ') return {};
  std::string_view const json = line.substr(crc_digits + 1);
  return line.substr(0, crc_digits) == fmt::format("{:08x}", crc32c(json)) ? json : std::string_view{};
}

std::optional<JournalHead> parse_journal_head(std::string_view json) {
  if (!check_json(json) || find_member(json, "journal") != "1") return std::nullopt;
  JournalHead head;
  head.id = to_text(find_member(json, "id"));
  head.extends.bytes = to_uint(find_member(json, "bytes")).value_or(0);
  head.extends.crc = static_cast<std::uint32_t>(to_uint(find_member(json, "crc")).value_or(0));
  return head;
}

// The session that a change is about, by the line's first member.
std::string_view name_in_change(std::string_view json) {
  std::string_view name;
  for_members(json, [&](std::string_view, std::string_view value) {
    name = value;
    return false;
  });
  return name;
}

std::optional<IndexChange> parse_journal_change(std::string_view json) {
  if (!check_json(json)) return std::nullopt;
  std::string_view const row = find_member(json, "row");
  Result<SessionId> id = SessionId::parse(to_text(find_member(json, row.empty() ? "removed" : "put")));
  if (!id) return std::nullopt;
  IndexChange change{id->str(), std::nullopt};
  if (row.empty()) return change;
  if (json_kind(row) != JsonKind::object) return std::nullopt;
  change.row = parse_index_row(std::move(*id), row);
  if (change.row->info.end == Position{}) change.row->raw = row;
  return change;
}

}

std::string journal_head_line(JournalHead const& head) {
  std::string json, out;
  JsonWriter(json)
      .begin_object()
      .key("journal")
      .unsigned_integer(1)
      .member("id", head.id)
      .key("bytes")
      .unsigned_integer(head.extends.bytes)
      .key("crc")
      .unsigned_integer(head.extends.crc)
      .end_object();
  finish_journal_line(json, out);
  return out;
}

void append_journal_line(std::string_view name, IndexRow const* row, std::string& out) {
  std::string json;
  JsonWriter line(json);
  line.begin_object().member(row == nullptr ? "removed" : "put", name);
  if (row != nullptr) {
    line.key("row");
    if (row->raw.empty())
      write_index_row(*row, line, json);
    else
      line.raw(row->raw);
  }
  line.end_object();
  finish_journal_line(json, out);
}

std::optional<JournalHead> parse_journal_begin(std::string_view text) {
  std::size_t const end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view const json = checked_journal_line(text.substr(0, end));
  return json.empty() ? std::nullopt : parse_journal_head(json);
}

JournalText parse_journal(std::string_view text, bool whole) {
  JournalText out;
  std::vector<std::string_view> lines;
  for (std::size_t end; (end = text.find('\n', out.used)) != std::string_view::npos; out.used = end + 1) {
    bool const first = whole && out.used == 0;
    if (first) {
      out.head = parse_journal_begin(text);
      if (!out.head) return out; // another program's, or torn where it began
      continue;
    }
    std::string_view const json = checked_journal_line(text.substr(out.used, end - out.used));
    if (json.empty())
      ++out.bad;
    else
      lines.push_back(json);
  }
  std::unordered_map<std::string_view, std::size_t> last; // who reads all of it need not know what was before
  for (std::size_t i = 0; whole && i < lines.size(); ++i) last[name_in_change(lines[i])] = i;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (whole && last[name_in_change(lines[i])] != i) continue;
    if (std::optional<IndexChange> change = parse_journal_change(lines[i]))
      out.changes.push_back(std::move(*change));
    else
      ++out.bad;
  }
  return out;
}

IndexJournal::IndexJournal(FileOps& ops, int directory, std::string const& root, IndexFile& snapshot)
    : ops_(&ops), directory_(directory), path_(root + "/" + journal_name), snapshot_(&snapshot) {}

// Nothing if it cannot be read now.
std::optional<std::string> IndexJournal::read_from(std::uint64_t offset, FileStatus const& now) {
  Result<OpenFile> const file = open_for_reading(*ops_, directory_, journal_name, false, path_);
  if (!file) return std::nullopt;
  FileStatus opened;
  if (ops_->status(file->get(), opened) < 0 || !opened.same_file(now) || opened.size < now.size)
    return std::nullopt;
  std::string text(static_cast<std::size_t>(now.size - offset), '\0');
  if (offset > 0) { // is it still the journal we know, and not one of the same place on the disk?
    std::string const expected = journal_head_line(head_);
    std::string head(expected.size(), '\0');
    if (!read_exactly(*ops_, file->get(), head.data(), head.size(), 0, path_) || head != expected)
      return std::nullopt;
  }
  if (!read_exactly(*ops_, file->get(), text.data(), text.size(), offset, path_)) return std::nullopt;
  return text;
}

void IndexJournal::take(std::string const& text, bool whole, IndexUpdate& news) {
  JournalText journal = parse_journal(text, whole);
  applied_ += journal.used;
  if (journal.head) head_ = std::move(*journal.head);
  if (journal.bad > 0) news.doubt = fmt::format("{} has {} lines that say nothing", path_, journal.bad);
  if (!news.whole) {
    news.changes = std::move(journal.changes);
    return;
  }
  for (IndexChange& change : journal.changes)
    if (change.row)
      news.index.put(change.name, std::move(*change.row));
    else
      news.index.erase(change.name);
}

IndexUpdate IndexJournal::load() {
  IndexUpdate news;
  for (int i = 0; i < load_tries; ++i) {
    news = {};
    news.whole = true;
    news.state = snapshot_->load(news.index);
    loaded_ = true;
    alien_ = false;
    usable_ = news.state == IndexFile::good;
    base_ = snapshot_->print();
    head_ = {};
    seen_ = {};
    applied_ = written_ = 0;
    FileStatus now;
    int const failed = ops_->status_at(directory_, journal_name, now);
    if (!usable_) return news;
    if (failed == -ENOENT) { // or it is part of a new snapshot since we read the old one
      if (snapshot_->unchanged().value_or(true)) return news;
      continue;
    }
    std::optional<std::string> const text = failed < 0 ? std::nullopt : read_from(0, now);
    std::optional<JournalHead> const head = text ? parse_journal_begin(*text) : std::nullopt;
    if (head && head->extends == snapshot_->print()) {
      seen_ = now;
      take(*text, true, news);
      if (!news.doubt.empty()) usable_ = false;
      return news;
    }
    usable_ = false;
    alien_ = text && !is_begin_of_journal(*text);
    news.doubt = path_
                 + (!text  ? " could not be read"
                    : head ? " extends another index"
                           : " is no journal of ours");
    if (!is_in_change(now)) return news;
  }
  return news;
}

// A new snapshot takes its name just before the journal it holds loses its own: is somebody between the two?
bool IndexJournal::is_in_change(FileStatus const& journal) {
  for (int i = 0; i < load_tries; ++i) {
    ops_->pause(load_pause);
    FileStatus now;
    int const failed = ops_->status_at(directory_, journal_name, now);
    if (failed == -ENOENT || (failed == 0 && !now.same_version(journal))) return true;
    if (!snapshot_->unchanged().value_or(true)) return true;
  }
  return false;
}

IndexUpdate IndexJournal::look() {
  if (!loaded_) return load();
  std::optional<bool> const same = snapshot_->unchanged();
  FileStatus now;
  int const failed = ops_->status_at(directory_, journal_name, now);
  if (!same || (failed < 0 && failed != -ENOENT)) return {}; // what is in memory serves
  if (!*same || !(snapshot_->print() == base_)) return load();
  if (failed == -ENOENT) {
    if (seen_.inode == 0) return {};
    IndexUpdate news;
    news.doubt = path_ + " is gone";
    seen_ = {};
    applied_ = 0;
    usable_ = false;
    return news;
  }
  if (!usable_) return {}; // told already; the next snapshot makes an end of it
  if (!seen_.same_file(now) || now.size < applied_) return load();
  if (now.size == seen_.size) return {};
  std::optional<std::string> const text = read_from(applied_, now);
  if (!text) return load();
  IndexUpdate news;
  seen_ = now;
  take(*text, false, news);
  if (!news.doubt.empty()) usable_ = false;
  return news;
}

Result<OpenFile> IndexJournal::open_for_append() {
  bool const make = seen_.inode == 0;
  int const flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  int const descriptor = uninterrupted(
      [&] { return ops_->open(directory_, journal_name, make ? flags | O_CREAT | O_EXCL : flags, 0600); });
  if (descriptor < 0) return file_error(-descriptor, path_, "cannot open the journal of the index");
  OpenFile file(*ops_, descriptor);
  FileStatus status;
  int failed = make ? ops_->set_mode(descriptor, 0600) : 0;
  if (failed == 0) failed = ops_->status(descriptor, status);
  if (failed < 0) return file_error(-failed, path_, "cannot look at the journal of the index");
  if (status.kind != FileStatus::regular || status.links != 1 || status.owner != ops_->user())
    return Error{Errc::unsafe_path, 0, path_ + ": not a file of one name that is ours"};
  if (!make && !status.same_file(seen_))
    return Error{Errc::conflict, 0, path_ + ": the journal was replaced without the lock of the index"};
  seen_ = status;
  return file;
}

Result<void> IndexJournal::append(std::function<std::string(IndexUpdate)> const& make,
                                  std::chrono::milliseconds lock_wait) {
  Result<OpenFile> const lock = snapshot_->lock(lock_wait);
  if (!lock) return lock.error();
  std::string text = make(look());
  if (!may_append()) return Error{Errc::conflict, 0, path_ + ": there is no index that it extends"};
  if (text.empty()) return {};
  bool const begins = seen_.inode == 0;
  Result<OpenFile> const file = open_for_append();
  if (!file) return file.error();
  if (begins) {
    head_ = {snapshot_->print(), random_entry_id()};
    text.insert(0, journal_head_line(head_));
  } else if (seen_.size > applied_) {
    text.insert(0, "\n"); // torn bytes of somebody who was killed
  }
  auto const put = uninterrupted([&] { return ops_->write(file->get(), text.data(), text.size()); });
  if (put != static_cast<std::int64_t>(text.size())) {
    if (begins) forget_begun();
    return file_error(put < 0 ? static_cast<int>(-put) : ENOSPC, path_, "cannot write to the journal");
  }
  seen_.size += text.size();
  applied_ = seen_.size;
  written_ += text.size();
  return {};
}

// A journal whose begin could not be written says nothing, and is taken for torn by whoever finds it.
void IndexJournal::forget_begun() {
  bool const gone = ops_->unlink(directory_, journal_name) == 0;
  loaded_ = gone; // else it is looked at again
  seen_ = {};
  head_ = {};
  applied_ = 0;
}

void IndexJournal::restart() {
  std::string const aside = fmt::format("{}.unreadable-{}", journal_name, random_entry_id());
  int const failed = alien_ ? ops_->rename(directory_, journal_name, directory_, aside.c_str(), false)
                            : ops_->unlink(directory_, journal_name);
  loaded_ = true;
  alien_ = false;
  usable_ = failed == 0 || failed == -ENOENT;
  base_ = snapshot_->print();
  head_ = {};
  seen_ = {};
  applied_ = written_ = 0;
}

}}}
