// SPDX-License-Identifier: MIT
#include "fuzz/dialect.hpp"

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  sessionkit_fuzz::read_lines(sessionkit::native_dialect(), sessionkit_fuzz::text_of(data, size));
  return 0;
}
