// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Finds the events in the body of a response, whose bytes may be cut anywhere. The body is either a
/// `text/event-stream` (WHATWG HTML, section 9.2.6) or JSON objects. The first byte that is no white space
/// decides.
class SESSIONKIT_API EventStream {
 public:
  /// Called with the data of an event, or with one JSON object. The text is not checked.
  using OnData = std::function<void(std::string_view)>;

  void feed(std::string_view bytes, OnData const& on_data);
  /// Ends the stream. An event that lacks only its blank line counts.
  void end(OnData const& on_data);
  /// True if the stream is longer than an event may be, or begins like neither form.
  bool broken() const noexcept { return form_ == Form::broken; }

 private:
  enum class Form : std::uint8_t { unknown, events, json, broken };
  void feed_events(std::string_view bytes, OnData const& on_data);
  void feed_json(std::string_view bytes, OnData const& on_data);
  void end_line(OnData const& on_data);
  void end_event(OnData const& on_data);

  Form form_ = Form::unknown;
  std::string pending_ = {}; // of the line, or of the object, that is not complete
  std::string data_ = {};    // of the event
  bool has_data_ = false;
  bool after_cr_ = false; // the line ended with CR: an LF that follows belongs to it
  std::uint32_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}}}
