// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <memory>
#include <utility>

namespace sessionkit_test {

/// A store that can be cut off, like a process that ends: nothing is stored after `die`.
class MortalStore final : public sessionkit::SessionStore {
 public:
  explicit MortalStore(std::shared_ptr<sessionkit::SessionStore> inner) : inner_(std::move(inner)) {}

  void die() { alive_ = false; }
  void live() { alive_ = true; }

  sessionkit::Result<sessionkit::Position> append(sessionkit::SessionId const& id,
                                                  sessionkit::Append const& batch) override {
    if (!alive_) return sessionkit::Error{sessionkit::Errc::unavailable, 0, "the process is gone"};
    return inner_->append(id, batch);
  }
  sessionkit::Result<sessionkit::RecordPage> read(sessionkit::SessionId const& id,
                                                  sessionkit::ReadRange const& range) override {
    return inner_->read(id, range);
  }
  sessionkit::Result<sessionkit::SessionInfo> info(sessionkit::SessionId const& id) override {
    return inner_->info(id);
  }
  sessionkit::Result<sessionkit::SessionPage> list(sessionkit::ListQuery const& query) override {
    return inner_->list(query);
  }
  sessionkit::Result<void> remove(sessionkit::SessionId const& id) override { return inner_->remove(id); }

 private:
  std::shared_ptr<sessionkit::SessionStore> inner_;
  bool alive_ = true;
};

}
