// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/search.hpp>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Calls `use` with each text of an entry in which the query may match, until `use` returns true. Returns
/// true if it did. `search` in search.hpp lists the texts.
template <class Use> class SearchTexts {
 public:
  SearchTexts(SearchQuery const& query, Use& use) : query_(query), use_(use) {}

  bool operator()(Message const& message) const {
    return std::any_of(message.parts.begin(), message.parts.end(),
                       [this](Part const& part) { return detail::visit(*this, part); });
  }
  bool operator()(Compaction const& it) const { return other(it.summary); }
  bool operator()(BranchSummary const& it) const { return other(it.summary); }
  bool operator()(TitleChange const& it) const { return other(it.title); }
  bool operator()(Label const& it) const { return other(it.label); }
  bool operator()(Custom const& it) const { return other(it.type); }
  bool operator()(CustomMessage const& it) const { return !query_.tool && pieces(it.content); }
  bool operator()(ModelChange const& it) const {
    return other(it.thinking_level.empty() ? it.provider + "/" + it.model : it.thinking_level);
  }
  bool operator()(StateChange const& it) const {
    return std::any_of(it.set.begin(), it.set.end(),
                       [&](auto const& value) { return other(value.first + " = " + value.second.str()); })
           || std::any_of(it.removed.begin(), it.removed.end(), [&](auto const& key) { return other(key); });
  }

  bool operator()(Text const& it) const { return other(it.text); }
  bool operator()(Thinking const& it) const { return query_.thinking && other(it.text); }
  bool operator()(ToolUse const& it) const {
    if (query_.tool && *query_.tool != it.name) return false;
    return use_(it.input.is_null() ? it.name : it.name + " " + it.input.str());
  }
  bool operator()(ToolResult const& it) const {
    return (!query_.tool || *query_.tool == it.tool_name) && pieces(it.content);
  }
  template <class Other> bool operator()(Other const&) const { return false; }

 private:
  bool other(std::string const& text) const { return !query_.tool && use_(text); }
  bool pieces(std::vector<ToolContent> const& content) const {
    return std::any_of(content.begin(), content.end(), [this](ToolContent const& piece) {
      auto const* const text = std::get_if<Text>(&piece);
      return text != nullptr && use_(text->text);
    });
  }

  SearchQuery const& query_;
  Use& use_;
};

}}}
