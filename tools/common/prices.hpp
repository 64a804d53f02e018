// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/raw_json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cli {

/// Dollars for a million tokens that a model reads, and writes; and that its cache gives, and takes.
struct Prices {
  double in = 0, out = 0;
  std::optional<double> cache_read = {}, cache_write = {};
};

/// Parses "3/15", or "3/15/0.3" and "3/15/0.3/3.75" with the prices of the cache. Absent if it is not so many
/// numbers, of which none is negative.
std::optional<Prices> parse_prices(std::string const& text);
/// The same for numbers; absent if there are fewer than two or more than four.
std::optional<Prices> make_prices(std::vector<double> const& numbers);

/// The most that the tokens cost, in dollars: where a price of the cache is not known, as if there were none.
double cost_of(sessionkit::Usage const& usage, Prices const& prices);

/// What an answer cost, as pi's log has it (`usage.cost`). Absent if it used a cache whose price is not
/// known.
std::optional<sessionkit::RawJson> recorded_cost(sessionkit::Usage const& usage, Prices const& prices);

/// "$0.0123", "$1.50".
std::string money(double dollars);

}
