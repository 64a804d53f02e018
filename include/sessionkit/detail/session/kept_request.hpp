// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/detail/history/history_part.hpp>
#include <sessionkit/detail/session/recent_entries.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/session.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Keeps the encoded messages of the last request up to a place where the conversation can be cut
/// (`history_part`), and the entries after this place. The next request encodes only these entries and the
/// entries that were appended since. This class neither reads nor writes a log.
class SESSIONKIT_API KeptRequest {
 public:
  /// A request is not kept if this would take more than `limit` bytes.
  explicit KeptRequest(std::size_t limit) noexcept;
  KeptRequest(KeptRequest const&) = delete;
  KeptRequest& operator=(KeptRequest const&) = delete;
  ~KeptRequest();

  /// True if a request for this target was made before, so that another one may follow.
  bool expects(Target const& target) const;
  /// Notes that a request for this target was made. Forgets what is kept.
  void expect(Target target);
  /// True if the beginning of a request for this target is kept.
  bool is_for(Target const& target) const;
  /// Forgets what is kept.
  void drop() noexcept;
  /// Forgets what is kept, and prepares to keep a request for this target. `end` says where the path ends;
  /// the list `end.entries` does not matter.
  void begin(Target target, RecentEntries end);
  /// Keeps the first entries of a long history, after `begin` and before `add`. Call this for some entries at
  /// a time, oldest first. The last of them may become `recent().entries`. `bytes` is the expected length of
  /// all kept messages. Returns false if the history cannot be cut; the caller then calls `begin` again.
  bool add_older(std::vector<Entry> entries, std::size_t bytes);

  /// Returns the entries after the kept part. The caller adds the entries that were appended since.
  RecentEntries& recent() noexcept { return recent_; }

  /// Returns the request for what is kept, followed by the entries of `context`. Only the first `stored` of
  /// these entries may be kept. After `begin`, `context` must be the complete context. Otherwise it must have
  /// the entries `recent().entries`, followed by the entries that are not in the log. If the entries cannot
  /// be added to what is kept, the result is absent and nothing is kept; the caller then calls `begin` again.
  /// The pieces refer to this object.
  std::optional<RequestPieces> add(Context&& context, std::size_t stored);

 private:
  using Names = std::vector<std::size_t>;
  bool knows_any(Names const& names) const;
  void learn(Names const& names);
  bool take(Context&& context, Names const& names);
  bool encode_part(Context&& context, HistoryPart part, RequestParts& encoded);

  std::size_t limit_;
  bool valid_ = false;    ///< false: nothing is kept
  bool expected_ = false; ///< false: `target_` has no meaning
  Target target_ = {};
  RequestParts parts_ = {}; ///< the kept messages without the end of their array; empty: there are none yet
  Role last_ = Role::user;  ///< the role of the last kept message
  LoopStart loop_ = LoopStart::none;           ///< of the kept messages
  std::unordered_set<std::size_t> names_ = {}; ///< the names in the kept part (`add_names`)
  std::vector<Repair> report_ = {};            ///< of the messages that were kept since the last request
  RecentEntries recent_ = {};
};

}}}
