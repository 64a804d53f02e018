// SPDX-License-Identifier: MIT
// Writes, reads and merges the files that say which blocks have a gram.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/upkeep/search_segment.hpp>
#include <sessionkit/ids.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace search_segment_inl { namespace {

constexpr std::size_t page_bytes = std::size_t{8} << 10; // a page ends after the list that reaches this size
constexpr std::size_t written_bytes = std::size_t{1} << 20; // by one call

// A file that nobody else knows until it is finished.
class SegmentWriter {
 public:
  explicit SegmentWriter(SegmentFolder const& folder) : folder_(folder) {
    name_.file = random_entry_id();
    name_.file += segment_suffix;
    OpenFlags const flags = OpenFlags::write | OpenFlags::only_new;
    int const opened =
        uninterrupted([&] { return folder_.ops->open(folder_.directory, name_.file.c_str(), flags); });
    if (opened >= 0) file_ = OpenFile(*folder_.ops, opened);
    failed_ = std::min(opened, 0);
  }

  void add(Gram gram, BlockNumbers const& blocks) {
    if (page_.empty()) first_ = gram, previous_ = 0;
    put_gram(page_, previous_, gram, encode_blocks(blocks));
    previous_ = gram;
    if (page_.size() >= page_bytes) end_page();
  }

  Result<SegmentName> finish(std::vector<IndexedPiece> const& pieces, std::uint32_t blocks) {
    end_page();
    std::string tail;
    put_number(tail, blocks);
    put_number(tail, pieces.size());
    for (IndexedPiece const& piece : pieces) put_piece(tail, piece);
    put_number(tail, pages_);
    tail += places_;
    name_.tail_at = offset_;
    name_.tail_bytes = tail.size();
    name_.tail_crc = crc32c(tail);
    buffer_ += tail;
    write();
    if (failed_ == 0 && folder_.synced)
      failed_ = uninterrupted([this] { return folder_.ops->sync(file_.get()); });
    if (failed_ < 0)
      return file_error(-failed_, folder_.path + "/" + name_.file, "cannot write a part of the search index");
    return name_;
  }

 private:
  void end_page() {
    if (page_.empty()) return;
    put_number(places_, first_);
    put_number(places_, page_.size());
    put_number(places_, crc32c(page_));
    ++pages_;
    offset_ += page_.size();
    buffer_ += page_;
    page_.clear();
    if (buffer_.size() >= written_bytes) write();
  }

  void write() {
    std::string_view left = buffer_;
    while (failed_ == 0 && !left.empty()) {
      auto const put =
          uninterrupted([&] { return folder_.ops->write(file_.get(), left.data(), left.size()); });
      if (put <= 0)
        failed_ = put < 0 ? static_cast<int>(put) : -system_code(SystemFault::input_or_output);
      else
        left.remove_prefix(static_cast<std::size_t>(put));
    }
    buffer_.clear();
  }

  SegmentFolder const& folder_;
  SegmentName name_;
  OpenFile file_;
  int failed_ = 0;
  std::string page_, buffer_, places_;
  Gram first_ = 0, previous_ = 0;
  std::uint64_t offset_ = 0, pages_ = 0;
};

// Reads the entries of a segment from the first to the last.
class SegmentWalk {
 public:
  explicit SegmentWalk(SearchSegment const& segment) : segment_(&segment) {}
  // Absent at the end.
  std::optional<Gram> gram() const noexcept { return gram_; }
  std::string_view list() const noexcept { return walk_.list(); }
  Result<void> next() {
    while (!walk_.next()) {
      gram_.reset();
      if (page_ == segment_->pages()) return {};
      Result<std::string> text = segment_->read_page(page_++);
      if (!text) return text.error();
      text_ = std::move(*text);
      walk_ = PageWalk(text_);
    }
    gram_ = walk_.gram();
    return {};
  }

 private:
  SearchSegment const* segment_;
  std::size_t page_ = 0;
  std::string text_;
  PageWalk walk_{{}};
  std::optional<Gram> gram_;
};

std::optional<Gram> smallest_gram(std::vector<SegmentWalk> const& walks) noexcept {
  std::optional<Gram> smallest;
  for (SegmentWalk const& walk : walks)
    if (walk.gram() && (!smallest || *walk.gram() < *smallest)) smallest = walk.gram();
  return smallest;
}

}}

SearchSegment::SearchSegment(SegmentName name, OpenFile file, FileOps& ops, std::string path)
    : name_(std::move(name)), file_(std::move(file)), ops_(&ops), path_(std::move(path)) {}

Result<SegmentPtr> SearchSegment::open(SegmentFolder const& folder, SegmentName const& name) {
  std::string const path = folder.path + "/" + name.file;
  FileStatus status;
  Result<OpenFile> file =
      open_for_reading(*folder.ops, folder.directory, name.file.c_str(), false, path, &status);
  if (!file) return file.error();
  auto const damaged = [&] { return make_error(Errc::io_error, "{}: damaged; it is written again", path); };
  if (status.size < name.tail_at || status.size - name.tail_at != name.tail_bytes) return damaged();
  std::string tail(static_cast<std::size_t>(name.tail_bytes), '\0');
  int const descriptor = file->get();
  if (auto r = read_exactly(*folder.ops, descriptor, tail.data(), tail.size(), name.tail_at, path); !r)
    return r.error();
  auto segment = std::make_shared<SearchSegment>(name, std::move(*file), *folder.ops, path);
  if (crc32c(tail) != name.tail_crc || !segment->read_tail(tail)) return damaged();
  return SegmentPtr(std::move(segment));
}

