// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

namespace sessionkit_test {

/// The same numbers from the same seed everywhere (the standard's distributions are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  char byte() { return static_cast<char>(engine_() & 0xFF); }
  char one_of(std::string_view bytes) { return bytes[below(bytes.size())]; }
  char const* one_of(std::initializer_list<char const*> texts) { return texts.begin()[below(texts.size())]; }
  std::string bytes(std::size_t size) {
    std::string text(size, '\0');
    for (char& c : text) c = byte();
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

}
