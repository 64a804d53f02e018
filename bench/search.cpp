// SPDX-License-Identifier: MIT
// A rare word in all sessions of a store.
#include "cases.hpp"
#include "limits.hpp"

#include <sessionkit/search.hpp>
#include <sessionkit/search_index.hpp>
#include <sessionkit/sessionkit.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_bench {

namespace sk = sessionkit;

namespace {

constexpr char const* word = "velvetcandle";

/// Copies of a transcript; the last one has the word.
std::vector<sk::SessionId> make_sessions(std::string const& root, std::string const& transcript,
                                         std::size_t count) {
  std::filesystem::create_directory(root);
  std::filesystem::permissions(root, std::filesystem::perms::owner_all);
  std::vector<sk::SessionId> ids;
  std::string path;
  for (std::size_t i = 0; i < count; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "s%07u", static_cast<unsigned>(i));
    ids.push_back(value_of(sk::SessionId::parse(name), "id"));
    path = root + "/" + name + ".jsonl";
    std::filesystem::copy_file(transcript, path);
  }
  std::ofstream(path, std::ios::app)
      << R"({"type":"message","id":"ffffffff","parentId":null,"timestamp":"2026-01-06T00:00:00.000Z",)"
      << R"("message":{"role":"user","content":"a )" << word << "\"}}\n";
  return ids;
}

std::uint64_t read_all(std::string const& root, std::vector<sk::SessionId> const& ids, std::string& buffer) {
  std::uint64_t bytes = 0;
  for (sk::SessionId const& id : ids) bytes += read_whole(root + "/" + id.str() + ".jsonl", buffer);
  return bytes;
}

bool runs(std::string const& command) {
  return std::system((command + " >/dev/null 2>&1").c_str())
         == 0; // NOLINT(concurrency-mt-unsafe,cert-env33-c)
}

}

namespace {

/// The same search with an index, and how large the index is and how long it takes to make it.
void measure_search_index(Workbench& bench, sk::SessionStore& store, std::vector<sk::SessionId> const& ids,
                          std::uint64_t bytes) {
  auto index = value_of(sk::SearchIndex::open(bench.path("search_index")), "open");
  auto const began = std::chrono::steady_clock::now();
  auto const made = value_of(index.update(store, ids), "update");
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - began;
  require(made.failures.empty(), "the index is not complete");
  Contest contest(bench.quick() ? 15 : 31);
  auto const search = contest.add_one("search with an index", [&] {
    auto const page = value_of(index.search(store, ids, {word}), "search");
    require(page.hits.size() == 1, "the word is not found");
  });
  auto const update = contest.add_one("update without news", [&] {
    require(value_of(index.update(store, ids), "update").entries == 0, "news");
  });
  contest.run();
  std::string const size = std::to_string(ids.size()) + " MB in as many sessions";
  bench.report_time("search.index", "a rare word in " + size + ", with an index", contest, search, 5);
  bench.report_time("search.index_update", "an update of this index without news", contest, update);
  bench.reported({"search.index_made", "this index made from nothing", "s", took.count()});
  bench.reported({"search.index_size", "its size, over that of the files", "x",
                  static_cast<double>(made.bytes) / static_cast<double>(bytes)});
}

}

void measure_search(Workbench& bench) {
  std::string const root = bench.path("search");
  MadeTranscript const& made = bench.transcript(1, false);
  auto const ids = make_sessions(root, made.path, bench.quick() ? 100 : 1000);
  auto const store = value_of(sk::open_file_store(root), "open");
  std::string buffer;
  Contest contest(bench.quick() ? 15 : 7);
  auto const read = contest.add_one(
      "read()", [&] { keep(read_all(root, ids, buffer)); }, 1);
  auto const search = contest.add_one(
      "search",
      [&] {
        auto const page = value_of(sk::search(*store, ids, {word}), "search");
        require(page.hits.size() == 1 && page.damaged == 0, "the word is not found");
      },
      1);
  std::vector<std::pair<std::string, Contest::Row>> programs;
  for (std::string const command : {"rg -j1 -F -l", "env LC_ALL=C grep -rFl"})
    if (std::string const line = command + " " + word + " " + root; runs(line))
      programs.emplace_back(command, contest.add_one(
                                         command, [line] { require(runs(line), line); }, 1));
  contest.run();
  std::string const size = std::to_string(ids.size()) + " MB in as many sessions";
  bench.reported("search.read", "a rare word in " + size + ", over read() of the files", contest, search,
                 read);
  for (auto const& [command, row] : programs) {
    bool const ripgrep = command.compare(0, 2, "rg") == 0;
    bench.reported(ripgrep ? "search.ripgrep" : "search.grep", "the same, over the program " + command,
                   contest, search, row, ripgrep ? 1.5 : 0);
  }
  measure_search_index(bench, *store, ids, read_all(root, ids, buffer));
}

}
