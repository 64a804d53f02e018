// SPDX-License-Identifier: MIT
// sessionkit_peer: one operation in a process of its own, for run.py; prints {"ms","count","peak_kib"} as the
// other peers do. It links the same as a host with files, and no database.
#include "../measure.hpp"
#include "../transcripts.hpp"

#include <sessionkit/sessionkit.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>

namespace {

namespace sk = sessionkit;
using namespace sessionkit_bench;

using PeerClock = std::chrono::steady_clock;

int print(PeerClock::time_point begin, std::size_t count) {
  double const ms = std::chrono::duration<double, std::milli>(PeerClock::now() - begin).count();
  std::printf("{\"ms\":%.6f,\"count\":%zu,\"peak_kib\":%ld}\n", ms, count, peak_kib());
  return 0;
}

/// As pi's, and also the request body.
int resume(std::string const& file, std::size_t) {
  auto const begin = PeerClock::now();
  auto const store = value_of(sk::open_transcript(file), "open");
  auto session =
      value_of(sk::Session::open(store, value_of(sk::SessionId::parse(made_session_id), "id")), "open");
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

int main(int count, char** words) {
  if (count != 4) fail("usage: sessionkit_peer OPERATION TARGET COUNT");
  for (PeerOperation const& known : peer_operations)
    if (known.name == std::string(words[1]))
      return known.run(words[2], static_cast<std::size_t>(std::atoll(words[3])));
  fail(std::string("there is no operation ") + words[1]);
}
