// SPDX-License-Identifier: MIT
// Reads the lines of answers.mjs, decodes each stream and the whole answer that the provider's client library
// made of it, and compares the two messages.
#include <sessionkit/sessionkit.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>

namespace {

namespace sk = sessionkit;
using nlohmann::json;

json line_of(sk::Message message) {
  sk::Entry entry;
  entry.id = sk::EntryId("a");
  entry.body = std::move(message);
  std::string line;
  sk::native_dialect().encode(entry, line).value();
  return json::parse(line);
}

}

int main() {
  std::uint32_t state = 1;
  std::map<std::string, int> compared;
  int different = 0;
  for (std::string line; std::getline(std::cin, line);) {
    auto const each = nlohmann::ordered_json::parse(line);
    auto const provider = sk::parse_provider(each["provider"].get<std::string>()).value();
    auto const stream = each["stream"].get<std::string>();
    sk::StreamDecoder decoder(provider);
    for (std::size_t at = 0; at < stream.size();) {
      state = state * 1664525U + 1013904223U;
      std::size_t const bytes = 1 + (state >> 24U);
      decoder.feed(std::string_view(stream).substr(at, bytes));
      at += bytes;
    }
    json const streamed = line_of(decoder.finish());
    json const whole = line_of(sk::decode_response(provider, each["whole"].dump()).value());
    ++compared[each["provider"].get<std::string>()];
    if (streamed == whole && !decoder.failure()) continue;
    ++different;
    std::cout << "stream: " << streamed << "\nwhole:  " << whole << '\n';
    if (decoder.failure()) std::cout << "failure: " << decoder.failure()->message << '\n';
  }
  for (auto const& [name, answers] : compared) std::cout << name << ": " << answers << " answers\n";
  std::cout << "different: " << different << '\n';
  return different == 0 && !compared.empty() ? 0 : 1;
}
