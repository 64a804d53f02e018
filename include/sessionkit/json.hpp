// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/raw_json.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 {

namespace detail {

/// Returns the text in a form that nlohmann accepts. U+FFFD replaces lone surrogate escapes and bytes that
/// are not UTF-8. Null replaces numbers that are too large for a double.
inline std::string readable_for_nlohmann(std::string_view json) {
  std::string out;
  char const* p = json.data();
  char const* const end = p + json.size();
  while (p != end) {
    char const* const begin = p;
    if (*p == '"') {
      char const* const close = string_end(p + 1, end);
      if (close == nullptr) break;
      p = close + 1;
      append_json_string(out, replace_invalid(to_text(between(begin, p))));
    } else if (*p == '-' || is_digit(*p)) {
      p = skip_value(p, end);
      out.append(to_double(between(begin, p)) ? between(begin, p) : std::string_view("null"));
    } else {
      out.push_back(*p++);
    }
  }
  return out;
}

/// Writes a nlohmann value without recursion (its own `dump` overflows a small stack on deep values).
template <class Json> class NlohmannPrinter {
 public:
  static std::string print(Json const& root) {
    NlohmannPrinter printer;
    printer.value(root);
    while (!printer.open_.empty()) printer.step();
    return std::move(printer.out_);
  }

 private:
  struct Level {
    Json const* container;
    typename Json::const_iterator next;
  };
  static constexpr std::size_t max_depth = 128;

  void step() {
    Level& level = open_.back();
    bool const object = level.container->is_object();
    if (level.next == level.container->cend()) {
      out_.push_back(object ? '}' : ']');
      open_.pop_back();
      return;
    }
    if (level.next != level.container->cbegin()) out_.push_back(',');
    if (object) {
      append_json_string(out_, level.next.key());
      out_.push_back(':');
    }
    Json const& child = *level.next;
    ++level.next;
    value(child);
  }

  void value(Json const& json) {
    if (json.is_string()) {
      append_json_string(out_, json.template get_ref<typename Json::string_t const&>());
    } else if (json.is_structured() && open_.size() < max_depth) {
      out_.push_back(json.is_object() ? '{' : '[');
      open_.push_back({&json, json.cbegin()});
    } else if (json.is_structured() || json.is_binary() || json.is_discarded()) {
      out_.append("null");
    } else {
      out_.append(json.dump());
    }
  }

  std::string out_;
  std::vector<Level> open_;
};

}

/// Returns the value as a tree that keeps the order of the keys. `to_nlohmann<nlohmann::json>(value)` returns
/// a tree with sorted keys. Throws only `bad_alloc`. A tree of nlohmann cannot represent all of JSON.
/// A lone surrogate escape becomes U+FFFD. A number above the greatest double becomes null. An integer of
/// more than 64 bits becomes a double. If an object has several members of one name, only the last one stays.
/// If these differences matter, keep the `RawJson`.
template <class Json = nlohmann::ordered_json,
          class = std::enable_if_t<
              std::is_same_v<Json, nlohmann::json> || std::is_same_v<Json, nlohmann::ordered_json>>>
Json to_nlohmann(RawJson const& json) {
  Json tree = Json::parse(json.str(), nullptr, false);
  if (tree.is_discarded()) tree = Json::parse(detail::readable_for_nlohmann(json.str()), nullptr, false);
  return tree;
}

/// Returns a tree of nlohmann as text. The function throws only `bad_alloc`, and does not recurse.
/// Bytes that are not UTF-8 become U+FFFD. Null replaces values that JSON cannot represent (NaN, infinities,
/// binary and discarded values). Null also replaces arrays and objects that are nested deeper than 128
/// levels.
template <class Json,
          class = std::enable_if_t<
              std::is_same_v<Json, nlohmann::json> || std::is_same_v<Json, nlohmann::ordered_json>>>
RawJson to_raw_json(Json const& json) {
  return RawJson::from(detail::NlohmannPrinter<Json>::print(json));
}

}}