bool SearchSegment::read_tail(std::string_view tail) {
  NumberReader reader(tail);
  blocks_ = static_cast<std::uint32_t>(reader.number());
  for (std::size_t left = reader.count(); left > 0 && !reader.has_failed(); --left) {
    pieces_.push_back(read_piece(reader));
    IndexedPiece const& piece = pieces_.back();
    if (piece.first_block > blocks_ || piece.blocks.size() > blocks_ - piece.first_block) return false;
  }
  std::uint64_t offset = 0;
  for (std::size_t left = reader.count(); left > 0; --left) {
    Page page{static_cast<Gram>(reader.number()), offset, static_cast<std::uint32_t>(reader.number()), 0};
    page.crc = static_cast<std::uint32_t>(reader.number());
    offset += page.bytes;
    pages_.push_back(page);
  }
  return !reader.has_failed() && reader.is_at_end() && offset == name_.tail_at;
}

Result<std::string> SearchSegment::read_page(std::size_t i) const {
  Page const& page = pages_[i];
  std::string text(page.bytes, '\0');
  Result<void> const read = read_exactly(*ops_, file_.get(), text.data(), text.size(), page.offset, path_);
  if (read && crc32c(text) == page.crc) return text;
  damaged_ = true;
  return read ? make_error(Errc::io_error, "{}: damaged; it is written again", path_) : read.error();
}

// The list of each gram; no lists if a gram is nowhere.
std::optional<std::vector<std::string>> SearchSegment::lists_of(std::vector<Gram> const& grams) const {
  std::vector<std::string> lists;
  std::string text;
  std::size_t in_text = pages_.size(); // the number of the page
  for (Gram const gram : grams) {
    auto const after = std::upper_bound(pages_.begin(), pages_.end(), gram,
                                        [](Gram a, Page const& page) { return a < page.first; });
    if (after == pages_.begin()) return std::vector<std::string>{};
    auto const i = static_cast<std::size_t>(after - pages_.begin()) - 1;
    if (i != in_text) {
      Result<std::string> page = read_page(i);
      if (!page) return std::nullopt;
      text = std::move(*page);
      in_text = i;
    }
    PageWalk walk(text);
    bool found = walk.next();
    while (found && walk.gram() < gram) found = walk.next();
    if (!found || walk.gram() != gram) return std::vector<std::string>{};
    lists.emplace_back(walk.list());
  }
  return lists;
}

std::optional<BlockNumbers> SearchSegment::blocks_with(std::vector<Gram> const& grams) const {
  std::optional<std::vector<std::string>> lists = lists_of(grams);
  if (!lists) return std::nullopt;
  if (lists->empty()) return BlockNumbers{};
  std::sort(lists->begin(), lists->end(),
            [](std::string const& a, std::string const& b) { return a.size() < b.size(); });
  BlockNumbers blocks = decode_blocks(lists->front());
  for (std::size_t i = 1; i < lists->size() && !blocks.empty(); ++i) keep_listed(blocks, (*lists)[i]);
  return blocks;
}

void sort_by_gram(GramBlocks& all) {
  GramBlocks sorted(all.size());
  for (unsigned shift = 32; shift < 32 + 8 * gram_bytes; shift += 8) {
    std::array<std::size_t, 257> begins{};
    for (std::uint64_t const one : all) ++begins[(one >> shift & 0xFF) + 1];
    for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    for (std::uint64_t const one : all) sorted[begins[one >> shift & 0xFF]++] = one;
    all.swap(sorted);
  }
}

Result<SegmentName> write_segment(SegmentFolder const& folder, GramBlocks const& grams,
                                  std::vector<IndexedPiece> const& pieces, std::uint32_t blocks) {
  search_segment_inl::SegmentWriter writer(folder);
  BlockNumbers numbers;
  for (std::size_t i = 0; i < grams.size(); ++i) {
    numbers.push_back(static_cast<std::uint32_t>(grams[i]));
    bool const ends = i + 1 == grams.size() || grams[i + 1] >> 32 != grams[i] >> 32;
    if (!ends) continue;
    writer.add(static_cast<Gram>(grams[i] >> 32), numbers);
    numbers.clear();
  }
  return writer.finish(pieces, blocks);
}

Result<SegmentName> merge_segments(SegmentFolder const& folder, std::vector<SegmentPtr> const& segments,
                                   MergePlan const& plan) {
  std::vector<search_segment_inl::SegmentWalk> walks;
  walks.reserve(segments.size());
  for (SegmentPtr const& segment : segments) walks.emplace_back(*segment);
  for (auto& walk : walks)
    if (auto r = walk.next(); !r) return r.error();
  search_segment_inl::SegmentWriter writer(folder);
  while (std::optional<Gram> const gram = search_segment_inl::smallest_gram(walks)) {
    BlockNumbers numbers;
    for (std::size_t i = 0; i < walks.size(); ++i) {
      if (walks[i].gram() != gram) continue;
      for (std::uint32_t const old : decode_blocks(walks[i].list()))
        if (old < plan.numbers[i].size() && plan.numbers[i][old] != MergePlan::dropped)
          numbers.push_back(plan.numbers[i][old]);
      if (auto r = walks[i].next(); !r) return r.error();
    }
    if (!std::is_sorted(numbers.begin(), numbers.end())) std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (!numbers.empty()) writer.add(*gram, numbers);
  }
  return writer.finish(plan.pieces, plan.blocks);
}

}}}
