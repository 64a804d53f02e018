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

/// The text of a file of the index, as it was read: not cleared first, and it never moves.
struct IndexText {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  std::string_view view() const noexcept { return {bytes.get(), size}; }
};

/// Directories or indexes with equally many names and the same sum of these hashes have the same names.
inline std::uint64_t name_hash(std::string_view name) noexcept { return std::hash<std::string_view>{}(name); }

/// The rows that a store knows better than the index on disk.
struct MergeInput {
  std::set<std::string> const& touched; ///< rows it changed
  std::set<std::string> const& removed;
  bool rebuilt; ///< all rows are its own
  bool by_key;  ///< sessions may exist that the index does not name
};

/// The rows of an index in memory, by id and in the order of lists. Of 100,000 sessions a program asks for
/// few: a row stays text until it is first asked for.
class SESSIONKIT_API IndexRows {
 public:
  /// A row as text.
  struct Unread {
    std::string_view name, json; ///< `json` empty: the row was read
    std::int64_t updated_ms = 0;
    std::uint64_t hash = 0; ///< `name_hash(name)`
  };

  IndexRows() = default;
  /// `unread` with names ascending, that point into `text`.
  IndexRows(IndexText text, std::vector<Unread> unread);

  std::map<std::string, std::string> foreign_rows = {};          ///< key to JSON: no session of ours
  std::vector<std::pair<std::string, std::string>> members = {}; ///< of the file, beside its rows

  std::size_t size() const noexcept { return read_.size() + left_; }
  std::size_t unread_count() const noexcept { return left_; }
  bool has(std::string_view name) const { return read_.count(name) > 0 || find_unread(name) != nullptr; }
  /// The end of a session's log according to its row; absent: there is no such row.
  std::optional<Position> end_of(std::string_view name) const;
  /// The sum of the names' hashes.
  std::uint64_t names_sum() const noexcept { return names_sum_; }

  /// Reads the row if it is still text. Its times are not to be changed here. Null: there is none.
  IndexRow* find(std::string_view name);
  void put(IndexRow row);
  /// Changes the row of a session, made empty where there is none.
  template <class Change> void change(SessionId const& id, Change&& how) {
    Row& row = row_of(id);
    ListPlace const before = place(row);
    how(row.second);
    if (!ordered_) return;
    if (place(row) < before || before < place(row)) order_.erase(before);
    order_.insert(place(row));
  }
  void erase(std::string_view name);
  /// Becomes the rows on disk, with our rows where we know more.
  void merge(IndexRows disk, MergeInput const& ours);

  /// Calls `use` with each name in order, and either its row or (null) the row's text. `use` may ask for the
  /// row.
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
  /// Calls `use` with each name, newest first, after a place in lists, until it answers false; and with the
  /// row's text if it is not read yet. `use` may ask for the row.
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
  std::set<ListPlace> order_; // of the rows that were read; made when it is first asked for
  bool ordered_ = false;
  std::uint64_t names_sum_ = 0;

  IndexText text_;
  std::vector<Unread> unread_;
  std::vector<std::uint32_t> slots_; // by the hash of a name, one more than the row's number; 0: free
  std::vector<std::uint32_t> unread_order_;
  std::size_t sorted_ = 0, left_ = 0; // of `unread_order_`; of `unread_`
};

}}}
