// SPDX-License-Identifier: MIT
// A store whose connection is cut once.
#pragma once
#include "support/forwarding_store.hpp"

#include <cstddef>
#include <utility>

namespace sessionkit_test {

namespace sk = sessionkit;

/// Gives one prepared answer, before or after the real store has stored. Counts the appends that must be
/// durable.
class FlakyStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  enum When { never, before, after } fail = never;
  std::size_t syncs = 0;

  sk::Result<sk::Position> append(sk::SessionId const& id, sk::Append const& batch) override {
    When const when = std::exchange(fail, never);
    if (when == before) return sk::Error{sk::Errc::outcome_unknown, 0, "cut before"};
    syncs += batch.durable;
    auto result = inner_->append(id, batch);
    if (when == after) return sk::Error{sk::Errc::outcome_unknown, 0, "cut after"};
    return result;
  }
};

}
