// SPDX-License-Identifier: MIT
// Finds the lines of a file from either end, a window at a time.
#pragma once
#include <sessionkit/detail/base/last_byte.hpp>
#include <sessionkit/detail/transcript/line_scan.hpp>

#include <algorithm>
#include <cstring>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace line_scan_inl { namespace {

constexpr std::size_t scratch_bytes = std::size_t{256} << 10;

std::unique_ptr<char[]> scan_buffer(std::size_t bytes) {
  return std::unique_ptr<char[]>(new char[bytes]); // not cleared: it is read into at once
}

// Two buffers by turns: the rest of one is carried over into the other. New ones are made only if the sink
// keeps them, because memory that is new to the process costs more than reading into it.
class ScanBuffers {
 public:
  explicit ScanBuffers(LineSink& sink) noexcept : sink_(sink) {}

  /// Changes to a buffer of `bytes`, which takes over `held` bytes at `at`.
  char* next(std::size_t bytes, char const* rest, std::size_t held, std::size_t at) {
    if (!spare_.bytes || spare_.size < bytes) {
      spare_.size = bytes + bytes / 4; // so that it does for the next ones too
      spare_.bytes = scan_buffer(spare_.size);
    }
    if (held > 0) std::memcpy(spare_.bytes.get() + at, rest, held);
    retire();
    std::swap(now_, spare_);
    return now_.bytes.get();
  }
  void retire() {
    if (now_.bytes) sink_.retire(now_.bytes);
  }

 private:
  struct Buffer {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  LineSink& sink_;
  Buffer now_, spare_;
};

std::size_t window_of(std::size_t wanted, std::uint64_t left) noexcept {
  return static_cast<std::size_t>(std::min<std::uint64_t>(wanted, left));
}

}}

Result<void> LineScan::read(char* to, std::size_t bytes, std::uint64_t offset) {
  bytes_read_ += bytes;
  return read_exactly(*ops_, descriptor_, to, bytes, offset, *path_);
}

Result<std::uint64_t> LineScan::find_end(std::uint64_t from, std::uint64_t to) {
  if (!scratch_) scratch_ = line_scan_inl::scan_buffer(line_scan_inl::scratch_bytes);
  while (from < to) {
    std::size_t const bytes = line_scan_inl::window_of(line_scan_inl::scratch_bytes, to - from);
    if (auto r = read(scratch_.get(), bytes, from); !r) return r.error();
    if (void const* hit = std::memchr(scratch_.get(), '\n', bytes))
      return from + static_cast<std::uint64_t>(static_cast<char const*>(hit) - scratch_.get());
    from += bytes;
  }
  return to;
}

Result<std::uint64_t> LineScan::line_begin(std::uint64_t offset) {
  if (!scratch_) scratch_ = line_scan_inl::scan_buffer(line_scan_inl::scratch_bytes);
  std::size_t wanted = 4096; // most lines are short
  while (offset > 0) {
    std::size_t const bytes = line_scan_inl::window_of(wanted, offset);
    if (auto r = read(scratch_.get(), bytes, offset - bytes); !r) return r.error();
    if (char const* hit = last_byte(scratch_.get(), '\n', bytes))
      return offset - bytes + static_cast<std::uint64_t>(hit - scratch_.get()) + 1;
    offset -= bytes;
    wanted = line_scan_inl::scratch_bytes;
  }
  return std::uint64_t{0};
}

Result<bool> LineScan::take_long(RawLine line, LineSink& sink) {
  if (line.length > max_line_) return sink.take(line);
  auto const bytes = static_cast<std::size_t>(line.length);
  auto buffer = line_scan_inl::scan_buffer(bytes);
  if (auto r = read(buffer.get(), bytes, line.offset); !r) return r.error();
  line.data = buffer.get();
  bool const taken = sink.take(line);
  sink.retire(buffer);
  return taken;
}

bool LineScan::offer(RawLine const& line, LineSink& sink) const {
  if (line.length <= max_line_) return sink.take(line);
  return sink.take(RawLine{line.offset, line.length, nullptr, line.terminated});
}

