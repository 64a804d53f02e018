// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/history_policy.hpp>

#include <vector>

namespace sk = sessionkit;

namespace {

std::vector<sk::Message> const talk{sk::user("1"),        sk::assistant("a"), sk::user("2"),
                                    sk::tool_results({}), sk::assistant("b"), sk::user("3")};

}

TEST_CASE("turn_limit leaves out what stands before the last n turns") {
  CHECK(sk::turn_limit(1)(talk) == 5);
  CHECK(sk::turn_limit(2)(talk) == 2);
  CHECK(sk::turn_limit(3)(talk) == 0);
  CHECK(sk::turn_limit(9)(talk) == 0);
  CHECK(sk::turn_limit(0)(talk) == talk.size());
  CHECK(sk::turn_limit(1)({}) == 0);
}

TEST_CASE("message_limit leaves out all but the last n messages") {
  CHECK(sk::message_limit(2)(talk) == 4);
  CHECK(sk::message_limit(6)(talk) == 0);
  CHECK(sk::message_limit(99)(talk) == 0);
}
