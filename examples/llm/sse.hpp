// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace llm {

/// One event of a `text/event-stream`.
struct SseEvent {
  std::string type; ///< empty if the stream named none, which means "message"
  std::string data; ///< its lines joined with a newline
  std::string id;   ///< the last id of the stream
};

/// Parses a `text/event-stream` (WHATWG HTML, 9.2.6), in any pieces of bytes. A value without
/// I/O. An event without its final blank line is dropped.
class SseParser {
 public:
  using OnEvent = std::function<void(SseEvent const&)>;

  void feed(std::string_view bytes, OnEvent const& on_event);

 private:
  void end_line(OnEvent const& on_event);
  void take_field(std::string_view name, std::string_view value);

  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false; ///< the line ended with CR: an LF that follows belongs to it
  bool first_line_ = true;
};

}
