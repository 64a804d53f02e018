// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/base/fnv1a.hpp>

namespace sk = sessionkit;

TEST_CASE("FNV-1a gives the values that its authors published") {
  CHECK(sk::detail::fnv1a("") == 0xcbf29ce484222325U);
  CHECK(sk::detail::fnv1a("a") == 0xaf63dc4c8601ec8cU);
  CHECK(sk::detail::fnv1a("foobar") == 0x85944171f73967e8U);
  CHECK(sk::detail::fnv1a("\xc3\xa9") != sk::detail::fnv1a("e"));
  CHECK(sk::detail::fnv1a("a", 1) != sk::detail::fnv1a("a"));
}
