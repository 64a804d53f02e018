// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/list_cursor.hpp>
#include <sessionkit/detail/file_store/session_index.hpp>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The rows of an index, by id and in the order of lists. The order is made when it is first asked for, and
/// costs little per change from then on.
class SessionRows {
 public:
  SessionIndex const& index() const noexcept { return index_; }
  std::size_t size() const noexcept { return index_.size(); }
  bool has(std::string_view name) const { return index_.has(name); }
  std::optional<Position> end_of(std::string_view name) const { return index_.end_of(name); }

  /// To change anything but times. Null: there is none.
  IndexRow* find(std::string const& name) {
    bool const only_written = ordered_ && index_.written.find(name) != nullptr;
    IndexRow* const row = index_.find(name);
    if (only_written) order_.insert(place(*index_.rows.find(name)));
    return row;
  }
  /// Changes the row of a session, made empty where there is none.
  template <class Change> void change(SessionId const& id, Change&& how) {
    find(id.str());
    auto const it = index_.rows.try_emplace(id.str(), IndexRow{make_session_info(id)}).first;
    ListPlace const before = place(*it);
    how(it->second);
    if (!ordered_) return;
    if (place(*it) < before || before < place(*it)) order_.erase(before);
    order_.insert(place(*it));
  }
  void erase(std::string const& name) {
    auto const found = index_.rows.find(name);
    if (ordered_ && found != index_.rows.end()) order_.erase(place(*found));
    index_.erase(name);
  }
  void assign(SessionIndex index) {
    order_.clear();
    ordered_ = false;
    index_ = std::move(index);
  }
  SessionIndex take() {
    SessionIndex out = std::move(index_);
    assign({});
    return out;
  }

  /// The sum of the names' hashes.
  std::uint64_t names_sum() const {
    std::uint64_t sum = 0;
    for (auto const& [name, row] : index_.rows) sum += name_hash(name);
    for (WrittenRows::Row const& row : index_.written.rows()) sum += row.json.empty() ? 0 : row.hash;
    return sum;
  }
  /// Calls `use` with the name of each row.
  template <class Use> void each_name(Use&& use) const {
    for (auto const& [name, row] : index_.rows) use(std::string_view(name));
    for (WrittenRows::Row const& row : index_.written.rows())
      if (!row.json.empty()) use(row.name);
  }

  /// Calls `use` with the name of each row, newest first, from behind a place on, until it answers false; and
  /// with the row's text, where nobody has asked for the row yet. `use` may ask for it.
  template <class Use> void newest_first(std::optional<ListPlace> const& behind, Use&& use) {
    if (!ordered_) make_order();
    auto it = behind ? order_.upper_bound(*behind) : order_.begin();
    std::size_t number = index_.written.first_behind(behind);
    for (;;) {
      WrittenRows::Row const* row = index_.written.newest(number);
      if (row != nullptr && row->json.empty()) { // it is among those in `order_`
        ++number;
        continue;
      }
      if (row != nullptr && (it == order_.end() || place_of(*row) < *it)) {
        if (!use(row->name, row->json)) return;
        ++number;
      } else {
        if (it == order_.end() || !use(it->id, std::string_view{})) return;
        ++it;
      }
    }
  }

 private:
  using Rows = std::map<std::string, IndexRow, std::less<>>;
  static ListPlace place(Rows::value_type const& row) noexcept {
    return {to_unix_ms(row.second.info.updated), row.first}; // the key of a node stays where it is
  }
  void make_order() {
    for (auto const& row : index_.rows) order_.insert(place(row));
    ordered_ = true;
  }

  SessionIndex index_;
  std::set<ListPlace> order_;
  bool ordered_ = false;
};

}}}
