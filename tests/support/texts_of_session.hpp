// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session.hpp>

#include <string>
#include <vector>

namespace sessionkit_test {

using Texts = std::vector<std::string>;

/// The texts of the messages from the root to the leaf.
inline Texts texts_of(sessionkit::Session& session) {
  Texts texts;
  for (auto const& entry : session.path().value())
    if (auto const* message = entry.as<sessionkit::Message>()) texts.push_back(message->text());
  return texts;
}

}
