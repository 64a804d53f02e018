// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <memory>

namespace sessionkit { inline namespace v0 {

/// Keeps all other writers out of one session, until this object is destroyed. Readers are not kept out. The
/// store that gave the lease writes as before, from any thread; other stores and other processes get
/// `timed_out`. If the process ends, however it ends, the operating system ends the lease.
///
/// A lease may outlive its store. In a child of `fork`, the object of the parent does nothing. The child
/// still has the parent's open file: if the parent dies first, the lease lasts until the child ends, executes
/// another program, or destroys both the lease and the store.
class [[nodiscard]] SESSIONKIT_API Lease {
 public:
  /// Takes the lease of a session. Several leases of one session from one store are shared: the last one ends
  /// it. The session need not exist yet: then the append that starts it takes the lock, and keeps it.
  /// `timed_out` if another writer kept the session's lock for longer than `FileStoreOptions::lock_wait`; the
  /// message names its process and host if the system shows them. `unsupported` for a store that is no store
  /// of files, also one that wraps a store of files, and for one that is `read_only`. `unsafe_path` and
  /// `io_error` as `append`.
  ///
  /// A `Session` takes its lease by itself if the store is `FileStoreOptions::exclusive`.
  static Result<Lease> acquire(SessionStore& store, SessionId const& id);

  /// Takes the other object's lease. The other object then keeps nobody out.
  Lease(Lease&&) noexcept;
  /// The same. The lease that this object had ends.
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
