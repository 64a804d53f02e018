// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/raw_json.hpp>

#include <string>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace detail {
/// Returns valid JSON on one line, without white space around it. Line ends become spaces: in valid JSON they
/// are between tokens only.
std::string on_one_line(std::string json);
}

/// Makes a `RawJson` from a text, which is not checked. The text must be one JSON value on one line.
struct RawJsonAccess {
  static RawJson trust(std::string text) { return RawJson(std::move(text)); }
};

}}
