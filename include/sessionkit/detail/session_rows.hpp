// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/list_cursor.hpp>
#include <sessionkit/detail/session_index.hpp>

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
  bool has(std::string const& name) const { return index_.rows.count(name) > 0; }

  /// To change anything but times. Null: there is none.
  IndexRow* find(std::string const& name) {
    auto const found = index_.rows.find(name);
    return found == index_.rows.end() ? nullptr : &found->second;
  }
  /// Changes the row of a session, made empty where there is none.
  template <class Change> void change(SessionId const& id, Change&& how) {
    auto const it = index_.rows.try_emplace(id.str(), IndexRow{make_session_info(id)}).first;
    if (ordered_) order_.erase(place(*it));
    how(it->second);
    if (ordered_) order_.insert(place(*it));
  }
  void erase(std::string const& name) {
    auto const found = index_.rows.find(name);
    if (found == index_.rows.end()) return;
    if (ordered_) order_.erase(place(*found));
    index_.rows.erase(found);
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

  /// Rows newest first, from behind a place on, until `use` answers false.
  template <class Use> void newest_first(std::optional<ListPlace> const& behind, Use&& use) {
    if (!ordered_) make_order();
    for (auto it = behind ? order_.upper_bound(*behind) : order_.begin(); it != order_.end(); ++it)
      if (!use(index_.rows.find(it->id)->second)) return;
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
