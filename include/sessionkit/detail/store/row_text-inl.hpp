// SPDX-License-Identifier: MIT
// Writes the row of a session as one JSON object, and reads it back, for stores that keep it as text.
#pragma once
#include <sessionkit/detail/store/index_row.hpp>
#include <sessionkit/detail/store/row_text.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

std::string to_row_text(SessionInfo const& info) {
  std::string text;
  JsonWriter out(text);
  write_index_row(IndexRow{info}, out, text);
  return text;
}

SessionInfo from_row_text(SessionId const& id, std::string_view text) {
  return parse_index_row(id, text).info;
}

}}}