Result<void> LineScan::forward(std::uint64_t from, std::uint64_t to, LineSink& sink) {
  line_scan_inl::ScanBuffers buffers(sink);
  char const* rest = nullptr; // a line whose end is not found yet: `held` bytes of the buffer
  std::size_t held = 0;
  while (from + held < to) {
    std::size_t const window = line_scan_inl::window_of(sink.next_window(bytes_read_), to - from - held);
    if (window == 0) break;
    char* const buffer = buffers.next(held + window, rest, held, 0);
    if (auto r = read(buffer + held, window, from + held); !r) return r;

    char const* begin = buffer;
    char const* const end = begin + held + window;
    char const* search = begin + held;
    while (auto const* hit =
               static_cast<char const*>(std::memchr(search, '\n', static_cast<std::size_t>(end - search)))) {
      RawLine const line{from, static_cast<std::uint64_t>(hit - begin), begin, true};
      if (!offer(line, sink)) return buffers.retire(), Result<void>{};
      from = line.end();
      begin = search = hit + 1;
    }
    rest = begin;
    held = static_cast<std::size_t>(end - begin);
    if (held > 0 && from + held == to) {
      offer(RawLine{from, held, begin, false}, sink);
      break;
    }
    if (begin == buffer) { // no line end in all of it
      Result<std::uint64_t> const found = find_end(from + held, to);
      if (!found) return found.error();
      Result<bool> const taken = take_long(RawLine{from, *found - from, nullptr, *found < to}, sink);
      if (!taken) return taken.error();
      if (!*taken) break;
      from = *found + 1;
      held = 0;
    }
  }
  buffers.retire();
  return {};
}

Result<void> LineScan::backward(std::uint64_t to, LineSink& sink) {
  line_scan_inl::ScanBuffers buffers(sink);
  char const* rest = nullptr; // a line whose begin is not found yet: `held` bytes, its line end included
  std::size_t held = 0;
  while (to > 0) {
    std::uint64_t low = to - held;
    std::size_t const window = line_scan_inl::window_of(sink.next_window(bytes_read_), low);
    if (window == 0) break;
    char* const base = buffers.next(held + window, rest, held, window);
    low -= window;
    if (auto r = read(base, window, low); !r) return r;

    std::size_t const whole = held + window;
    for (held = whole; held > 0; held = static_cast<std::size_t>(to - low)) {
      bool const terminated = base[held - 1] == '\n';
      std::size_t const text = held - (terminated ? 1 : 0);
      char const* const hit = last_byte(base, '\n', std::min(text, window));
      if (hit == nullptr && low > 0) break;
      std::size_t const begin = hit == nullptr ? 0 : static_cast<std::size_t>(hit - base) + 1;
      if (!offer(RawLine{low + begin, text - begin, base + begin, terminated}, sink))
        return buffers.retire(), Result<void>{};
      to = low + begin;
    }
    rest = base;
    if (held == whole) { // no line begins in all of it
      Result<std::uint64_t> const begin = line_begin(low);
      if (!begin) return begin.error();
      bool const terminated = base[held - 1] == '\n';
      Result<bool> const taken =
          take_long(RawLine{*begin, to - *begin - (terminated ? 1 : 0), nullptr, terminated}, sink);
      if (!taken) return taken.error();
      if (!*taken) break;
      to = *begin;
      held = 0;
    }
  }
  buffers.retire();
  return {};
}

TrimmedLine trim_line(RawLine const& line) noexcept {
  TrimmedLine out;
  std::string_view text(line.data, static_cast<std::size_t>(line.length));
  std::uint64_t offset = line.offset;
  if (offset == 0 && begins_with_mark(text)) {
    out.byte_order_mark = true;
    text.remove_prefix(utf8_mark.size());
    offset += utf8_mark.size();
  }
  if (!text.empty() && text.front() == '{' && text.back() == '}') { // nearly always
    out.text = text;
    out.offset = offset;
    return out;
  }
  auto const surrounds = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\0'; };
  auto const note_nul = [](TrimmedLine::Run& run, std::uint64_t at) {
    std::uint64_t const begin = run.length == 0 ? at : std::min(run.offset, at);
    std::uint64_t const end = run.length == 0 ? at + 1 : std::max(run.offset + run.length, at + 1);
    run = {begin, end - begin};
  };
  while (!text.empty() && surrounds(text.front())) {
    if (text.front() == '\0') note_nul(out.nuls_before, offset);
    if (text.front() == '\r') out.carriage_return = true;
    text.remove_prefix(1);
    ++offset;
  }
  while (!text.empty() && surrounds(text.back())) {
    if (text.back() == '\0') note_nul(out.nuls_after, offset + text.size() - 1);
    if (text.back() == '\r') out.carriage_return = true;
    text.remove_suffix(1);
  }
  out.text = text;
  out.offset = offset;
  return out;
}

}}}
