// SPDX-License-Identifier: MIT
// The list of what another format could not represent.
#include "losses.hpp"

#include <fmt/format.h>

#include <common/text.hpp>
#include <utility>

namespace cli {

void list_losses(Console& console, std::vector<sessionkit::Loss> const& losses) {
  if (losses.empty()) return;
  if (console.json()) {
    Json all = Json::array();
    for (auto const& one : losses)
      all.push_back({{"entry", one.entry.empty() ? Json() : Json(one.entry.str())}, {"what", one.what}});
    console.report_json(Json{{"losses", std::move(all)}});
    return;
  }
  for (auto const& one : losses)
    console.report(fmt::format("left out: {}{}", one.entry.empty() ? "" : one_line(one.entry.str()) + ": ",
                               one_line(one.what)));
}

}
