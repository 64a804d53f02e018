// SPDX-License-Identifier: MIT
#pragma once
#include "support/forwarding_store.hpp"

namespace sessionkit_test {

/// A store that can be cut off, like a process that ends: nothing is stored after `die`.
class MortalStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  void die() { alive_ = false; }
  void live() { alive_ = true; }

  sessionkit::Result<sessionkit::Position> append(sessionkit::SessionId const& id,
                                                  sessionkit::Append const& batch) override {
    if (!alive_) return sessionkit::Error{sessionkit::Errc::unavailable, 0, "the process is gone"};
    return inner_->append(id, batch);
  }

 private:
  bool alive_ = true;
};

}
