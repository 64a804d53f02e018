// SPDX-License-Identifier: MIT
// Finds the first place in which two requests differ, and the entry that caused it.
#pragma once
#include <sessionkit/detail/history/report_text.hpp>
#include <sessionkit/divergence.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 {

namespace divergence_inl { namespace {

// The messages without the bracket that closes the array; where the last message ends with its content, also
// without the brackets or the quote that close the content and the message.
std::string_view open_array(std::string_view messages) noexcept {
  return messages.substr(0, messages.size() - 1);
}
std::string_view open_content(std::string_view messages) noexcept {
  std::string_view const array = open_array(messages);
  bool const content = array.size() >= 2 && array.substr(array.size() - 2) == "]}";
  return content ? array.substr(0, array.size() - 2) : array;
}

bool begins_with(std::string_view text, std::string_view begin) noexcept {
  return text.substr(0, begin.size()) == begin;
}

// Where the JSON string ends that begins before `at`: the place of its closing quote.
std::size_t string_end(std::string_view json, std::size_t at) noexcept {
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2U : 1U;
  return at;
}

// Whether the last message is a text of the user or of the assistant as one string.
bool ends_in_text(std::string_view messages) noexcept {
  std::string_view const array = open_array(messages);
  for (std::string_view const begin :
       {R"({"role":"user","content":")", R"({"role":"assistant","content":")"}) {
    std::size_t const at = array.rfind(begin); // never within a string, where quotes are escaped
    if (at == std::string_view::npos) continue;
    std::size_t const end = string_end(array, at + begin.size());
    if (end < array.size() && array.substr(end) == "\"}") return true;
  }
  return false;
}

bool extends(std::string_view longer, std::string_view shorter) noexcept {
  if (ends_in_text(shorter)) {
    std::string_view const open = open_array(shorter).substr(0, shorter.size() - 3);
    if (!begins_with(longer, open)) return false;
    std::string_view const next = longer.substr(open.size()); // the text ends, or another one follows it
    return begins_with(next, "\"},") || begins_with(next, R"(\n\n)");
  }
  std::string_view const open = open_content(shorter);
  if (longer.size() <= open.size() || !begins_with(longer, open)) return false;
  char const next = longer[open.size()]; // the part ends here, unless there is none
  return next == ',' || next == ']' || open.back() == '[';
}

// Encodes the first messages, and the first parts of the message after them.
RequestParts encode_begin(History const& history, std::size_t messages, std::size_t parts,
                          Target const& target) {
  History begin;
  begin.system = history.system;
  std::size_t const whole = std::min(messages, history.messages.size());
  begin.messages.assign(history.messages.begin(),
                        history.messages.begin() + static_cast<std::ptrdiff_t>(whole));
  if (parts != 0 && messages < history.messages.size()) {
    Message last = history.messages[messages];
    if (parts < last.parts.size())
      last.parts.erase(last.parts.begin() + static_cast<std::ptrdiff_t>(parts), last.parts.end());
    begin.messages.push_back(std::move(last));
  }
  return encode(begin, target);
}

// The first number in (0, most] for which `same` is false; it is false for `most`.
template <class Same> std::size_t first_denied(std::size_t most, Same const& same) {
  std::size_t low = 0;
  while (most - low > 1) {
    std::size_t const middle = low + (most - low) / 2;
    (same(middle) ? low : most) = middle;
  }
  return most;
}

std::size_t parts_at(History const& history, std::size_t message) noexcept {
  return message < history.messages.size() ? history.messages[message].parts.size() : 0;
}

std::string words_at(History const& history, std::size_t message, std::size_t part) {
  return part < parts_at(history, message) ? detail::brief(history.messages[message].parts[part])
                                           : std::string{};
}

// Shows a text from where it differs, because its first words may be the same.
std::string words_from(std::string const& text, std::string const& other) {
  auto const at = std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first - text.begin();
  auto begin = static_cast<std::size_t>(at);
  while (begin > 0 && begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U)
    --begin;
  return detail::brief(std::string_view(text).substr(begin));
}

// The entries that a part comes from; the first is the part's own entry.
std::vector<EntryId> entries_at(History const& history, std::size_t message, std::size_t part) {
  if (part >= parts_at(history, message) || message >= history.sources.size()) return {};
  std::vector<EntryId> entries{history.sources[message]};
  std::size_t at = 0;
  for (PartSource const& source : history.part_sources) {
    if (source.message != message || source.part > part) continue;
    if (std::exchange(at, source.part) != source.part) entries.clear();
    entries.push_back(source.entry);
  }
  if (at != part) entries.resize(1);
  return entries;
}

// A repair in both reports is not the cause. If it is not retroactive, each report may have it elsewhere.
bool does_the_same(Repair const& a, Repair const& b) {
  return a.rule == b.rule && a.retroactive == b.retroactive && (!a.retroactive || a.entry == b.entry);
}

using Repairs = std::vector<Repair const*>;

// A repair that this report has more often than the other; a retroactive one is preferred.
Repair const* cause_among(Repairs const& report, Repairs const& other) {
  Repair const* found = nullptr;
  for (Repair const* repair : report) {
    bool const better = found == nullptr || (repair->retroactive && !found->retroactive);
    auto const same = [repair](Repair const* each) { return does_the_same(*repair, *each); };
    auto const times = [&same](Repairs const& all) { return std::count_if(all.begin(), all.end(), same); };
    if (better && times(report) > times(other)) found = repair;
  }
  return found;
}

void add_reason(Divergence& divergence, History const& earlier, History const& later) {
  divergence.compacted = earlier.compaction != later.compaction;
  if (divergence.compacted) return;
  std::vector<EntryId> entries; // an empty id belongs to a made part, and to the repair that made it
  for (History const* history : {&later, &earlier})
    for (EntryId& entry : entries_at(*history, divergence.message, divergence.part))
      entries.push_back(std::move(entry));
  auto const here = [&](History const& history) {
    Repairs fit;
    for (Repair const& repair : history.report) {
      bool const of_system = repair.rule == "system_message";
      bool const of_entry = std::find(entries.begin(), entries.end(), repair.entry) != entries.end();
      if (divergence.in_system ? of_system : of_entry && !of_system) fit.push_back(&repair);
    }
    return fit;
  };
  Repairs const of_earlier = here(earlier), of_later = here(later);
  Repair const* const in_later = cause_among(of_later, of_earlier);
  Repair const* const in_earlier = cause_among(of_earlier, of_later);
  bool const reached_back = in_earlier && in_earlier->retroactive && !(in_later && in_later->retroactive);
  if (Repair const* cause = in_later && !reached_back ? in_later : in_earlier) divergence.repair = *cause;
}

void find_in_messages(Divergence& found, History const& earlier, History const& later, Target const& target) {
  auto const same = [&](std::size_t messages, std::size_t parts) {
    return encode_begin(earlier, messages, parts, target).messages
           == encode_begin(later, messages, parts, target).messages;
  };
  std::size_t const messages = std::max(earlier.messages.size(), later.messages.size());
  found.message = first_denied(messages, [&](std::size_t n) { return same(n, 0); }) - 1;
  std::size_t const parts = std::max(parts_at(earlier, found.message), parts_at(later, found.message));
  found.part =
      first_denied(std::max<std::size_t>(parts, 1), [&](std::size_t n) { return same(found.message, n); })
      - 1;
  auto const own = [&](History const& history) {
    auto entries = entries_at(history, found.message, found.part);
    return entries.empty() ? EntryId{} : std::move(entries.front());
  };
  found.earlier = own(earlier);
  found.later = own(later);
  found.before = words_at(earlier, found.message, found.part);
  found.after = words_at(later, found.message, found.part);
}

}}

RequestRelation compare_requests(RequestParts const& earlier, RequestParts const& later) {
  if (earlier.system != later.system) return RequestRelation::differ;
  if (earlier.messages == later.messages) return RequestRelation::same;
  if (divergence_inl::extends(later.messages, earlier.messages)) return RequestRelation::later_extends;
  return divergence_inl::extends(earlier.messages, later.messages) ? RequestRelation::earlier_extends
                                                                   : RequestRelation::differ;
}

std::optional<Divergence> explain_divergence(History const& earlier, History const& later,
                                             Target const& target) {
  if (compare_requests(encode(earlier, target), encode(later, target)) != RequestRelation::differ)
    return std::nullopt;
  Divergence found;
  RequestParts const before = divergence_inl::encode_begin(earlier, 0, 0, target),
                     after = divergence_inl::encode_begin(later, 0, 0, target);
  found.in_system = before.system != after.system || before.messages != after.messages;
  if (found.in_system) {
    found.before = divergence_inl::words_from(earlier.system, later.system);
    found.after = divergence_inl::words_from(later.system, earlier.system);
  } else {
    divergence_inl::find_in_messages(found, earlier, later, target);
  }
  divergence_inl::add_reason(found, earlier, later);
  return found;
}

}}
