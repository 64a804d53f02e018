// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/json/json_text.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Text as it is read back once it was written: bytes that are not UTF-8 are U+FFFD.
inline std::string as_written(std::string text) {
  if (is_utf8(text)) return text;
  std::string json;
  append_json_string(json, text);
  return to_text(json);
}

}}}
