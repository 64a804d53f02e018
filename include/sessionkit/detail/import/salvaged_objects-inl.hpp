// SPDX-License-Identifier: MIT
// Finds the whole objects of a damaged document in one pass.
#pragma once
#include <sessionkit/detail/import/salvaged_objects.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <cstddef>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace salvaged_objects_inl { namespace {

class Salvage {
 public:
  Salvage(std::string_view text, bool (*is_wanted)(std::string_view object))
      : text_(text), is_wanted_(is_wanted) {}

  std::vector<std::string_view> run() && {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      char const c = text_[at];
      if (c == '\n') in_string_ = false;
      if (in_string_ && c == '\\')
        at += text_.substr(at + 1, 1) == "\n" ? 0U : 1U;
      else if (c == '"')
        in_string_ = !in_string_;
      else if (!in_string_ && c == '{')
        open_.push_back(at);
      else if (!in_string_ && c == '}' && !open_.empty())
        close(at);
    }
    return std::move(found_);
  }

 private:
  void close(std::size_t at) {
    // Brackets that damage opened make what follows deeper. Each byte is looked at as often as it is in an
    // object, so deep objects are looked at as long as the time stays proportional.
    constexpr std::size_t usual_depth = 4, most_times = 8;
    std::size_t const begin = open_.back();
    open_.pop_back();
    std::string_view const object = text_.substr(begin, at + 1 - begin);
    if (open_.size() > usual_depth && (deep_bytes_ += object.size()) > most_times * text_.size()) return;
    if (!is_wanted_(object) || !check_json(object)) return;
    while (!found_.empty() && found_.back().data() > object.data()) found_.pop_back();
    found_.push_back(object);
  }

  std::string_view text_;
  bool (*is_wanted_)(std::string_view object);
  std::vector<std::size_t> open_;
  std::vector<std::string_view> found_;
  std::size_t deep_bytes_ = 0; ///< of objects below the usual depth
  bool in_string_ = false;
};

}}

std::vector<std::string_view> salvaged_objects(std::string_view document,
                                               bool (*is_wanted)(std::string_view object)) {
  return salvaged_objects_inl::Salvage(document, is_wanted).run();
}

}}}
