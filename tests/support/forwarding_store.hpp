// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <memory>
#include <utility>

namespace sessionkit_test {

/// Every call goes to the store below. A derived store changes what its test is about.
class ForwardingStore : public sessionkit::SessionStore {
 public:
  explicit ForwardingStore(std::shared_ptr<sessionkit::SessionStore> inner) : inner_(std::move(inner)) {}

  sessionkit::Result<sessionkit::Position> append(sessionkit::SessionId const& id,
                                                  sessionkit::Append const& batch) override {
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

 protected:
  std::shared_ptr<sessionkit::SessionStore> inner_;
};

}
