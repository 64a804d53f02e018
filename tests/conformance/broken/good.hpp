// SPDX-License-Identifier: MIT
// The base of stores that break the contract in one way.
#pragma once
#include "custom_store/custom_store.hpp"

#include <memory>

namespace sessionkit_test { namespace broken {

namespace sk = sessionkit;
using sessionkit::Append;
using sessionkit::Errc;
using sessionkit::Error;
using sessionkit::ListQuery;
using sessionkit::Position;
using sessionkit::ReadRange;
using sessionkit::RecordPage;
using sessionkit::RecordView;
using sessionkit::Result;
using sessionkit::SessionId;
using sessionkit::SessionInfo;
using sessionkit::SessionPage;
using sessionkit::SessionStore;
using Shared = std::shared_ptr<SessionStore>;

/// A correct store; each broken one does one thing differently.
class Good : public SessionStore {
 public:
  explicit Good(sk::detail::StoreExtras* extras = nullptr) : SessionStore(sk::profiles::native, extras) {}
  Result<Position> append(SessionId const& id, Append const& batch) override { return in->append(id, batch); }
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    return in->read(id, range);
  }
  Result<SessionInfo> info(SessionId const& id) override { return in->info(id); }
  Result<SessionPage> list(ListQuery const& query) override { return in->list(query); }
  Result<void> remove(SessionId const& id) override { return in->remove(id); }

 protected:
  Position end_of(SessionId const& id) {
    auto const page = in->read(id, {});
    return page ? page->log_end : Position{};
  }
  Shared in = std::make_shared<custom::MapStore>();
};

}}
