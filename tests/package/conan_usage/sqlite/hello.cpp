// SPDX-License-Identifier: MIT
#include <sessionkit/sessionkit.hpp>
// [store]
#include <sessionkit/sqlite/sqlite_store.hpp>
// [store]

#include <cstdio>

namespace sk = sessionkit;

int main() {
  // [open]
  auto store = sk::open_sqlite_store("sessions.db").value();
  // [open]
  auto session = sk::Session::resume(store, "main:cli:user").value();
  session.append(sk::user("What is in config.json?")).value();
  session.append(sk::assistant("Nothing yet.")).value();
  std::puts(session.request({sk::Provider::anthropic}).value().messages.c_str());
}
