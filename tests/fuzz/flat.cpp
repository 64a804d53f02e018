// SPDX-License-Identifier: MIT
#include "fuzz/dialect.hpp"

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const bytes = sessionkit_fuzz::text_of(data, size);
  sessionkit_fuzz::read_lines(sessionkit::flat_dialect(), bytes);
  sessionkit_fuzz::read_lines(sessionkit::flat_v2_dialect(), bytes);
  return 0;
}
