// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <memory>

namespace sessionkit { inline namespace v0 {

/// Keeps all other writers out of one session, until this object is destroyed. Readers are not kept out. The
/// store that gave the lease can still write, from any thread. Writes of other stores and other processes
/// fail with `timed_out`. If the process ends for any reason, the operating system ends the lease.
///
/// A lease may outlive its store. In a child process of `fork`, the parent's lease object does nothing. But
/// the child shares the parent's open file. If the parent ends first, the lease lasts until the child ends,
/// executes another program, or destroys both the lease and the store.
class [[nodiscard]] SESSIONKIT_API Lease {
 public:
  /// Takes the lease of a session. Several leases of one session from one store share one lock, which is
  /// released when the last of them ends. If the session does not exist yet, the append that starts the
  /// session takes the lock and keeps it. Fails with `timed_out` if another writer kept the session's lock
  /// for longer than `FileStoreOptions::lock_wait`; the error message names this writer's process and machine
  /// if the system shows the process. Fails with `unsupported` if the store is `read_only`, or is not a store
  /// of files. A store that wraps a store of files is refused, too. Fails with `unsafe_path` and `io_error`
  /// as `SessionStore::append` does.
  ///
  /// If the store was opened with `FileStoreOptions::exclusive`, each `Session` takes a lease by itself.
  static Result<Lease> acquire(SessionStore& store, SessionId const& id);

  /// Takes the other object's lease. The other object then has no lease.
  Lease(Lease&&) noexcept;
  /// The same. This also ends the lease that this object had before.
  Lease& operator=(Lease&&) noexcept;
  Lease(Lease const&) = delete;
  Lease& operator=(Lease const&) = delete;
  /// Ends the lease, unless another `Lease` of this session shares it.
  ~Lease();

 private:
  explicit Lease(std::shared_ptr<void> held) noexcept;
  std::shared_ptr<void> held_;
};

}}
