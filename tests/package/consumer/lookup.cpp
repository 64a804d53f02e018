// SPDX-License-Identifier: MIT
#include "lookup.hpp"

#include <sessionkit/sessionkit.hpp>

sessionkit::Result<int> look_up(int number) {
  if (number == 0) return sessionkit::Error{sessionkit::Errc::not_found};
  return number;
}
