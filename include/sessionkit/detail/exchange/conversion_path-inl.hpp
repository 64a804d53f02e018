// SPDX-License-Identifier: MIT
// Chooses the entries of a log that a conversion writes, in the order of the new log.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/exchange/conversion_path.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/time.hpp>

#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace conversion_path_inl { namespace {

struct KindName {
  std::string_view operator()(Header const&) const { return "a header"; }
  std::string_view operator()(Message const&) const { return "a message"; }
  std::string_view operator()(Compaction const&) const { return "a compaction"; }
  std::string_view operator()(BranchSummary const&) const { return "the summary of a branch"; }
  std::string_view operator()(TitleChange const&) const { return "a title"; }
  std::string_view operator()(StateChange const&) const { return "state"; }
  std::string_view operator()(ArchiveChange const&) const { return "an archive mark"; }
  std::string_view operator()(Label const&) const { return "a label"; }
  std::string_view operator()(ModelChange const& change) const {
    return change.thinking_level.empty() ? "a change of model" : "a change of the thinking level";
  }
  std::string_view operator()(CustomMessage const&) const { return "a custom message"; }
  std::string_view operator()(Custom const&) const { return "data of an extension"; }
  std::string_view operator()(Unknown const&) const { return "an unknown line"; }
};

}}

namespace detail {

std::string_view kind_of(EntryBody const& body) noexcept {
  return detail::visit(conversion_path_inl::KindName{}, body);
}

std::vector<std::size_t> parents_of(Log const& log) {
  auto const& all = log.entries;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::size_t> parents(all.size(), no_parent);
  std::size_t last = no_parent;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].as<Header>()) continue;
    auto const named = all[i].link == Parent::entry ? places.find(all[i].parent.str()) : places.end();
    bool const root = all[i].link == Parent::root || (all[i].link == Parent::entry && all[i].parent.empty());
    if (!root) parents[i] = named != places.end() ? named->second : last;
    places[all[i].id.str()] = i;
    last = i;
  }
  return parents;
}

std::vector<std::size_t> path_to_last(Log const& log, std::vector<Loss>& beside) {
  auto const& all = log.entries;
  std::vector<std::size_t> const parents = parents_of(log);
  std::size_t last = no_parent;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].as<Header>()) last = i;
  std::vector<bool> on_path(all.size());
  for (std::size_t i = last; i < all.size(); i = parents[i]) on_path[i] = true;
  std::vector<std::size_t> path;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (on_path[i])
      path.push_back(i);
    else if (!all[i].as<Header>())
      beside.push_back({all[i].id, detail::format_text("{} on another branch", kind_of(all[i].body))});
  }
  return path;
}

std::string_view lost_order(Message const& message) noexcept {
  bool called = false;
  for (Part const& part : message.parts) {
    if (called && std::holds_alternative<Text>(part))
      return "the order within a message: a text follows a call, and is stored apart from it";
    called = called || std::holds_alternative<ToolUse>(part);
  }
  return {};
}

Entry header_of(Log const& log, SessionId const& id) {
  Entry header;
  header.body = Header{};
  for (Entry const& entry : log.entries)
    if (entry.as<Header>()) {
      header = entry;
      break;
    }
  if (header.at == Timestamp{} && !log.entries.empty()) header.at = log.entries.front().at;
  auto& body = std::get<Header>(header.body);
  if (body.id.empty()) body.id = id.str();
  header.link = Parent::root;
  return header;
}

void list_damage(Log const& log, std::vector<Loss>& losses) {
  for (Damage const& damage : log.damage)
    if (is_damage(damage.kind))
      losses.push_back({{},
                        detail::format_text("{} bytes of damage at offset {}: {}", damage.length,
                                            damage.offset, damage.what)});
  bool header = false;
  for (Entry const& entry : log.entries)
    if (entry.as<Header>() && std::exchange(header, true))
      losses.push_back({entry.id, "a header that is not the first one"});
}

void list_spelling(Log const& log, std::size_t place, std::vector<Loss>& losses) {
  if (place >= log.lines.size() || log.lines[place].empty()) return;
  Entry const& entry = log.entries[place];
  std::string_view const line = log.lines[place];
  if (!check_json(line).utf8)
    losses.push_back({entry.id, "bytes that are not UTF-8: U+FFFD takes their place"});
  if (entry.at != Timestamp{}) return;
  bool named = entry.as<Header>() != nullptr;
  for (std::string_view const name : {"timestamp", "ts", "created", "createdAt"}) {
    std::string_view const time = find_member(line, name);
    if (time.empty() || time == "null") continue;
    named = true;
    bool const epoch = time.substr(0, 11) == "\"1970-01-01" || time.substr(0, 11) == "\"1969-12-31";
    if (to_double(time) != 0.0 && !epoch)
      losses.push_back({entry.id, detail::format_text("its time, which is none: {}", time.substr(0, 100))});
  }
  if (!named) losses.push_back({entry.id, "that it has no time: 1970-01-01 is written"});
}

void list_time_of_years(Entry& entry, std::vector<Loss>& losses) {
  constexpr std::int64_t first = -62'167'219'200'000, last = 253'402'300'799'999;
  std::int64_t const ms = to_unix_ms(entry.at);
  if (ms >= first && ms <= last) return;
  losses.push_back({entry.id, detail::format_text("its time, which is not in the years 0 to 9999: {}",
                                                  to_rfc3339(entry.at))});
  entry.at = from_unix_ms(ms < first ? first : last);
}

}

}}
