// SPDX-License-Identifier: MIT
#pragma once
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace sessionkit_test {

/// Ends the test with a reason: by an exception, or, where the tests are compiled without exceptions, with
/// the program.
[[noreturn]] inline void give_up(std::string const& reason) {
#if defined(__cpp_exceptions)
  throw std::runtime_error(reason);
#else
  std::fprintf(stderr, "%s\n", reason.c_str());
  std::abort();
#endif
}

}
