// SPDX-License-Identifier: MIT
// Shared by the fuzz targets. A target is one LLVMFuzzerTestOneInput: libFuzzer feeds it (scripts/fuzz), and
// ctest replays its corpus with any compiler.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace sessionkit_fuzz {

/// Ends the program, which counts as a finding, unless `holds`.
inline void require(bool holds, char const* what, std::string const& seen = {}) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n%s\n", what, seen.c_str());
  std::abort();
}

inline std::string text_of(std::uint8_t const* data, std::size_t size) {
  return size == 0 ? std::string{} : std::string(reinterpret_cast<char const*>(data), size);
}

}
