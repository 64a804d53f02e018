// SPDX-License-Identifier: MIT
// A store whose connection is cut once.
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace sessionkit_test {

namespace sk = sessionkit;

/// Gives one prepared answer, before or after the real store has stored. Counts the appends that must be
/// durable.
class FlakyStore final : public sk::SessionStore {
 public:
  explicit FlakyStore(std::shared_ptr<sk::SessionStore> inner) : inner_(std::move(inner)) {}
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
  sk::Result<sk::RecordPage> read(sk::SessionId const& id, sk::ReadRange const& range) override {
    return inner_->read(id, range);
  }
  sk::Result<sk::SessionInfo> info(sk::SessionId const& id) override { return inner_->info(id); }
  sk::Result<sk::SessionPage> list(sk::ListQuery const& query) override { return inner_->list(query); }
  sk::Result<void> remove(sk::SessionId const& id) override { return inner_->remove(id); }

 private:
  std::shared_ptr<sk::SessionStore> inner_;
};

}
