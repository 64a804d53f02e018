// SPDX-License-Identifier: MIT
// Counts what is alike among the findings of doctor and verify, so that damage does not hide among notices.
#include "alike.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <map>
#include <tuple>
#include <utility>

namespace cli {

namespace {

void add_place(Alike& group, std::string const& place) {
  constexpr std::size_t most = 3;
  if (std::find(group.places.begin(), group.places.end(), place) != group.places.end()) return;
  if (group.places.size() < most)
    group.places.push_back(place);
  else
    ++group.more_places;
}

/// "a.txt, b.txt, c.txt and 51 more"; the line of damage follows its file.
std::string places_of(Alike const& group) {
  auto text = fmt::format("{}", fmt::join(group.places, ", "));
  if (group.more_places != 0) text += fmt::format(" and {} more", group.more_places);
  if (group.first.line && group.places.size() == 1) text += fmt::format(", line {}", *group.first.line);
  return text;
}

}

std::vector<Alike> group_alike(std::vector<Seen> const& all) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::vector<Alike> groups;
  std::map<Key, std::size_t> numbers;
  for (auto const& one : all) {
    Key const key{one.kind, one.damage ? one.place : "", one.action};
    auto const [known, is_new] = numbers.emplace(key, groups.size());
    if (is_new)
      groups.push_back({one, 1, {one.place}});
    else
      ++groups[known->second].count, add_place(groups[known->second], one.place);
  }
  std::stable_partition(groups.begin(), groups.end(), [](Alike const& group) { return group.first.damage; });
  return groups;
}

void write_alike(Console& console, std::vector<Seen> const& all) {
  constexpr std::size_t indent = 8;
  auto const columns = std::clamp<std::size_t>(console.width(), 40, 100);
  for (auto const& group : group_alike(all)) {
    auto const& first = group.first;
    auto const level = first.damage ? console.coloured(31, "damage") : console.coloured(33, "notice");
    auto const count = group.count > 1 ? fmt::format("{} × ", group.count) : std::string();
    console.write(level + "  ");
    auto const kind = count + first.kind + "  ";
    auto const room = std::max<std::size_t>(columns, indent + kind.size() + 20) - indent - kind.size();
    console.content(kind + cut_front(one_line(places_of(group)), room) + "\n");
    for (auto const& sentence : {first.what, first.action})
      if (!sentence.empty())
        console.content(std::string(indent, ' ') + wrapped(one_line(sentence), indent, columns) + "\n");
  }
}

}
