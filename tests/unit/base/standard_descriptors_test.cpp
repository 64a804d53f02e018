// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/standard_descriptors.hpp>
#include <sessionkit/sessionkit.hpp>

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
namespace sk = sessionkit;

namespace {

// Runs `body` in a child in which each of stdin, stdout and stderr with a set bit is closed; true if it
// answers true.
template <class Body> bool with_closed(int bits, Body body) {
  pid_t const child = ::fork();
  if (child == 0) {
    for (int const descriptor : {0, 1, 2})
      if ((bits >> descriptor & 1) != 0) ::close(descriptor);
    bool fine = false;
    try {
      fine = body();
    } catch (...) {}
    ::_exit(fine ? 0 : 1);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A line that a reader of the session would read as an entry.
constexpr char forged[] = "{\"type\":\"message\",\"id\":\"forged0\",\"parentId\":null,\"message\":{\"role\":"
                          "\"user\",\"content\":\"printed\"}}\n";

void print_everywhere() {
  for (int const descriptor : {0, 1, 2}) (void)!::write(descriptor, forged, sizeof forged - 1);
}

}

TEST_CASE("a descriptor below 3 is moved above stderr, others stay") {
  CHECK(sk::detail::above_standard(-ENOENT) == -ENOENT);
  int const high = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(high > 2);
  CHECK(sk::detail::above_standard(high) == high);
  ::close(high);
  for (int bits = 1; bits < 8; ++bits) {
    CAPTURE(bits);
    CHECK(with_closed(bits, [] {
      int const low = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      int const moved = sk::detail::above_standard(low);
      return low <= 2 && moved > 2 && ::fcntl(low, F_GETFD) < 0
             && (::fcntl(moved, F_GETFD) & FD_CLOEXEC) != 0;
    }));
  }
}

TEST_CASE("while the standard descriptors are taken, a library opens its sockets above them") {
  for (int bits = 0; bits < 8; ++bits) {
    CAPTURE(bits);
    CHECK(with_closed(bits, [bits] {
      bool above = false;
      {
        sk::detail::StandardDescriptorsTaken const taken;
        above = ::open("/dev/null", O_RDONLY | O_CLOEXEC) > 2;
      }
      for (int const descriptor : {0, 1, 2}) // those that were closed are closed again
        if ((::fcntl(descriptor, F_GETFD) < 0) != ((bits >> descriptor & 1) != 0)) above = false;
      return above;
    }));
  }
}

TEST_CASE("prints of a host with closed standard descriptors reach no file of a store") {
  for (int bits = 0; bits < 8; ++bits) {
    CAPTURE(bits);
    TempDir dir;
    int const original = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK(with_closed(bits, [&] {
      for (int const descriptor :
           {0, 1, 2}) // the open ones lead to /dev/null, so that the test prints nothing
        if ((bits >> descriptor & 1) == 0) ::dup2(original, descriptor);
      auto store = sk::open_file_store(dir / "s").value();
      auto session = sk::Session::resume(store, "main:cli:user").value();
      for (int turn = 0; turn < 3; ++turn) {
        session.append(sk::user("question")).value();
        print_everywhere();
        session.append(sk::assistant("answer")).value();
        (void)store->list({}).value();
        print_everywhere();
      }
      return session.path().value().size() >= 6;
    }));
    ::close(original);
    auto store = sk::open_file_store(dir / "s").value();
    auto session = sk::Session::resume(store, "main:cli:user").value();
    CHECK(session.info().value().messages == 6);
    for (auto const& file : std::filesystem::recursive_directory_iterator(dir / "s"))
      if (file.is_regular_file()) CHECK(read_file(file.path().string()).find("forged0") == std::string::npos);
  }
}
