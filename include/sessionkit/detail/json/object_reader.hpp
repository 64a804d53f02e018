// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/raw_json.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The members of one JSON object. The functions take members by name, and `rest()` returns the members that
/// were not taken. The object must be valid JSON, and its text must outlive this `Fields`. If several members
/// have the same name, the last one counts, as in JavaScript, and all of them are taken. `map` belongs to the
/// text that contains the object, or is null.
class Fields {
 public:
  explicit Fields(std::string_view object, JsonMap const* map = nullptr) : map_(map) {
    auto const add = [this](std::string_view key, std::string_view value) {
      if (count_ >= few_.size()) many_.emplace_back();
      Field& field = at(count_++); // assigned member by member: a copied `Field` would wait for its source
      field.key = key;
      field.value = value;
      field.taken = false;
      field.escaped = key.find('\\') != std::string_view::npos;
      return true;
    };
    for_members(object, add, map);
  }

  /// The map, for code that parses the value of a member.
  JsonMap const* map() const noexcept { return map_; }

  /// Takes a member of any kind. Returns its raw value, or an empty text if there is none.
  std::string_view take(std::string_view name) {
    std::string_view value;
    for (std::size_t i = 0; i < count_; ++i) {
      Field& field = at(i);
      if (!field.is(name)) continue;
      field.taken = true;
      value = field.value;
    }
    return value;
  }
  /// As `take`, but takes the member only if its value is of this kind. Otherwise the result is an empty
  /// text, and the member stays in the rest.
  std::string_view take(std::string_view name, JsonKind kind) {
    for (std::size_t i = count_; i-- > 0;) {
      if (!at(i).is(name)) continue;
      if (json_kind(at(i).value) != kind) return {};
      std::string_view const value = at(i).value;
      for (std::size_t j = 0; j <= i; ++j)
        if (j == i || at(j).is(name)) at(j).taken = true;
      return value;
    }
    return {};
  }
  std::string text(std::string_view name) { return to_text(take(name, JsonKind::string), map_); }
  /// Returns the same raw value as `take`, but does not take the member.
  std::string_view look(std::string_view name) const {
    for (std::size_t i = count_; i-- > 0;)
      if (at(i).is(name)) return at(i).value;
    return {};
  }
  bool flag(std::string_view name, bool absent = false) {
    return to_bool(take(name, JsonKind::boolean)).value_or(absent);
  }
  std::uint64_t count(std::string_view name) { return to_uint(take(name, JsonKind::number)).value_or(0); }
  /// Takes a member that is an unsigned integer. If there is no such member, or if its value is something
  /// else, the result is absent and nothing is taken.
  std::optional<std::uint64_t> count_if(std::string_view name) {
    std::optional<std::uint64_t> const value = to_uint(look(name));
    if (value) take(name);
    return value;
  }
  /// Takes a member of any kind. Returns `null` if there is none.
  RawJson json(std::string_view name) {
    std::string_view const value = take(name);
    return value.empty() ? RawJson{} : RawJsonAccess::trust(std::string(value));
  }
  bool has(std::string_view name) {
    for (std::size_t i = 0; i < count_; ++i)
      if (at(i).is(name)) return true;
    return false;
  }

  /// Returns an object with the members that were not taken, unchanged. Returns `null` if there are none.
  RawJson rest() {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count_; ++i)
      if (!at(i).taken) bytes += at(i).key.size() + at(i).value.size() + 4;
    if (bytes == 0) return {};
    std::string out;
    out.reserve(bytes + 1);
    for (std::size_t i = 0; i < count_; ++i) {
      Field const& field = at(i);
      if (field.taken) continue;
      out += out.empty() ? "{\"" : ",\"";
      out.append(field.key).append("\":").append(field.value);
    }
    out += '}';
    return RawJsonAccess::trust(std::move(out));
  }

 private:
  struct Field {
    std::string_view key, value;
    bool taken, escaped;
    SESSIONKIT_INLINE bool is(std::string_view name) const {
      return escaped ? key_is(key, name)
                     : key.size() == name.size() && std::memcmp(key.data(), name.data(), key.size()) == 0;
    }
  };
  Field& at(std::size_t i) { return i < few_.size() ? few_[i] : many_[i - few_.size()]; }
  Field const& at(std::size_t i) const { return i < few_.size() ? few_[i] : many_[i - few_.size()]; }

  JsonMap const* map_;
  std::array<Field, 16> few_;
  std::vector<Field> many_;
  std::size_t count_ = 0;
};

}}}
