// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/index_journal.hpp>
#include <sessionkit/detail/file_store/index_rows.hpp>

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The newest rows of a large index. They lie a second time at the end of the snapshot, newest first, so that
/// a list of these rows need not read the others.
class SESSIONKIT_API NewestRows {
 public:
  /// So many bytes at the end of a snapshot have its newest rows.
  static constexpr std::uint64_t most_bytes = std::uint64_t{128} << 10;
  static constexpr std::size_t most_rows = 128;

  /// Adds the newest rows to the text of an index. The checksum of the index is added later. Adds nothing to
  /// an index of a thousand or fewer rows.
  static void add_to(std::string& text, IndexRows& rows);
  /// Reads the rows from the last bytes of a snapshot of `size` bytes. Absent if the snapshot has no such
  /// rows, or if a byte of them changed.
  static std::optional<NewestRows> parse(IndexText end, std::uint64_t size);
  /// True for the members that `add_to` adds. Their rows are not read with the rest of the index.
  static bool is_member(std::string_view name) noexcept;
  /// True for the line of an index that begins with these members, after the rows.
  static bool begins_with(std::string_view line) noexcept;

  /// The snapshot, if its checksum is right.
  Fingerprint const& snapshot() const noexcept { return snapshot_; }
  /// Applies the changes of the journal that extends the snapshot.
  void apply(std::list<RowChange> changes);
  /// Calls `use` for each row after a place in the list, newest first, until `use` returns false. Returns
  /// false if other rows of the index may follow the last row.
  bool newest_first(std::optional<ListPlace> const& after,
                    std::function<bool(IndexRow const& row)> const& use);

 private:
  IndexRows rows_;
  Fingerprint snapshot_;
  std::int64_t oldest_ms_ = 0; ///< with `oldest_id_`, the place of the last row; all others are after it
  std::string oldest_id_;
};

}}}
