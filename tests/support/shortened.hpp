// SPDX-License-Identifier: MIT
// Shortened conversations, and their remaining messages.
#pragma once
#include "support/catch.hpp"
#include "support/conversations.hpp"
#include "support/four_providers.hpp"
#include "support/transcript.hpp"

#include <sessionkit/memory_store.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

inline sk::SessionId the_session() { return sk::SessionId::parse("s").value(); }

/// A session in memory with this many turns.
inline sk::Session begun(std::size_t turns, sk::SessionOptions options = {}) {
  auto session = sk::Session::create(sk::make_memory_store(), {}, std::move(options)).value();
  talk(session, turns);
  return session;
}

inline sk::CompactionPolicy small_policy() {
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 1000;
  policy.keep = sk::keep_turns(2);
  return policy;
}

using Texts = std::vector<std::string>;

/// The beginnings of the messages that the model sees.
inline Texts said(sk::Session& session) {
  Texts texts;
  for (auto const& message : session.history({}).value().messages)
    texts.push_back(message.text().substr(0, 3));
  for (auto& text : texts) text.resize(std::min(text.find('x'), std::min(text.find('y'), text.size())));
  return texts;
}

inline std::size_t entries_of(sk::Session& session) { return session.path().value().size(); }

/// All lines of a log.
inline std::string raw(sk::SessionStore& store, sk::SessionId const& id) {
  std::string text;
  auto const all = read_all([&](sk::ReadRange const& range) { return store.read(id, range); });
  for (std::string const& line : all.lines) text.append(line).append("\n");
  return text;
}

inline void check_valid(sk::Session& session) {
  for (sk::Provider const provider : four_providers) {
    sk::Target target;
    target.provider = provider;
    CHECK(refused(session.history(target).value(), target).empty());
  }
}

}
