// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/detail/history/path_walk.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Collects the entries of a path, newest first, and finds out when the context is complete.
class ContextBuilder {
 public:
  ContextBuilder(SessionStore& store, SessionId const& id);

  /// Adds a record. Returns false if the context needs no older one.
  bool add(RecordPage const& page, RecordPage::Item const& item);
  /// Notes that a parent is missing. Returns false if the context needs no older entry.
  bool broken(std::string const& parent);

  /// True if each entry could be decoded, and the first kept one was met.
  bool sound() const noexcept;
  /// True if all records so far are entries of the context: no compaction, and no damage.
  bool is_plain() const noexcept;
  Result<Context> finish(Result<WalkResult> walked) &&;

 private:
  bool is_unlisted(Entry const& entry);
  bool compacted_at(Entry entry, RecordPage::Item const& item);
  void does_not_count();
  void counts();
  void resolve(std::uint64_t index);

  SessionStore& store_;
  SessionId const& id_;
  Context context_;
  std::string first_kept_;
  std::size_t after_ = 0;                 ///< how many entries follow the compaction
  std::optional<std::size_t> last_break_; ///< how many follow the oldest break before it
  bool kept_ = false;                     ///< the first kept entry was met
  std::size_t unknown_ = 0;               ///< entries without an id
  bool undecodable_ = false;
  // In lines without ids, of compactions whose write was cut short:
  std::optional<std::size_t> doubted_; ///< how many entries follow it; no message before it was met yet
  std::vector<Damage> doubts_;
  bool cut_short_ = false; ///< one that does not count was met
  std::optional<Error> failure_;
};

}}}
