// SPDX-License-Identifier: MIT
// A store in which another process is quicker.
#pragma once
#include <sessionkit/session_store.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace sessionkit_test {

/// Runs something of another process after the first list, which is where `Session::resume` has looked for
/// the key, and before each append.
class InterruptedStore final : public sessionkit::SessionStore {
 public:
  explicit InterruptedStore(std::shared_ptr<sessionkit::SessionStore> inner) : inner_(std::move(inner)) {}
  std::function<void()> after_look = [] {}, before_append = [] {};
  std::size_t looks = 0;

  sessionkit::Result<sessionkit::Position> append(sessionkit::SessionId const& id,
                                                  sessionkit::Append const& batch) override {
    before_append();
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
    auto page = inner_->list(query);
    if (looks++ == 0) after_look();
    return page;
  }
  sessionkit::Result<void> remove(sessionkit::SessionId const& id) override { return inner_->remove(id); }

 private:
  std::shared_ptr<sessionkit::SessionStore> inner_;
};

}
