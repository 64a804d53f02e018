// SPDX-License-Identifier: MIT
// Keeps the list of the segments of a search index, and opens them.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/replace_file.hpp>
#include <sessionkit/detail/upkeep/search_files.hpp>
#include <sessionkit/version.hpp>

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace search_files_inl { namespace {

constexpr char const* list_name = "segments";
constexpr std::string_view format = "sessionkit search index 1, library " SESSIONKIT_VERSION;

SnapshotPtr make_snapshot(FileStatus const& list, std::vector<SegmentPtr> segments, std::size_t dropped) {
  auto snapshot = std::make_shared<SearchSnapshot>();
  snapshot->list = list;
  snapshot->segments = std::move(segments);
  snapshot->dropped = dropped;
  for (std::size_t i = 0; i < snapshot->segments.size(); ++i)
    for (IndexedPiece const& piece : snapshot->segments[i]->pieces())
      snapshot->logs[piece.session].add(i, piece);
  return snapshot;
}

bool is_segment(std::string_view file) noexcept {
  return file.size() > segment_suffix.size()
         && file.substr(file.size() - segment_suffix.size()) == segment_suffix;
}

}}

std::string write_segment_list(std::vector<SegmentName> const& names) {
  std::string text;
  put_bytes(text, search_files_inl::format);
  put_number(text, names.size());
  for (SegmentName const& name : names) {
    put_bytes(text, name.file);
    put_number(text, name.tail_at);
    put_number(text, name.tail_bytes);
    put_number(text, name.tail_crc);
  }
  put_number(text, crc32c(text));
  return text;
}

std::vector<SegmentName> read_segment_list(std::string_view text) {
  NumberReader reader(text);
  if (reader.bytes() != search_files_inl::format) return {};
  std::vector<SegmentName> names(reader.count());
  for (SegmentName& name : names) {
    name.file = reader.bytes();
    name.tail_at = reader.number();
    name.tail_bytes = reader.number();
    name.tail_crc = static_cast<std::uint32_t>(reader.number());
  }
  std::uint32_t const crc = crc32c(text.substr(0, text.size() - reader.left()));
  bool const is_good = reader.number() == crc && reader.is_at_end() && !reader.has_failed();
  return is_good ? names : std::vector<SegmentName>{};
}

IndexedLog const* SearchSnapshot::find(std::string const& session) const {
  auto const found = logs.find(session);
  return found != logs.end() && !found->second.parts().empty() ? &found->second : nullptr;
}

bool SearchSnapshot::is_damaged() const noexcept {
  return std::any_of(segments.begin(), segments.end(),
                     [](SegmentPtr const& segment) { return segment->is_damaged(); });
}

SnapshotPtr SearchFiles::current() {
  std::lock_guard<Mutex> const lock(mutex_);
  FileStatus now;
  if (folder_.ops->status_at(folder_.directory, search_files_inl::list_name, now) < 0) now = {};
  if (!snapshot_ || !now.same_version(snapshot_->list) || snapshot_->is_damaged()) snapshot_ = load();
  return snapshot_;
}

// A segment that is open stays open.
SegmentPtr SearchFiles::segment_of(SegmentName const& name) const {
  if (snapshot_)
    for (SegmentPtr const& known : snapshot_->segments)
      if (known->name().file == name.file) return known->is_damaged() ? nullptr : known;
  Result<SegmentPtr> opened = SearchSegment::open(folder_, name);
  return opened ? std::move(*opened) : nullptr;
}

SESSIONKIT_SELDOM SnapshotPtr SearchFiles::load() const {
  char const* const name = search_files_inl::list_name;
  std::string const path = folder_.path + "/" + name;
  FileStatus status;
  std::string text;
  if (auto file = open_for_reading(*folder_.ops, folder_.directory, name, false, path, &status)) {
    text.resize(static_cast<std::size_t>(status.size));
    if (!read_exactly(*folder_.ops, file->get(), text.data(), text.size(), 0, path)) text.clear();
  } else {
    status = {};
  }
  std::vector<SegmentName> const names = read_segment_list(text);
  std::vector<SegmentPtr> segments;
  for (SegmentName const& segment : names)
    if (SegmentPtr opened = segment_of(segment)) segments.push_back(std::move(opened));
  bool const lost_list = names.empty() && text != write_segment_list({}) && status.inode != 0;
  std::size_t const dropped = names.size() - segments.size() + (lost_list ? 1 : 0);
  return search_files_inl::make_snapshot(status, std::move(segments), dropped);
}

Result<SnapshotPtr> SearchFiles::commit(std::vector<SegmentPtr> segments) {
  std::vector<SegmentName> names;
  names.reserve(segments.size());
  for (SegmentPtr const& segment : segments) names.push_back(segment->name());
  Result<OpenFile> const file =
      replace_file(*folder_.ops, folder_.directory, folder_.path, search_files_inl::list_name,
                   write_segment_list(names), folder_.synced);
  if (!file) return file.error();
  FileStatus status;
  if (folder_.ops->status(file->get(), status) < 0) status = {};
  std::lock_guard<Mutex> const lock(mutex_);
  snapshot_ = search_files_inl::make_snapshot(status, std::move(segments), 0);
  return snapshot_;
}

// On Windows, files stay while they are open.
void SearchFiles::remove_others(SearchSnapshot const& used) {
  FileNames names;
  if (folder_.ops->list(folder_.directory, names) < 0) return;
  std::unordered_set<std::string> in_use;
  for (SegmentPtr const& segment : used.segments) in_use.insert(segment->name().file);
  names.each([&](std::string_view name) {
    std::string const file(name);
    bool const is_left = search_files_inl::is_segment(name) && in_use.count(file) == 0;
    if (is_left || name_of_draft(name) == search_files_inl::list_name)
      (void)folder_.ops->unlink(folder_.directory, file.c_str());
  });
}

}}}
