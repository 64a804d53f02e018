// SPDX-License-Identifier: MIT
// A store in which another process is quicker.
#pragma once
#include "support/forwarding_store.hpp"

#include <functional>

namespace sessionkit_test {

/// Runs something of another process after the first list, which is where `Session::resume` has looked for
/// the key, and before each append.
class InterruptedStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::function<void()> after_look = [] {}, before_append = [] {};
  std::size_t looks = 0;

  sessionkit::Result<sessionkit::Position> append(sessionkit::SessionId const& id,
                                                  sessionkit::Append const& batch) override {
    before_append();
    return inner_->append(id, batch);
  }
  sessionkit::Result<sessionkit::SessionPage> list(sessionkit::ListQuery const& query) override {
    auto page = inner_->list(query);
    if (looks++ == 0) after_look();
    return page;
  }
};

}
