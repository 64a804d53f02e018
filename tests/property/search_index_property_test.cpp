// SPDX-License-Identifier: MIT
// A search with an index finds what the search without one finds, after any change of the logs and the index.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/file_store.hpp"
#include "support/long_form.hpp"
#include "support/random.hpp"
#include "support/search_lines.hpp"
#include "support/transcript.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/upkeep/search_index.hpp>
#include <sessionkit/detail/upkeep/search_pieces.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/search_index.hpp>
#include <sessionkit/session.hpp>

#include <atomic>
#include <thread>

using namespace sessionkit_test;

namespace {

std::string text_of(sk::SearchHit const& hit) {
  return hit.session.str() + "@" + std::to_string(hit.end.value()) + " " + hit.type + " " + hit.entry.id.str()
         + ": " + hit.before + "[" + hit.match + "]" + hit.after;
}

/// All that a host sees of a page, but not the damage that a search met on its way.
std::vector<std::string> text_of(sk::SearchPage const& page) {
  std::vector<std::string> all{"next " + page.next};
  for (sk::SearchHit const& hit : page.hits) all.push_back(text_of(hit));
  for (sk::SearchFailure const& failure : page.failures)
    all.push_back(failure.session.str() + " " + to_string(failure.error.code));
  return all;
}

void compare(sk::SearchIndex const& index, sk::SessionStore& store, std::vector<sk::SessionId> const& ids,
             sk::SearchQuery query) {
  CAPTURE(query.text, query.ignore_case, query.limit);
  do {
    sk::SearchPage const plain = sk::search(store, ids, query).value();
    REQUIRE(text_of(index.search(store, ids, query).value()) == text_of(plain));
    query.cursor = plain.next;
  } while (!query.cursor.empty());
}

/// A few logs as files that other programs write, and an index beside them.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed), made_(random_) {
    for (int i = 0; i < 6; ++i) ids_.push_back(id_of("s" + std::to_string(i)));
    for (auto const& id : ids_) replace(id);
    open_index();
  }

  void step() {
    sk::SessionId const& id = ids_[random_.below(ids_.size())];
    switch (random_.below(12)) {
    case 0: return replace(id);
    case 1: return cut(id);
    case 2: return (void)std::remove(path_of(id).c_str());
    case 3: return append(id, random_.bytes(random_.below(30)));
    case 4: return damage();
    case 5: return open_index();
    case 6:
    case 7:
    case 8: return update();
    default: return append_lines(id);
    }
  }

  void check() {
    sk::SearchQuery query{text()};
    query.ignore_case = random_.one_in(2);
    query.thinking = random_.one_in(2);
    query.limit = 1 + random_.below(20);
    if (random_.one_in(4)) query.role = sk::Role::assistant;
    if (random_.one_in(6)) query.leaf = sk::EntryId();
    if (random_.one_in(8)) query.key = "";
    if (random_.one_in(8)) query.tool = "t";
    compare(*index_, *store_, ids_, query);
  }

  void update() {
    std::vector<sk::SessionId> some;
    for (auto const& id : ids_)
      if (!random_.one_in(3)) some.push_back(id);
    REQUIRE(index_->update(*store_, some));
  }

 private:
  std::string path_of(sk::SessionId const& id) const { return dir_ / (id.str() + ".jsonl"); }

  void open_index() {
    index_.emplace(sk::SearchIndex::open(dir_ / "index").value());
    sk::SearchIndexAccess::set_sizes(*index_, {1 + random_.below(2000), 1 + random_.below(5000)});
  }

  std::string line() {
    SearchLine line = made_.next(number_++);
    for (std::string& one : line.texts) texts_.push_back(std::move(one));
    return line.bytes;
  }
  void append(sk::SessionId const& id, std::string const& bytes) {
    std::ofstream(path_of(id), std::ios::binary | std::ios::app) << bytes;
  }
  // A program that does not look may leave out the line end of its last line.
  void append_lines(sk::SessionId const& id) {
    for (std::size_t n = random_.below(12); n > 0; --n) append(id, line() + "\n");
    if (random_.one_in(4)) append(id, line());
    if (random_.one_in(6)) append(id, line().substr(0, 40));
    if (random_.one_in(4)) append(id, "\n");
  }
  void replace(sk::SessionId const& id) {
    write_file(dir_ / "new", header_line(id.str()) + "\n");
    std::filesystem::rename(dir_ / "new", path_of(id));
    append_lines(id);
  }
  void cut(sk::SessionId const& id) {
    if (!std::filesystem::exists(path_of(id))) return;
    std::string const bytes = read_file(path_of(id));
    std::size_t const end = bytes.find('\n', random_.below(bytes.size() + 1));
    if (end != std::string::npos) std::filesystem::resize_file(path_of(id), end + 1);
  }
  // Changes a byte of a file of the index, or removes or cuts the file.
  void damage() {
    std::vector<std::string> files;
    for (auto const& file : std::filesystem::directory_iterator(dir_ / "index"))
      files.push_back(file.path().string());
    if (files.empty()) return;
    std::string const& file = files[random_.below(files.size())];
    std::string bytes = read_file(file);
    if (random_.one_in(4)) return (void)std::remove(file.c_str());
    if (bytes.empty()) return;
    std::size_t const at = random_.below(bytes.size());
    if (random_.one_in(4)) return write_file(file, bytes.substr(0, at));
    bytes[at] = random_.byte();
    write_file(file, bytes);
  }

  std::string text() {
    if (texts_.empty() || random_.one_in(4)) return JsonStrings(random_).text(5) + "needle";
    std::string const& whole = texts_[random_.below(texts_.size())];
    std::string const part = whole.substr(random_.below(whole.size() + 1), 1 + random_.below(16));
    return part.empty() ? "needle" : part;
  }

  Random random_;
  SearchLines made_;
  TempDir dir_;
  std::shared_ptr<sk::SessionStore> store_ = open_store(dir_.path());
  std::vector<sk::SessionId> ids_;
  std::optional<sk::SearchIndex> index_;
  std::vector<std::string> texts_;
  std::size_t number_ = 0;
};

