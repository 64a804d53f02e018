// SPDX-License-Identifier: MIT
// sessionkit_foreign: one operation on other programs' files in a process of its own, for foreign.py. Prints
// {"ms","count","peak_kib","read"}; `read` is how many bytes the process has read, whatever of.
#include "../measure.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/foreign_store.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/profile_view.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/sqlite/sqlite_import.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace {

namespace sk = sessionkit;
using namespace sessionkit_bench;

using PeerClock = std::chrono::steady_clock;

std::size_t bytes_read() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  std::size_t number = 0;
  while (counts >> name >> number)
    if (name == "rchar:") return number;
  return 0;
}

int print(PeerClock::time_point begin, std::size_t count) {
  double const ms = std::chrono::duration<double, std::milli>(PeerClock::now() - begin).count();
  std::printf("{\"ms\":%.6f,\"count\":%zu,\"peak_kib\":%ld,\"read\":%zu}\n", ms, count, peak_kib(),
              bytes_read());
  return 0;
}

sk::ForeignStoreOptions options() {
  sk::ForeignStoreOptions options;
  options.importers = sk::known_importers();
  for (sk::Importer const* one : sk::known_sqlite_importers()) options.importers.push_back(one);
  options.import.limits.scratch = std::filesystem::temp_directory_path().string();
  return options;
}

int list(std::string const& path) {
  auto const begin = PeerClock::now();
  auto const store = value_of(sk::open_foreign(path, options()), "open");
  sk::ListQuery query;
  query.limit = std::numeric_limits<std::size_t>::max();
  return print(begin, value_of(store->list(query), "list").sessions.size());
}

// Each entry of each conversation is made, and nothing of it is kept.
int import_all(std::string const& path) {
  auto const begin = PeerClock::now();
  bool const folder = std::filesystem::is_directory(path);
  std::string const root = folder ? path : std::filesystem::path(path).parent_path().string();
  auto const files = value_of(sk::open_foreign_files(root, options().import.limits), "open");
  auto const store = value_of(sk::open_foreign(path, options()), "open");
  std::size_t entries = 0;
  for (sk::ForeignConversation const& one : store->conversations()) {
    sk::ForeignSession which = one.session;
    if (!folder) which.file = std::filesystem::path(path).filename().string();
    value_of(one.importer->read(*files, which, {},
                                [&](sk::Entry&& entry) -> sk::Result<void> {
                                  keep(entry.id);
                                  ++entries;
                                  return {};
                                }),
             "read");
  }
  return print(begin, entries);
}

int history(std::string const& path, std::string const& name) {
  auto const begin = PeerClock::now();
  auto const store = value_of(sk::open_foreign(path, options()), "open");
  sk::ForeignConversation const* which = &store->conversations().front();
  for (sk::ForeignConversation const& one : store->conversations())
    if (one.session.id == name) which = &one;
  sk::Target target = sk::target_of(*which->importer->profile);
  target.provider = sk::Provider::anthropic;
  auto const context = value_of(sk::load_context(*store, which->id), "context");
  auto const made = sk::HistoryRebuilder(target).rebuild(context);
  keep(sk::encode(made, target).messages);
  return print(begin, made.messages.size());
}

}

int main(int argc, char** argv) {
  std::string const operation = argc > 2 ? argv[1] : "";
  if (operation == "list") return list(argv[2]);
  if (operation == "import") return import_all(argv[2]);
  if (operation == "history") return history(argv[2], argc > 3 ? argv[3] : "");
  std::fputs("usage: sessionkit_foreign list|import|history PATH [SESSION]\n", stderr);
  return 2;
}
