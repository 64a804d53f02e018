// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/list_cursor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The text of an index, as it was read: not cleared first, and it stays where it is.
struct IndexText {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  std::string_view view() const noexcept { return {bytes.get(), size}; }
};

/// Two directories or indexes of equally many names, and the same sum of their hashes, have the same names.
inline std::uint64_t name_hash(std::string_view name) noexcept { return std::hash<std::string_view>{}(name); }

/// The rows of an index as they stand in its text. Of 100,000 sessions a program asks for few: a row is taken
/// apart when somebody asks for it, and then taken out of here.
class SESSIONKIT_API WrittenRows {
 public:
  struct Row {
    std::string_view name, json; ///< `json` empty: it was taken out
    std::int64_t updated_ms = 0;
    std::uint64_t hash = 0; ///< `name_hash(name)`
  };

  WrittenRows() = default;
  /// `rows` with names ascending, that point into `text`.
  WrittenRows(IndexText text, std::vector<Row> rows);

  std::vector<Row> const& rows() const noexcept { return rows_; }
  /// How many were not taken out.
  std::size_t left() const noexcept { return left_; }
  /// Null: there is none, or it was taken out.
  Row const* find(std::string_view name) const noexcept;
  /// The same, and it is taken out.
  std::optional<Row> take(std::string_view name) noexcept;

  /// Rows newest first, from behind a place on, those taken out too: the number in that order of the first.
  std::size_t first_behind(std::optional<ListPlace> const& place);
  /// Null: there are no more. They are sorted as far as they are asked for.
  Row const* newest(std::size_t number);

 private:
  template <class IsIt> std::size_t slot_of(std::uint64_t hash, IsIt is_it) const noexcept;
  void sort_up_to(std::size_t count);

  IndexText text_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> slots_; ///< by the hash of a name, one more than the row's number; 0: free
  std::vector<std::uint32_t> order_;
  std::size_t sorted_ = 0, left_ = 0;
};

inline ListPlace place_of(WrittenRows::Row const& row) noexcept { return {row.updated_ms, row.name}; }

}}}
