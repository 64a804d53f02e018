// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/raw_json.hpp>

#include <string>
#include <utility>

namespace sessionkit { inline namespace v0 {

/// Makes a `RawJson` of text that is known to be one JSON value on one line, without checking it again.
struct RawJsonAccess {
  static RawJson trust(std::string text) { return RawJson(std::move(text)); }
};

}}
