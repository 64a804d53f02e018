// SPDX-License-Identifier: MIT
#include "text.hpp"

namespace chat_host {

namespace {

/// Capitals, each `step`th of a range, and how far behind each its small letter stands.
struct Capitals {
  unsigned first, last, step, distance;
};
constexpr Capitals capitals[] = {
    {'A', 'Z', 1, 32},       {0x00C0, 0x00D6, 1, 32}, {0x00D8, 0x00DE, 1, 32}, {0x0100, 0x012E, 2, 1},
    {0x0132, 0x0136, 2, 1},  {0x0139, 0x0147, 2, 1},  {0x014A, 0x0176, 2, 1},  {0x0179, 0x017D, 2, 1},
    {0x0391, 0x03AB, 1, 32}, {0x0400, 0x040F, 1, 80}, {0x0410, 0x042F, 1, 32},
};

unsigned small(unsigned letter) {
  for (auto const& range : capitals)
    if (letter >= range.first && letter <= range.last && (letter - range.first) % range.step == 0)
      return letter + range.distance;
  return letter;
}

}

// The small letter of each of these capitals has as many bytes: one or two.
std::string fold_case(std::string_view text) {
  std::string folded(text);
  for (std::size_t i = 0; i < folded.size(); ++i) {
    auto const byte = static_cast<unsigned char>(folded[i]);
    if (byte < 0x80) folded[i] = static_cast<char>(small(byte));
    bool const leads_two = byte >= 0xC2 && byte <= 0xDF && i + 1 < folded.size();
    if (!leads_two) continue;
    unsigned const letter =
        small(((byte & 0x1FU) << 6U) | (static_cast<unsigned char>(folded[i + 1]) & 0x3FU));
    folded[i] = static_cast<char>(0xC0U | (letter >> 6U));
    folded[++i] = static_cast<char>(0x80U | (letter & 0x3FU));
  }
  return folded;
}

std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80) --most;
  return text.substr(0, most);
}

}
