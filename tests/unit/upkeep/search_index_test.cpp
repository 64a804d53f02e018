// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/counted_store.hpp"
#include "support/data.hpp"
#include "support/file_store.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/upkeep/search_index.hpp>
#include <sessionkit/detail/upkeep/search_pieces.hpp>
#include <sessionkit/search_index.hpp>

using namespace sessionkit_test;

namespace {

/// Sessions in files, and an index; the calls for each are counted.
struct World {
  TempDir dir;
  FaultyFileOps store_ops, index_ops;
  std::shared_ptr<sk::SessionStore> store = open_with(store_ops, dir.path());
  sk::SearchIndex index = open();

  sk::SearchIndex open() { return sk::SearchIndexAccess::open(index_ops, dir / "index", {}).value(); }
  void write(std::string const& id, std::vector<std::string> const& texts) {
    std::string bytes = header_line(id) + '\n';
    for (std::size_t i = 0; i < texts.size(); ++i)
      bytes += message_line("m" + std::to_string(i), "", texts[i]) + '\n';
    write_file(dir / "new", bytes);
    std::filesystem::rename(dir / "new", dir / (id + ".jsonl"));
  }
  void append(std::string const& id, std::string const& bytes) {
    std::ofstream(dir / (id + ".jsonl"), std::ios::binary | std::ios::app) << bytes;
  }
  sk::SearchIndexUpdate update(std::vector<std::string> const& ids) {
    return index.update(*store, ids_of(ids)).value();
  }
  Ids find(std::vector<std::string> const& ids, sk::SearchQuery const& query) {
    Ids found;
    for (auto const& hit : index.search(*store, ids_of(ids), query).value().hits)
      found.push_back(hit.session.str() + "/" + hit.entry.id.str());
    return found;
  }
  void reset() { store_ops.reset(), index_ops.reset(); }
  static std::vector<sk::SessionId> ids_of(std::vector<std::string> const& ids) {
    std::vector<sk::SessionId> all;
    for (auto const& id : ids) all.push_back(id_of(id));
    return all;
  }
  std::vector<std::string> segments() const {
    std::vector<std::string> files;
    for (auto const& file : std::filesystem::directory_iterator(dir / "index"))
      if (file.path().extension() == ".seg") files.push_back(file.path().string());
    return files;
  }
};

std::string filler(std::size_t number) {
  std::string text;
  for (std::size_t i = 0; i < 40; ++i)
    text += "word" + std::to_string((number * 7919 + i * 104729) % 10007) + " ";
  return text;
}

}

TEST_CASE("an index adds what was appended since the last update, and reads no more") {
  World world;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 200; ++i) texts.push_back(filler(i));
  world.write("s1", texts);
  world.write("s2", texts);
  sk::SearchIndexUpdate first = world.update({"s1", "s2"});
  CHECK((first.sessions == 2 && first.entries == 402 && first.restarted == 0 && first.failures.empty()));
  CHECK(first.bytes > 0);

  world.reset();
  CHECK(world.update({"s1", "s2"}).entries == 0);
  CHECK(world.store_ops.calls(Call::open) == 0);
  CHECK(world.index_ops.bytes_written == 0);

  world.append("s1", message_line("new", "", "velvetcandle") + "\n");
  REQUIRE(world.store->info(id_of("s1")));
  world.reset();
  sk::SearchIndexUpdate const second = world.update({"s1", "s2"});
  CHECK((second.sessions == 1 && second.entries == 1 && second.restarted == 0));
  CHECK(world.store_ops.bytes_read < 40000); // s1 has more than 100,000
  CHECK(world.find({"s1", "s2"}, {"velvetcandle"}) == Ids{"s1/new"});
}

