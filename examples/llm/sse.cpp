// SPDX-License-Identifier: MIT
#include "sse.hpp"

#include <utility>

namespace llm {

void SseParser::feed(std::string_view bytes, OnEvent const& on_event) {
  for (char const c : bytes) {
    bool const second_half = c == '\n' && after_cr_;
    after_cr_ = c == '\r';
    if (second_half) continue;
    if (c == '\r' || c == '\n')
      end_line(on_event);
    else
      line_.push_back(c);
  }
}

void SseParser::end_line(OnEvent const& on_event) {
  std::string const taken = std::exchange(line_, {});
  std::string_view line = taken;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (std::exchange(first_line_, false) && line.substr(0, 3) == byte_order_mark) line.remove_prefix(3);

  if (!line.empty()) {
    auto const colon = line.find(':');
    auto value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    return take_field(line.substr(0, colon), value);
  }
  if (has_data_) on_event(event_);
  event_ = {{}, {}, std::move(event_.id)};
  has_data_ = false;
}

void SseParser::take_field(std::string_view name, std::string_view value) {
  if (name == "event") {
    event_.type = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) event_.id = value;
  } else if (name == "data") {
    if (std::exchange(has_data_, true)) event_.data.push_back('\n');
    event_.data.append(value);
  }
}

}
