// SPDX-License-Identifier: MIT
#include "prices.hpp"

#include <fmt/format.h>

#include <locale>
#include <sstream>

namespace cli {

namespace {

bool read_price(std::string const& text, double& into) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  return stream >> into && stream.eof() && into >= 0;
}

}

std::optional<Prices> parse_prices(std::string const& text) {
  auto const slash = text.find('/');
  Prices prices;
  if (slash == std::string::npos || !read_price(text.substr(0, slash), prices.in)
      || !read_price(text.substr(slash + 1), prices.out))
    return std::nullopt;
  return prices;
}

double cost_of(sessionkit::Usage const& usage, Prices const& prices) {
  constexpr double million = 1e6;
  auto const read = static_cast<double>(usage.input + usage.cache_read + usage.cache_write);
  return (read * prices.in + static_cast<double>(usage.output) * prices.out) / million;
}

std::string money(double dollars) { return fmt::format("${:.{}f}", dollars, dollars < 1 ? 4 : 2); }

}