TEST_CASE("a search reads no log that cannot have the text, and a small part of the index") {
  World world;
  std::vector<std::string> ids;
  for (std::size_t session = 0; session < 30; ++session) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < 100; ++i) texts.push_back(filler(session * 100 + i));
    if (session == 17) texts[50] += "velvetcandle";
    ids.push_back("s" + std::to_string(session));
    world.write(ids.back(), texts);
  }
  std::uint64_t const size = world.update(ids).bytes;
  CHECK(world.find(ids, {"velvetcandle"}) == Ids{"s17/m50"});
  world.reset();
  CHECK(world.find(ids, {"velvetcandle"}) == Ids{"s17/m50"});
  CHECK(world.store_ops.calls(Call::open) == 1);
  CHECK(world.store_ops.calls(Call::status_at) <= 31);
  CHECK(world.store_ops.bytes_read < 30000); // a log has more than 40,000
  CHECK(world.index_ops.bytes_read < size / 2);
  CHECK(world.index_ops.calls(Call::pread) <= 10);
  world.reset();
  CHECK(world.find(ids, {"xyzzy"}).empty());
  CHECK(world.store_ops.calls(Call::open) == 0);
}

TEST_CASE("a search finds what the index does not have yet") {
  World world;
  world.write("s1", {"needle one", "hay"});
  world.write("s2", {"needle two"});
  world.update({"s1"});
  world.append("s1", message_line("late", "", "needle three") + "\n");
  CHECK(world.find({"s1", "s2"}, {"needle"}) == Ids{"s1/m0", "s1/late", "s2/m0"});
  CHECK(world.find({"s1"}, {"needle three"}) == Ids{"s1/late"}); // nothing else is read
  world.write("s1", {"another needle"});                         // shorter
  CHECK(world.find({"s1", "s2"}, {"needle"}) == Ids{"s1/m0", "s2/m0"});
  CHECK(world.find({"s1", "s2"}, {"needle one"}).empty());
  CHECK(world.update({"s1", "s2"}).restarted == 1);
  CHECK(world.find({"s1"}, {"another needle"}) == Ids{"s1/m0"});
}

TEST_CASE("the last record is found after its line got its line end") {
  World world;
  world.write("s1", {filler(1), filler(2), filler(3)});
  world.append("s1", message_line("last", "", "needle"));
  sk::SearchIndexAccess::set_sizes(world.index, {200, 100000}); // a block for each line
  world.update({"s1"});
  CHECK(world.find({"s1"}, {"needle"}) == Ids{"s1/last"});
  world.append("s1", "\n");
  CHECK(world.find({"s1"}, {"needle"}) == Ids{"s1/last"});
  world.append("s1", message_line("late", "", "needle") + "\n");
  CHECK(world.find({"s1"}, {"needle"}) == Ids{"s1/last", "s1/late"});
  world.update({"s1"});
  CHECK(world.find({"s1"}, {"needle"}) == Ids{"s1/last", "s1/late"});
}

TEST_CASE("a log that was replaced by a longer one is read again") {
  World world;
  world.write("s1", {"hay", "hay"});
  world.update({"s1"});
  world.write("s1", {"a needle", "hay", "hay"});
  CHECK(world.find({"s1"}, {"needle"}) == Ids{"s1/m0"});
  auto const report = world.update({"s1"});
  CHECK((report.restarted == 1 && report.entries == 4));
  CHECK(world.find({"s1"}, {"needle"}) == Ids{"s1/m0"});
}

TEST_CASE("a session that was removed is a failure of the search, as without an index") {
  World world;
  world.write("s1", {"needle"});
  world.update({"s1"});
  REQUIRE(world.store->remove(id_of("s1")));
  auto const page = world.index.search(*world.store, {id_of("s1")}, {"needle"}).value();
  REQUIRE(page.failures.size() == 1);
  CHECK(page.failures[0].error.code == sk::Errc::not_found);
  CHECK(world.update({"s1"}).failures.size() == 1);
}

