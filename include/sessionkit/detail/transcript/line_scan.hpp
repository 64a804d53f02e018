// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The byte order mark, with which some programs begin files.
inline constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
constexpr bool begins_with_mark(std::string_view text) noexcept {
  return text.substr(0, utf8_mark.size()) == utf8_mark;
}

/// A line as it is in a file, without its line end (byte 0x0A; nothing else ends a line).
struct RawLine {
  std::uint64_t offset = 0, length = 0;
  char const* data = nullptr; ///< null: the line is longer than `max_line` and was not kept
  bool terminated = true;     ///< false: the last line of the file, which lacks its line end
  std::uint64_t end() const noexcept { return offset + length + (terminated ? 1 : 0); }
};

/// Receives the lines that a scan finds.
class SESSIONKIT_API LineSink {
 public:
  virtual ~LineSink() = default;
  /// Returns how many bytes to read next; 0 ends the scan. The scan also finds a line that is longer than
  /// this.
  virtual std::size_t next_window(std::uint64_t bytes_read) = 0;
  /// Receives a line. Returns false if it does not accept the line; then the scan ends.
  virtual bool take(RawLine const& line) = 0;
  /// The scan calls this function when it no longer needs a buffer that had lines. A sink that keeps views of
  /// the lines must take the buffer.
  virtual void retire(std::unique_ptr<char[]>& /*buffer*/) {}
};

/// Finds lines in a file from either end. Keeps in memory one window, or one longer line of at most
/// `max_line` bytes. Of a line above `max_line`, the sink gets the place but not the bytes.
class SESSIONKIT_API LineScan {
 public:
  LineScan(FileOps& ops, int descriptor, std::string const& path, std::uint64_t max_line) noexcept
      : ops_(&ops), path_(&path), descriptor_(descriptor), max_line_(max_line) {}

  /// Gives the lines of [from, to) to the sink, oldest first. `from` must be the beginning of a line, and
  /// `to` the end of the file.
  Result<void> forward(std::uint64_t from, std::uint64_t to, LineSink& sink);
  /// Gives the lines of [0, to) to the sink, newest first. `to` must be the beginning of a line or the end of
  /// the file.
  Result<void> backward(std::uint64_t to, LineSink& sink);
  /// Returns the beginning of the line that contains the byte before `offset`, or `offset` if that byte is a
  /// line end.
  Result<std::uint64_t> line_begin(std::uint64_t offset);
  /// Returns the place of the first line end from `from` on, or `to` if no line end comes before `to`.
  Result<std::uint64_t> find_end(std::uint64_t from, std::uint64_t to);

  std::uint64_t bytes_read() const noexcept { return bytes_read_; }

 private:
  Result<void> read(char* to, std::size_t bytes, std::uint64_t offset);
  Result<bool> take_long(RawLine line, LineSink& sink);
  bool offer(RawLine const& line, LineSink& sink) const;

  FileOps* ops_;
  std::string const* path_;
  int descriptor_;
  std::uint64_t max_line_, bytes_read_ = 0;
  std::unique_ptr<char[]> scratch_;
};

/// A line without the bytes that may surround its text: blanks, carriage returns, NULs, and a byte order mark
/// at offset 0.
struct TrimmedLine {
  std::string_view text;
  std::uint64_t offset = 0; ///< of `text`
  struct Run {
    std::uint64_t offset = 0, length = 0;
  } nuls_before, nuls_after; ///< from the first NUL to the last one, before and after the text
  bool carriage_return = false, byte_order_mark = false;
  std::uint64_t end() const noexcept { return offset + text.size(); }
};
SESSIONKIT_API TrimmedLine trim_line(RawLine const& line) noexcept;

}}}
