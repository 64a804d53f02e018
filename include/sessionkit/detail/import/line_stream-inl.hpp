// SPDX-License-Identifier: MIT
// Reads the lines of a file of another program piece by piece.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/import/foreign_files.hpp>
#include <sessionkit/detail/import/line_stream.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace line_stream_inl { namespace {

constexpr std::size_t piece = std::size_t{1} << 20;

// Puts pieces of a file together to lines.
class LineStream {
 public:
  LineStream(ImportLimits const& limits, std::vector<Damage>& damage,
             std::function<void(ForeignLine const&)> const& use)
      : limits_(limits), damage_(damage), use_(use) {}

  void add(std::string const& bytes) {
    std::size_t begin = 0;
    if (at_ == 0 && begins_with_mark(bytes)) {
      begin = utf8_mark.size();
      report_mark(damage_);
      line_at_ = begin;
    }
    for (std::size_t end; (end = bytes.find('\n', begin)) != std::string::npos; begin = end + 1) {
      std::string_view const rest = std::string_view(bytes).substr(begin, end - begin);
      if (held_.empty() && !too_long_)
        line(rest, at_ + begin, false);
      else
        finish(rest, false);
      line_at_ = at_ + end + 1;
    }
    hold(std::string_view(bytes).substr(begin));
    at_ += bytes.size();
  }

  void end() {
    if (!held_.empty() || too_long_) finish({}, true);
  }

 private:
  // The beginning of a line. Of a line that is too long only its length is kept.
  void hold(std::string_view bytes) {
    if (!too_long_) held_ += bytes;
    too_long_ = too_long_ || held_.size() > limits_.max_line;
    if (!too_long_) return;
    held_.clear();
    held_.shrink_to_fit();
  }

  void finish(std::string_view rest, bool last) {
    hold(rest);
    if (too_long_)
      report_oversize(line_at_, at_ - line_at_ + rest.size(), damage_);
    else
      line(held_, line_at_, last);
    number_ += too_long_ ? 1U : 0U;
    held_.clear();
    too_long_ = false;
  }

  void line(std::string_view text, std::uint64_t offset, bool last) {
    use_foreign_line({offset, number_++, text}, last, limits_, damage_, use_);
  }

  ImportLimits const& limits_;
  std::vector<Damage>& damage_;
  std::function<void(ForeignLine const&)> const& use_;
  std::string held_;
  bool too_long_ = false;
  std::uint64_t at_ = 0;      ///< of the next piece, in the file
  std::uint64_t line_at_ = 0; ///< of the line that is not complete yet
  std::size_t number_ = 0;
};

}}

Result<void> each_line_of(ForeignFiles& files, std::string const& file, ImportLimits const& limits,
                          std::vector<Damage>& damage, std::function<void(ForeignLine const&)> const& use) {
  Result<std::uint64_t> const size = size_to_read(files, file, limits);
  if (!size) return size.error();
  line_stream_inl::LineStream stream(limits, damage, use);
  for (std::uint64_t at = 0; at < *size;) {
    std::uint64_t const left = std::min<std::uint64_t>(line_stream_inl::piece, *size - at);
    Result<std::string> bytes = files.read(file, at, static_cast<std::size_t>(left));
    if (!bytes) return bytes.error();
    if (bytes->empty()) break; // it was cut meanwhile
    at += bytes->size();
    stream.add(*bytes);
  }
  stream.end();
  return {};
}

Result<std::string_view> LinesAgain::read(std::uint64_t offset, std::uint64_t size, std::uint32_t checksum) {
  Result<std::string_view> line = bytes(offset, size);
  if (!line) return line;
  if (line->size() == size && crc32c(*line) == checksum) return line;
  return make_error(Errc::conflict, "{}: the file was changed while it was read; import it again", file_);
}

// The window moves forwards only, so that no order of lines reads the file more than once by windows.
Result<std::string_view> LinesAgain::bytes(std::uint64_t offset, std::uint64_t size) {
  std::uint64_t const end = begin_ + window_.size();
  bool const inside = offset >= begin_ && offset + size <= end;
  bool const before = offset < begin_;
  if (!inside) {
    std::uint64_t const count = before ? size : std::max<std::uint64_t>(size, line_stream_inl::piece);
    Result<std::string> read = files_.read(file_, offset, static_cast<std::size_t>(count));
    if (!read) return read.error();
    if (!before) begin_ = offset;
    (before ? apart_ : window_) = std::move(*read);
  }
  std::string const& held = !inside && before ? apart_ : window_;
  return std::string_view(held).substr(!inside && before ? 0 : static_cast<std::size_t>(offset - begin_),
                                       static_cast<std::size_t>(size));
}

}}}