TEST_CASE("a session that cannot be read is a failure of the search, although the index knows it") {
  World world;
  world.write("s1", {"hay"});
  world.update({"s1"});
  world.append("s1", message_line("late", "", "needle") + "\n");
  world.reset();
  world.store_ops.only = Call::open;
  world.store_ops.fault = {0, sk::detail::system_code(sk::detail::SystemFault::input_or_output), true, false};
  auto const page = world.index.search(*world.store, {id_of("s1")}, {"needle"}).value();
  REQUIRE(page.failures.size() == 1);
  CHECK(page.failures[0].error.code == sk::Errc::io_error);
}

TEST_CASE("a text of one or two bytes is found without the index") {
  World world;
  world.write("s1", {"ab", "日本"});
  world.update({"s1"});
  CHECK(world.find({"s1"}, {"b"}) == Ids{"s1/m0"});
  CHECK(world.find({"s1"}, {"日"}) == Ids{"s1/m1"});       // three bytes
  CHECK(world.find({"s1"}, {"\xE6\x97"}) == Ids{"s1/m1"}); // a part of a character
  CHECK(world.index.search(*world.store, {id_of("s1")}, {""}).error().code == sk::Errc::invalid_argument);
}

TEST_CASE("small updates are merged, and the files of before are removed") {
  World world;
  world.write("s1", {"first"});
  for (std::size_t i = 0; i < 200; ++i) {
    world.append("s1", message_line("n" + std::to_string(i), "", filler(i)) + "\n");
    world.update({"s1"});
    REQUIRE(world.segments().size() <= 8);
  }
  CHECK(world.find({"s1"}, {filler(137)}) == Ids{"s1/n137"});
  world.reset();
  CHECK(world.find({"s1"}, {"xyzzy"}).empty());
  CHECK(world.store_ops.calls(Call::open) == 0);
}

TEST_CASE("removed sessions leave the index when its files are merged") {
  World world;
  world.write("s1", {filler(1), filler(2), filler(3), filler(4)});
  world.write("s2", {"first"});
  world.update({"s1", "s2"});
  REQUIRE(world.store->remove(id_of("s1")));
  for (std::size_t i = 0; i < 8; ++i) {
    world.append("s2", message_line("n" + std::to_string(i), "", filler(10 + i)) + "\n");
    world.update({"s2"});
  }
  auto alone = sk::SearchIndex::open(world.dir / "alone").value();
  std::uint64_t const bytes = alone.update(*world.store, {id_of("s2")}).value().bytes;
  CHECK(world.update({}).bytes < bytes + bytes / 10);
}

TEST_CASE("another process sees each update, and only one process updates at once") {
  World world;
  world.write("s1", {"needle"});
  auto other = sk::SearchIndex::open(world.dir / "index").value();
  REQUIRE(other.update(*world.store, {id_of("s1")}));
  world.reset();
  CHECK(world.find({"s1"}, {"xyzzy"}).empty());
  CHECK(world.store_ops.calls(Call::open) == 0);

  sk::detail::FileOps& ops = sk::detail::system_file_ops();
  int const lock = ops.open(sk::detail::working_directory, (world.dir / "index/.lock").c_str(),
                            sk::detail::OpenFlags::read | sk::detail::OpenFlags::write);
  REQUIRE(ops.try_lock(lock) == 0);
  CHECK(world.index.update(*world.store, {id_of("s1")}).error().code == sk::Errc::timed_out);
  CHECK(world.find({"s1"}, {"needle"}) == Ids{"s1/m0"});
  ops.close(lock);
  CHECK(world.index.update(*world.store, {id_of("s1")}));
}