std::size_t count(sk::SearchIndex const& index, sk::SessionStore& store, sk::SessionId const& id) {
  sk::SearchQuery query{"needle"};
  query.limit = 100000;
  return index.search(store, {id}, query).value().hits.size();
}

}

TEST_CASE("a search with an index finds the same after any change of the logs and of the index") {
  std::size_t const rounds = cases(60, 2000);
  for (std::size_t seed = 0; seed < rounds; ++seed) {
    CAPTURE(seed);
    World world(seed);
    for (int step = 0; step < 40; ++step) {
      CAPTURE(step);
      world.step();
      for (int i = 0; i < 3; ++i) world.check();
    }
  }
}

TEST_CASE("an index beside a store in memory finds the same") {
  for (std::uint64_t seed = 0; seed < cases(20, 500); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    SearchLines made(random);
    TempDir dir;
    auto const store = sk::make_memory_store();
    auto index = sk::SearchIndex::open(dir / "index").value();
    sk::SearchIndexAccess::set_sizes(index, {300, 500});
    std::vector<sk::SessionId> const ids{id_of("s1"), id_of("s2")};
    for (int round = 0; round < 12; ++round) {
      std::string bytes = header_line("s1") + "\n";
      for (std::size_t i = 0; i < 30; ++i) bytes += made.next(i).bytes + "\n";
      write_file(dir / "s1.jsonl", bytes);
      if (round % 4 == 3) {
        REQUIRE(store->remove(ids[0]));
      } else if (auto const files = open_store(dir.path()); !sk::copy_session(*files, *store, ids[0])) {
        REQUIRE(store->remove(ids[0])); // it continues another log
        REQUIRE(sk::copy_session(*files, *store, ids[0]));
      }
      for (int query = 0; query < 10; ++query) {
        sk::SearchQuery one{JsonStrings(random).text(3) + "needle"};
        one.ignore_case = random.one_in(2);
        compare(index, *store, ids, one);
        if (query == 5) REQUIRE(index.update(*store, ids));
      }
    }
  }
}

TEST_CASE("an index finds the same in logs of each dialect") {
  for (auto const* profile : {&sk::profiles::native, &sk::profiles::ai_panel, &sk::profiles::claw0}) {
    CAPTURE(profile->name);
    Random random(5);
    TempDir dir;
    sk::FileStoreOptions options;
    options.profile = *profile;
    auto const store = open_store(dir.path(), options);
    auto index = sk::SearchIndex::open(dir / "index").value();
    sk::SearchIndexAccess::set_sizes(index, {400, 2000});
    std::vector<sk::SessionId> ids;
    std::vector<std::string> said;
    for (int session = 0; session < 3; ++session) {
      auto talk = sk::Session::create(store).value();
      ids.push_back(talk.id());
      for (int turn = 0; turn < 20; ++turn) {
        said.push_back(JsonStrings(random).text() + "x");
        REQUIRE(talk.append(sk::user(said.back())));
        said.push_back(JsonStrings(random).text() + "y");
        REQUIRE(talk.append(sk::assistant(said.back())));
        if (random.one_in(5)) REQUIRE(index.update(*store, ids));
        for (int query = 0; query < 3; ++query) {
          std::string const& whole = said[random.below(said.size())];
          sk::SearchQuery one{whole.substr(random.below(whole.size()), 1 + random.below(9))};
          one.ignore_case = random.one_in(2);
          one.limit = 1 + random.below(10);
          compare(index, *store, ids, one);
        }
      }
    }
  }
}

TEST_CASE("an index finds what was there when the search began, while others append and update") {
  Random random(3);
  TempDir dir;
  std::string const path = dir / "s1.jsonl";
  write_file(path, header_line("s1") + "\n" + message_line("m", "", "needle") + "\n");
  std::atomic<std::size_t> written{1};
  std::atomic<bool> over{false};
  std::thread writer([&] {
    std::ofstream out(path, std::ios::binary | std::ios::app);
    for (std::size_t i = 1; i < 3000; ++i) {
      std::string const line = message_line("m" + std::to_string(i), "", "a needle in it");
      out << line.substr(0, 20) << std::flush << line.substr(20) << '\n' << std::flush;
      written = i + 1;
    }
    over = true;
  });
  std::thread updater([&] {
    auto const store = open_store(dir.path());
    auto index = sk::SearchIndex::open(dir / "index").value();
    sk::SearchIndexAccess::set_sizes(index, {3000, 4000});
    while (!over) (void)index.update(*store, {id_of("s1")});
  });
  auto const store = open_store(dir.path());
  auto const index = sk::SearchIndex::open(dir / "index").value();
  bool right = true;
  while (!over) {
    std::size_t const least = written;
    std::size_t const found = count(index, *store, id_of("s1"));
    right = right && found >= least && found <= written + 1;
  }
  writer.join();
  updater.join();
  CHECK(right);
  CHECK(count(index, *store, id_of("s1")) == 3000);
}
