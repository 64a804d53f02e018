// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Finds the events in the body of a response. The body may come in pieces that are cut anywhere. It is
/// either a `text/event-stream` (WHATWG HTML, section 9.2.6) or a sequence of JSON objects. The first byte
/// that is no white space decides which of the two it is.
class SESSIONKIT_API EventStream {
 public:
  /// A function that gets the data of one event, or one JSON object. The text is not checked.
  using OnData = std::function<void(std::string_view)>;

  void feed(std::string_view bytes, OnData const& on_data);
  /// Ends the stream. If the data of the last event is a whole JSON object, the event counts even without the
  /// blank line after it.
  void end(OnData const& on_data);
  /// True if an event or object is too long, if a body of JSON has anything but objects, or if the body is
  /// HTML.
  bool broken() const noexcept { return form_ == Form::broken; }

 private:
  enum class Form : std::uint8_t { unknown, events, json, broken };
  void feed_events(std::string_view bytes, OnData const& on_data);
  void feed_json(std::string_view bytes, OnData const& on_data);
  void end_line(OnData const& on_data);
  void end_event(OnData const& on_data);

  Form form_ = Form::unknown;
  std::string pending_ = {}; // the bytes of the line or object that is not complete yet
  std::string data_ = {};    // the data of the current event
  bool has_data_ = false;
  bool after_cr_ = false; // the line ended with CR; an LF that follows belongs to this line end
  std::uint32_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}}}