TEST_CASE("a damaged index hides nothing, and the next update makes it again") {
  for (bool const reopened : {false, true}) {
    CAPTURE(reopened);
    World world;
    world.write("s1", {"needle", filler(1)});
    world.update({"s1"});
    REQUIRE(world.segments().size() == 1);
    std::string const file = world.segments().front();
    std::string bytes = read_file(file);
    for (std::size_t i = 0; i < bytes.size(); i += 50) bytes[i] = static_cast<char>(bytes[i] ^ 1);
    write_file(file, bytes);
    if (reopened) world.index = world.open();
    CHECK(world.find({"s1"}, {"needle"}) == Ids{"s1/m0"});
    auto const report = world.update({"s1"});
    CHECK((report.dropped == 1 && report.entries == 3));
    CHECK(world.find({"s1"}, {"needle"}) == Ids{"s1/m0"});
    world.reset();
    CHECK(world.find({"s1"}, {"xyzzy"}).empty());
    CHECK(world.store_ops.calls(Call::open) == 0);
    CHECK(world.update({"s1"}).dropped == 0);
  }
}

TEST_CASE("an index is not created unasked, and not used in a forked child") {
  World world;
  sk::SearchIndexOptions options;
  options.create = false;
  CHECK(sk::SearchIndex::open(world.dir / "none", options).error().code == sk::Errc::not_found);
  world.index_ops.pretend_process = 1;
  CHECK(world.index.search(*world.store, {}, {"needle"}).error().code == sk::Errc::forked);
  CHECK(world.index.update(*world.store, {}).error().code == sk::Errc::forked);
}

TEST_CASE("an index is opened in a directory that others may write to only if that is wished") {
  World world;
  std::filesystem::create_directory(world.dir / "open");
  std::filesystem::permissions(world.dir / "open", std::filesystem::perms::all);
  CHECK(sk::SearchIndex::open(world.dir / "open").error().code == sk::Errc::unsafe_path);
  sk::SearchIndexOptions options;
  options.allow_shared_directory = true;
  CHECK(sk::SearchIndex::open(world.dir / "open", options));
}

TEST_CASE("an index has no lines after a line that is too long for its store") {
  World world;
  world.write("s1", {"short", std::string(5000, 'x') + "needle", "late"});
  sk::FileStoreOptions options = unsynced();
  options.max_line = 2000;
  auto const small = open_with(world.store_ops, world.dir.path(), options);
  REQUIRE(world.index.update(*small, {id_of("s1")}));
  CHECK(world.find({"s1"}, {"needle"}) == Ids{"s1/m1"});
  CHECK(world.find({"s1"}, {"late"}) == Ids{"s1/m2"});
}

TEST_CASE("a failing call while an index is read or updated hides nothing") {
  World world;
  std::vector<std::string> const ids{"s1", "s2"};
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 30; ++i) texts.push_back(filler(i) + (i % 10 == 0 ? "needle" : ""));
  for (auto const& id : ids) world.write(id, texts);
  Ids const all = [&] {
    Ids found;
    for (auto const& hit : sk::search(*world.store, World::ids_of(ids), {"needle"}).value().hits)
      found.push_back(hit.session.str() + "/" + hit.entry.id.str());
    return found;
  }();
  REQUIRE(all.size() == 6);
  for (bool const sticky : {false, true})
    for (std::int64_t at = 0, reached = 1; reached > 0; ++at) {
      CAPTURE(at, sticky);
      std::filesystem::remove_all(world.dir / "index");
      world.reset();
      world.index = world.open();
      sk::SearchIndexAccess::set_sizes(world.index, {1500, 2000}); // several segments, and a merge
      world.reset();
      world.index_ops.fault = {at, sk::detail::system_code(sk::detail::SystemFault::input_or_output), sticky,
                               false};
      bool const updated = world.index.update(*world.store, World::ids_of(ids)).ok();
      CHECK(world.find(ids, {"needle"}) == all);
      reached = world.index_ops.fired;
      world.reset();
      CHECK(world.find(ids, {"needle"}) == all);
      CHECK((updated || reached > 0));
      REQUIRE(world.index.update(*world.store, World::ids_of(ids)));
      CHECK(world.find(ids, {"needle"}) == all);
      world.reset();
      CHECK(world.find(ids, {"xyzzy"}).empty());
      CHECK(world.store_ops.calls(Call::open) == 0);
      CHECK(world.segments().size() <= 4);
    }
}
