// SPDX-License-Identifier: MIT
// The cost of the number of sessions in a store.
#include "cases.hpp"
#include "limits.hpp"

#include <sessionkit/sessionkit.hpp>

#include <cstdio>
#include <memory>
#include <string>

#include <sys/stat.h>

namespace sessionkit_bench {

namespace sk = sessionkit;

namespace {

std::string session_name(std::size_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "s%07u", static_cast<unsigned>(number));
  return text;
}

/// Sessions of one message each, their files written without the library; the index is made by it.
void make_store(std::string const& root, std::size_t sessions) {
  require(::mkdir(root.c_str(), 0700) == 0, root + ": cannot make the directory");
  for (std::size_t i = 0; i < sessions; ++i) {
    std::string const name = session_name(i), path = root + "/" + name + ".jsonl";
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    require(file != nullptr, path + ": cannot make the file");
    std::fprintf(
        file,
        R"({"type":"session","version":3,"id":"%s","timestamp":"2026-01-05T08:00:00.000Z","cwd":"/p",)"
        R"("key":"main:cli:%zu"})"
        "\n"
        R"({"type":"message","id":"0000000a","parentId":null,"timestamp":"2026-01-05T08:%02u:%02u.%03uZ",)"
        R"("message":{"role":"user","content":"What is in file %zu?"}})"
        "\n",
        name.c_str(), i, static_cast<unsigned>(i / 60'000 % 60), static_cast<unsigned>(i / 1000 % 60),
        static_cast<unsigned>(i % 1000), i);
    require(std::fclose(file) == 0, path + ": cannot write");
  }
  value_of(sk::reindex_file_store(root), "reindex");
}

std::shared_ptr<sk::SessionStore> open_store(std::string const& root) {
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  return value_of(sk::open_file_store(root, options), "open");
}

std::size_t newest(sk::SessionStore& store) {
  sk::ListQuery query;
  query.limit = 50;
  return value_of(store.list(query), "list").sessions.size();
}

}

void measure_index(Workbench& bench) {
  std::size_t const many = bench.quick() ? 10'000 : 100'000;
  std::string const few_root = bench.memory_path("few"), many_root = bench.memory_path("many");
  make_store(few_root, 1000);
  make_store(many_root, many);
  std::string const index = many_root + "/sessions.json";

  auto const in_few = open_store(few_root), in_many = open_store(many_root);
  require(newest(*in_few) == 50 && newest(*in_many) == 50, "the sessions are not listed");
  auto a = value_of(sk::Session::open(in_few, value_of(sk::SessionId::parse(session_name(7)), "id")), "open");
  auto b =
      value_of(sk::Session::open(in_many, value_of(sk::SessionId::parse(session_name(7)), "id")), "open");
  sk::AppendOptions turn_end;
  turn_end.ends_turn = true;
  sk::Message const message = sk::user("And now?");
  std::string buffer;

  Contest contest;
  constexpr std::size_t turns = 1000; // so that each sample includes the occasional write of the index
  auto const few_turns = contest.add_one(
      "turn in 1,000", [&] { value_of(a.append(message, turn_end), "append"); }, turns);
  auto const many_turns = contest.add_one(
      "turn in many", [&] { value_of(b.append(message, turn_end), "append"); }, turns);
  contest.run();
  std::string const count = std::to_string(many) + " sessions";
  bench.reported("index.update", "turn ended in a store of " + count + ", over one of 1,000", contest,
                 many_turns, few_turns, 1.5);

  Contest lists(11);
  auto const read = lists.add_one("read the index file", [&] { keep(read_whole(index, buffer)); });
  auto const list = lists.add_one("newest 50", [&] { keep(newest(*in_many)); });
  auto const open = lists.add_one("open and list", [&] { keep(newest(*open_store(many_root))); });
  lists.run();
  bench.report_time("index.newest", "newest 50 of " + count + ", warm", lists, list, 1);
  bench.reported("index.newest_read", "the same, over read() of the index file", lists, list, read);
  bench.reported("index.open",
                 "store of " + count + " opened and its newest 50 listed, over read() of the index file",
                 lists, open, read, 3);
}

}
