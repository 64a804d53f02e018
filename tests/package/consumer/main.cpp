// SPDX-License-Identifier: MIT
#include "lookup.hpp"

#include <sessionkit/sessionkit.hpp>

#include <cstdio>

int main() {
  auto const found = look_up(7);
  auto const missing = look_up(0);
  if (!found || found.value() != 7 || missing) return 1;
  std::printf("sessionkit %s: %s\n", SESSIONKIT_VERSION, sessionkit::to_string(missing.error().code));
}
