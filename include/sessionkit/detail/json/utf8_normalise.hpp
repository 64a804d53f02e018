// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/json/json_text.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the text as a reader gets it after this library has written it: invalid bytes become U+FFFD.
inline std::string as_written(std::string text) {
  if (is_utf8(text)) return text;
  std::string json;
  append_json_string(json, text);
  return to_text(json);
}

}}}
