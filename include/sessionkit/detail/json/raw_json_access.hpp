// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/raw_json.hpp>

#include <string>
#include <utility>

namespace sessionkit { inline namespace v0 {

/// Makes a `RawJson` from a text, which is not checked. The text must be one JSON value on one line.
struct RawJsonAccess {
  static RawJson trust(std::string text) { return RawJson(std::move(text)); }
};

}}
