// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json.hpp>
#include <sessionkit/detail/raw_json_access.hpp>
#include <sessionkit/raw_json.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The members of one JSON object, taken by name: what nobody took is `rest()`. The object must be valid JSON
/// and must outlive this. Of members with the same name the last one counts, as in JavaScript; all of them
/// are taken.
class Fields {
 public:
  explicit Fields(std::string_view object) {
    for_members(object, [this](std::string_view key, std::string_view value) {
      if (count_ < few_.size())
        few_[count_] = {key, value, false};
      else
        many_.push_back({key, value, false});
      ++count_;
      return true;
    });
  }

  /// The raw value; empty where there is none.
  std::string_view take(std::string_view name) {
    std::string_view value;
    for (std::size_t i = 0; i < count_; ++i) {
      Field& field = at(i);
      if (!key_is(field.key, name)) continue;
      field.taken = true;
      value = field.value;
    }
    return value;
  }
  /// As `take`, but leaves a value of another kind in the rest.
  std::string_view take(std::string_view name, JsonKind kind) {
    for (std::size_t i = count_; i-- > 0;)
      if (key_is(at(i).key, name)) return json_kind(at(i).value) == kind ? take(name) : std::string_view{};
    return {};
  }
  std::string text(std::string_view name) { return to_text(take(name, JsonKind::string)); }
  bool flag(std::string_view name, bool absent = false) {
    return to_bool(take(name, JsonKind::boolean)).value_or(absent);
  }
  std::uint64_t count(std::string_view name) { return to_uint(take(name, JsonKind::number)).value_or(0); }
  /// `null` where there is none.
  RawJson json(std::string_view name) {
    std::string_view const value = take(name);
    return value.empty() ? RawJson{} : RawJsonAccess::trust(std::string(value));
  }
  bool has(std::string_view name) {
    for (std::size_t i = 0; i < count_; ++i)
      if (key_is(at(i).key, name)) return true;
    return false;
  }

  /// An object of the members that were not taken, as written; `null` if there are none.
  RawJson rest() {
    std::string out;
    for (std::size_t i = 0; i < count_; ++i) {
      Field const& field = at(i);
      if (field.taken) continue;
      out += out.empty() ? "{\"" : ",\"";
      out.append(field.key).append("\":").append(field.value);
    }
    if (out.empty()) return {};
    out += '}';
    return RawJsonAccess::trust(std::move(out));
  }

 private:
  struct Field {
    std::string_view key, value;
    bool taken;
  };
  Field& at(std::size_t i) { return i < few_.size() ? few_[i] : many_[i - few_.size()]; }

  std::array<Field, 16> few_;
  std::vector<Field> many_;
  std::size_t count_ = 0;
};

}}}
