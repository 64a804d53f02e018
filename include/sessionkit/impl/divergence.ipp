// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history_rules.hpp>
#include <sessionkit/divergence.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

namespace sessionkit { inline namespace v0 {

namespace {

template <class Item> bool says_same_item(Item const& a, Item const& b);

bool says_same(Text const& a, Text const& b) { return a.text == b.text && a.signature == b.signature; }
bool says_same(Thinking const& a, Thinking const& b) {
  return a.text == b.text && a.signature == b.signature && a.redacted == b.redacted;
}
bool says_same(Image const& a, Image const& b) {
  if (a.media_type != b.media_type || a.source.index() != b.source.index()) return false;
  if (auto const* url = std::get_if<Url>(&a.source)) return url->url == std::get<Url>(b.source).url;
  return std::get<Base64>(a.source).data == std::get<Base64>(b.source).data;
}
bool says_same(ToolUse const& a, ToolUse const& b) {
  return a.id == b.id && a.name == b.name && a.input == b.input && a.signature == b.signature;
}
bool says_same(ToolResult const& a, ToolResult const& b) {
  return a.tool_use_id == b.tool_use_id && a.tool_name == b.tool_name && a.is_error == b.is_error
         && std::equal(a.content.begin(), a.content.end(), b.content.begin(), b.content.end(),
                       [](auto const& x, auto const& y) { return says_same_item(x, y); });
}
bool says_same(Opaque const& a, Opaque const& b) { return a.type == b.type && a.body == b.body; }

template <class Item> bool says_same_item(Item const& a, Item const& b) {
  if (a.index() != b.index()) return false;
  return std::visit([&](auto const& x) { return says_same(x, std::get<std::decay_t<decltype(x)>>(b)); }, a);
}

// How many of the leading parts are the same.
std::size_t shared_parts(Message const& a, Message const& b) {
  if (a.role != b.role) return 0;
  auto const same = [](Part const& x, Part const& y) { return says_same_item(x, y); };
  return static_cast<std::size_t>(
      std::mismatch(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), same).first
      - a.parts.begin());
}

EntryId source_at(History const& history, std::size_t message) {
  return message < history.sources.size() ? history.sources[message] : EntryId{};
}

std::string words_at(History const& history, std::size_t message, std::size_t part) {
  if (message >= history.messages.size()) return {};
  auto const& parts = history.messages[message].parts;
  return part < parts.size() ? detail::brief(parts[part]) : std::string{};
}

// A text differs where it differs: its first words may be the same.
std::string words_from(std::string const& text, std::string const& other) {
  auto const at = std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first - text.begin();
  auto begin = static_cast<std::size_t>(at);
  while (begin > 0 && begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U)
    --begin;
  return detail::brief(std::string_view(text).substr(begin));
}

std::string repair_key(Repair const& repair) {
  std::string key = repair.entry.str();
  for (std::string_view const text :
       {repair.rule, std::string_view(repair.before), std::string_view(repair.after)})
    (key += '\0') += text;
  return key;
}

// Looks for the repair that explains a divergence: of those that one report has and the other has not.
class RepairSearch {
 public:
  explicit RepairSearch(Divergence const& at) : at_(at) {}

  void look(std::vector<Repair> const& report, std::vector<Repair> const& other) {
    std::unordered_set<std::string> shared;
    for (Repair const& repair : other) shared.insert(repair_key(repair));
    for (Repair const& repair : report) {
      int const fit = fitness(repair);
      if (fit <= fitness_ || shared.count(repair_key(repair)) != 0) continue;
      fitness_ = fit;
      found_ = repair;
    }
  }
  std::optional<Repair> found() && { return std::move(found_); }

 private:
  int fitness(Repair const& repair) const {
    if ((repair.rule == "system_message") != at_.in_system) return 0;
    bool const here = !repair.entry.empty() && (repair.entry == at_.later || repair.entry == at_.earlier);
    return (repair.retroactive ? 2 : 0) + (here ? 1 : 0);
  }

  Divergence const& at_;
  int fitness_ = 0;
  std::optional<Repair> found_;
};

void add_reason(Divergence& divergence, History const& earlier, History const& later) {
  divergence.compacted = earlier.compaction != later.compaction;
  if (divergence.compacted) return;
  RepairSearch search(divergence);
  search.look(later.report, earlier.report);
  search.look(earlier.report, later.report);
  divergence.repair = std::move(search).found();
}

// Nothing where the messages of one history begin with those of the other, the last of them perhaps
// unfinished.
std::optional<Divergence> first_difference(History const& earlier, History const& later) {
  std::size_t const both = std::min(earlier.messages.size(), later.messages.size());
  for (std::size_t i = 0; i < both; ++i) {
    Message const& a = earlier.messages[i];
    Message const& b = later.messages[i];
    std::size_t const part = shared_parts(a, b);
    bool const a_ends = part == a.parts.size();
    bool const b_ends = part == b.parts.size();
    bool const goes_on = (a_ends && (b_ends || i + 1 == earlier.messages.size()))
                         || (b_ends && i + 1 == later.messages.size());
    if (a.role == b.role && goes_on) continue;
    Divergence found;
    found.message = i;
    found.part = part;
    found.before = words_at(earlier, i, part);
    found.after = words_at(later, i, part);
    return found;
  }
  return std::nullopt;
}

}

std::optional<Divergence> explain_divergence(History const& earlier, History const& later) {
  std::optional<Divergence> found;
  if (earlier.system != later.system) {
    found.emplace();
    found->in_system = true;
    found->before = words_from(earlier.system, later.system);
    found->after = words_from(later.system, earlier.system);
  } else {
    found = first_difference(earlier, later);
  }
  if (!found) return found;
  if (!found->in_system) {
    found->earlier = source_at(earlier, found->message);
    found->later = source_at(later, found->message);
  }
  add_reason(*found, earlier, later);
  return found;
}

}}
