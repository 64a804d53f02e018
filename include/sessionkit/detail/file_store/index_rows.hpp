// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/index_row.hpp>
#include <sessionkit/detail/store/list_cursor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The text of an index file as it was read. Its memory is not cleared before the read, and never moves.
struct IndexText {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  std::string_view view() const noexcept { return {bytes.get(), size}; }
};

/// Returns the hash of a name. Two lists of names count as equal if they have the same number of names and
/// the same sum of hashes.
inline std::uint64_t name_hash(std::string_view name) noexcept { return std::hash<std::string_view>{}(name); }

/// Names the rows of a store that are newer than those of the index on the disk.
struct MergeInput {
  std::set<std::string> const& touched; ///< rows that the store changed
  std::set<std::string> const& removed;
  bool rebuilt; ///< all rows are the store's own
  bool by_key;  ///< the index may lack the names of some sessions
};

/// The rows of an index in memory, by id and in the order of lists. A row stays text until it is first used,
/// because a program uses only a few rows of an index of 100,000.
class SESSIONKIT_API IndexRows {
 public:
  /// A row that is still text.
  struct Unread {
    std::string_view name, json; ///< `json` is empty after the row was read
    std::int64_t updated_ms = 0;
    std::uint64_t hash = 0; ///< `name_hash(name)`
  };

  IndexRows() = default;
  /// The names in `unread` are ascending and point into `text`.
  IndexRows(IndexText text, std::vector<Unread> unread);

  std::map<std::string, std::string> foreign_rows = {};          ///< rows that are no sessions, by their keys
  std::vector<std::pair<std::string, std::string>> members = {}; ///< members of the file beside its rows

  std::size_t size() const noexcept { return read_.size() + left_; }
  std::size_t unread_count() const noexcept { return left_; }
  bool has(std::string_view name) const { return read_.count(name) > 0 || find_unread(name) != nullptr; }
  /// The part of a row that is compared with the status of its transcript.
  struct End {
    Position position = {};         ///< zero: another program wrote the row
    std::uint64_t file_version = 0; ///< as in `IndexRow`
  };
  /// Returns the end of a session's log according to the session's row. Absent if there is no such row.
  std::optional<End> end_of(std::string_view name) const;
  /// Returns the sum of the hashes of all names.
  std::uint64_t names_sum() const noexcept { return names_sum_; }

  /// Finds a row, and parses the row if it is still text. The caller must not change the times of the row.
  /// Null if there is no such row.
  IndexRow* find(std::string_view name);
  void put(IndexRow row);
  /// Changes the row of a session. If there is no row, makes an empty row first.
  template <class Change> void change(SessionId const& id, Change&& how) {
    Row& row = row_of(id);
    ListPlace const before = place(row);
    how(row.second);
    if (!ordered_) return;
    if (place(row) < before || before < place(row)) order_.erase(before);
    order_.insert(place(row));
  }
  void erase(std::string_view name);
  /// Takes over the rows of the index on the disk, but keeps the rows that `ours` names as newer.
  void merge(IndexRows disk, MergeInput const& ours);

  /// Calls `use(name, row, text)` for each row, by ascending names. If the row is still text, `row` is null;
  /// else `text` is empty. `use` may call `find`.
  template <class Use> void each(Use&& use) const {
    auto unread = unread_.begin();
    auto const use_up_to = [&](std::string const* name) {
      for (; unread != unread_.end() && (name == nullptr || unread->name < *name); ++unread)
        if (!unread->json.empty()) use(unread->name, static_cast<IndexRow const*>(nullptr), unread->json);
    };
    for (auto const& [name, row] : read_) {
      use_up_to(&name);
      use(std::string_view(name), &row, std::string_view());
    }
    use_up_to(nullptr);
  }
  /// Calls `use` for each row after a place in the list, newest first, until `use` returns false. `text` is
  /// the row if it is still text, else it is empty. `use` may call `find`.
  void newest_first(std::optional<ListPlace> const& after,
                    std::function<bool(std::string_view name, std::string_view text)> const& use);

 private:
  using Rows = std::map<std::string, IndexRow, std::less<>>;
  using Row = Rows::value_type;
  static ListPlace place(Row const& row) noexcept { return {to_unix_ms(row.second.info.updated), row.first}; }
  static ListPlace place(Unread const& row) noexcept { return {row.updated_ms, row.name}; }
  template <class IsIt> std::size_t slot_of(std::uint64_t hash, IsIt is_it) const noexcept;
  Unread const* find_unread(std::string_view name) const noexcept;
  void note_read(Unread const& row) noexcept;
  Row& row_of(SessionId const& id);
  void sort_unread(std::size_t count);
  std::size_t first_unread_after(std::optional<ListPlace> const& place);

  Rows read_;
  std::set<ListPlace> order_; // the order of the rows that were read; made at its first use
  bool ordered_ = false;
  std::uint64_t names_sum_ = 0;

  IndexText text_;
  std::vector<Unread> unread_;
  std::vector<std::uint32_t> slots_; // hash table of names: the index in `unread_` plus one; 0: free
  std::vector<std::uint32_t> unread_order_;
  std::size_t sorted_ = 0, left_ = 0; // size of the sorted part of `unread_order_`; rows that are still text
};

}}}
