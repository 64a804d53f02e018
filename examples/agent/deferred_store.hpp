// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <memory>
#include <mutex>
#include <set>

namespace agent {

/// Keeps what is written in memory until `save`, for hosts that do not store each turn. A session that is
/// used is copied into memory first; a session that is only listed is not. Removals happen at once. What is
/// not saved is lost with this object.
class DeferredStore final : public sessionkit::SessionStore {
 public:
  explicit DeferredStore(std::shared_ptr<sessionkit::SessionStore> behind);

  sessionkit::Result<sessionkit::Position> append(sessionkit::SessionId const& id,
                                                  sessionkit::Append const& batch) override;
  sessionkit::Result<sessionkit::RecordPage> read(sessionkit::SessionId const& id,
                                                  sessionkit::ReadRange const& range) override;
  sessionkit::Result<sessionkit::SessionInfo> info(sessionkit::SessionId const& id) override;
  /// Reads the rows of all sessions that match.
  sessionkit::Result<sessionkit::SessionPage> list(sessionkit::ListQuery const& query) override;
  sessionkit::Result<void> remove(sessionkit::SessionId const& id) override;
  sessionkit::Result<void> remove_permanently(sessionkit::SessionId const& id) override;

  /// Stores every session that was changed since the last call. `conflict` if another program changed one
  /// meanwhile, which then stays as that program left it; else the errors of `copy_session`. The other
  /// sessions are saved even so; a later call tries again what failed.
  sessionkit::Result<void> save();

 private:
  using Remove = sessionkit::Result<void> (sessionkit::SessionStore::*)(sessionkit::SessionId const&);
  sessionkit::Result<void> remove_from_both(sessionkit::SessionId const& id, Remove from_one);
  sessionkit::Result<void> load(sessionkit::SessionId const& id);
  sessionkit::Result<void> save(sessionkit::SessionId const& id);

  std::mutex mutex_; ///< for everything below, and for each change
  std::shared_ptr<sessionkit::SessionStore> behind_, memory_;
  std::set<sessionkit::SessionId> changed_;
};

}
