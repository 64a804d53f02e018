// SPDX-License-Identifier: MIT
#include "prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <locale>
#include <numeric>
#include <sstream>

namespace cli {

namespace sk = sessionkit;

namespace {

bool read_price(std::string const& text, double& into) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  return stream >> into && stream.eof() && into >= 0;
}

}

std::optional<Prices> make_prices(std::vector<double> const& numbers) {
  if (numbers.size() < 2 || numbers.size() > 4) return std::nullopt;
  Prices prices{numbers[0], numbers[1]};
  if (numbers.size() > 2) prices.cache_read = numbers[2];
  if (numbers.size() > 3) prices.cache_write = numbers[3];
  return prices;
}

std::optional<Prices> parse_prices(std::string const& text) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto const end = std::min(text.find('/', begin), text.size());
    if (!read_price(text.substr(begin, end - begin), numbers.emplace_back())) return std::nullopt;
    begin = end + 1;
  }
  return make_prices(numbers);
}

namespace {

constexpr double million = 1e6;

/// Of input, output, what a cache gave, and what it took.
std::array<double, 4> costs_of(sk::Usage const& usage, Prices const& prices) {
  auto const cost = [](std::uint64_t tokens, double price) {
    return static_cast<double>(tokens) * price / million;
  };
  return {cost(usage.input, prices.in), cost(usage.output, prices.out),
          cost(usage.cache_read, prices.cache_read.value_or(prices.in)),
          cost(usage.cache_write, prices.cache_write.value_or(prices.in))};
}

}

double cost_of(sk::Usage const& usage, Prices const& prices) {
  auto const costs = costs_of(usage, prices);
  return std::accumulate(costs.begin(), costs.end(), 0.0);
}

std::optional<sk::RawJson> recorded_cost(sk::Usage const& usage, Prices const& prices) {
  if ((usage.cache_read != 0 && !prices.cache_read) || (usage.cache_write != 0 && !prices.cache_write))
    return std::nullopt;
  auto const costs = costs_of(usage, prices);
  return sk::RawJson::from(
      fmt::format(R"({{"input":{},"output":{},"cacheRead":{},"cacheWrite":{},"total":{}}})", costs[0],
                  costs[1], costs[2], costs[3], std::accumulate(costs.begin(), costs.end(), 0.0)));
}

std::string money(double dollars) { return fmt::format("${:.{}f}", dollars, dollars < 1 ? 4 : 2); }

}
