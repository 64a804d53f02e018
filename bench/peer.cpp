// SPDX-License-Identifier: MIT
// One operation in a process of its own, for peers/run.py: prints {"ms","count","peak_kib"} as the other
// peers do.
#include "cases.hpp"

#include <sessionkit/sessionkit.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

namespace sessionkit_bench {

namespace sk = sessionkit;

namespace {

using PeerClock = std::chrono::steady_clock;

int print(PeerClock::time_point begin, std::size_t count) {
  double const ms = std::chrono::duration<double, std::milli>(PeerClock::now() - begin).count();
  std::printf("{\"ms\":%.6f,\"count\":%zu,\"peak_kib\":%ld}\n", ms, count, peak_kib());
  return 0;
}

/// As pi's, and the request body besides.
int resume(std::string const& file, std::size_t) {
  auto const begin = PeerClock::now();
  auto const store = value_of(sk::open_transcript(file), "open");
  auto session = value_of(sk::Session::open(store, made_id()), "open");
  auto const history = value_of(session.history({sk::Provider::anthropic}), "history");
  keep(sk::encode(history, {sk::Provider::anthropic}).messages);
  return print(begin, history.messages.size());
}

int list(std::string const& root, std::size_t) {
  auto const begin = PeerClock::now();
  auto const store = value_of(sk::open_file_store(root), "open");
  sk::ListQuery query;
  query.limit = std::numeric_limits<std::size_t>::max();
  return print(begin, value_of(store->list(query), "list").sessions.size());
}

int append(std::string const& root, std::size_t count) {
  auto const store = value_of(sk::open_file_store(root), "open");
  auto session = value_of(sk::Session::create(store), "create");
  sk::Message const message = sk::user(message_text());
  auto const begin = PeerClock::now();
  for (std::size_t i = 0; i < count; ++i) value_of(session.append(message), "append");
  return print(begin, count);
}

int make(std::string const& file, std::size_t megabytes) {
  make_transcript(file, std::uint64_t{megabytes} * 1'000'000, kept_tail);
  return 0;
}

/// Sessions of 32 kB on average.
int make_store(std::string const& root, std::size_t sessions) {
  for (std::size_t i = 0; i < sessions; ++i)
    make_session(root, i, 5'000 + 54'000 * (i * 7919 % sessions) / sessions);
  return 0;
}

int text(std::string const&, std::size_t) { return std::fputs(message_text().c_str(), stdout) < 0 ? 1 : 0; }

struct PeerOperation {
  char const* name;
  int (*run)(std::string const& target, std::size_t count);
};
constexpr std::array<PeerOperation, 6> peer_operations{{{"resume", resume},
                                                        {"list", list},
                                                        {"append", append},
                                                        {"make", make},
                                                        {"make-store", make_store},
                                                        {"text", text}}};

}

int run_peer(std::string const& operation, std::string const& target, std::size_t count) {
  for (PeerOperation const& known : peer_operations)
    if (known.name == operation) return known.run(target, count);
  fail("there is no operation " + operation);
}

}
