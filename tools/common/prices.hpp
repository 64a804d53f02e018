// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <optional>
#include <string>

namespace cli {

/// Dollars for a million tokens that a model reads, and writes.
struct Prices {
  double in = 0, out = 0;
};

/// Parses "3/15". Absent if it is not two numbers, of which none is negative.
std::optional<Prices> parse_prices(std::string const& text);

/// The most that the tokens cost, in dollars: what a cache gave costs less.
double cost_of(sessionkit::Usage const& usage, Prices const& prices);

/// "$0.0123", "$1.50".
std::string money(double dollars);

}
