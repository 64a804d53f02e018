// SPDX-License-Identifier: MIT
#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/version.hpp>
#ifdef with_sqlite
#include <sessionkit/sqlite/sqlite_store.hpp>
#endif

#include <cstdio>

namespace sk = sessionkit;

int main() {
#ifdef with_sqlite
  auto const store = sk::open_sqlite_store("test_package.db").value();
#else
  auto const store = sk::make_memory_store();
#endif
  auto session = sk::Session::create(store).value();
  session.append(sk::user("hello")).value();
  auto const request = session.request({}).value();
  if (request.messages.find("hello") == std::string::npos) return 1;
  std::printf("sessionkit %s: a turn is stored\n", SESSIONKIT_VERSION);
}
