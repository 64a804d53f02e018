// SPDX-License-Identifier: MIT
// Turns as Session stores them, without Session.
#pragma once
#include "support/transcript.hpp"

#include <sessionkit/session_info.hpp>

#include <string>
#include <vector>

namespace sessionkit_test {

/// Appends to one session, one message a turn, with the summary folded in.
struct Talk {
  sk::SessionStore& store;
  sk::SessionId id;
  sk::SessionInfo info = sk::make_session_info(id);
  sk::Position end = {};
  int count = 0;
  bool ends_turn = true;

  sk::Result<sk::Position> turn() {
    std::vector<std::string> lines;
    if (count == 0) lines.push_back(header_line(id.str()));
    lines.push_back(message_line("m" + std::to_string(count++), "", "text"));
    Batch batch(lines, end, ends_turn);
    sk::SessionInfo const after = folded(info, batch, end);
    batch.append.after = &after;
    auto const done = store.append(id, batch);
    if (done) info = after, end = *done;
    return done;
  }
};

}
