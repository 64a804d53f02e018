// SPDX-License-Identifier: MIT
// Lists of the newest sessions that read only the end of a large index.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/file_store.hpp"
#include "support/long_form.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/file_store/index_codec.hpp>
#include <sessionkit/detail/file_store/newest_rows.hpp>
#include <sessionkit/session_info.hpp>

#include <cstdio>
#include <fstream>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::detail::IndexRows;
using sk::detail::NewestRows;
using sk::detail::TimeScope;

namespace {

TimeScope const fine{"start/mount/device", true}, proves_nothing{};

std::string line_at(std::string const& id, std::string const& parent, std::size_t seconds) {
  return R"({"type":"message","id":")" + id + R"(","parentId":)"
         + (parent.empty() ? "null" : '"' + parent + '"') + R"(,"timestamp":")"
         + sk::to_rfc3339(sk::from_unix_ms(1'762'243'200'000 + 1000 * std::int64_t(seconds)))
         + R"(","message":{"role":"user","content":"said"}})";
}

std::shared_ptr<sk::SessionStore> open_in(FaultyFileOps& ops, std::string const& root, TimeScope const& scope,
                                          bool read_only = false) {
  ops.pretend_scope = scope;
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  options.read_only = read_only;
  return sk::detail::open_file_store(ops, root, options).value();
}

// Sessions `s0`, `s1`, ...; each has a time of its own, in no order of the ids.
void make_sessions(FaultyFileOps& ops, std::string const& root, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::string const id = "s" + std::to_string(i);
    write_file(root + "/" + id + ".jsonl",
               header_line(id) + "\n" + line_at("a", "", i * 7919 % count) + "\n");
  }
  ops.pretend_scope = fine;
  REQUIRE(sk::detail::reindex_file_store(ops, root, {}, {}).value() == count);
  REQUIRE(open_in(ops, root, fine)->list({}).ok()); // it notes the version of the directory
}

struct Row {
  std::string id;
  std::uint64_t messages;
  bool operator==(Row const& other) const { return id == other.id && messages == other.messages; }
};
struct Page {
  std::vector<Row> rows;
  std::string next;
  bool operator==(Page const& other) const { return rows == other.rows && next == other.next; }
};
std::ostream& operator<<(std::ostream& out, Page const& page) {
  for (Row const& row : page.rows) out << row.id << ":" << row.messages << " ";
  return out << page.next;
}

Page page_in(sk::SessionStore& store, sk::ListQuery const& query) {
  sk::SessionPage const page = store.list(query).value();
  Page out{{}, page.next};
  for (auto const& info : page.sessions) out.rows.push_back({info.id.str(), info.messages});
  return out;
}

sk::ListQuery first_page() {
  sk::ListQuery query;
  query.limit = 50;
  return query;
}

// The list of a process that reads the whole index and compares each row with its transcript.
Page compared_page(std::string const& root, sk::ListQuery const& query = first_page()) {
  FaultyFileOps ops;
  return page_in(*open_in(ops, root, proves_nothing, true), query);
}

// The list of a process whose first list may read only the end of the index, and whether it did.
struct FirstList {
  Page page;
  bool read_all = false;
};
FirstList first_list(std::string const& root, sk::ListQuery const& query = first_page(),
                     bool read_only = false) {
  FaultyFileOps ops;
  auto const store = open_in(ops, root, fine, read_only);
  ops.reset();
  Page page = page_in(*store, query);
  struct stat index;
  REQUIRE(::stat((root + "/sessions.json").c_str(), &index) == 0);
  return {std::move(page), ops.bytes_read > static_cast<std::uint64_t>(index.st_size)};
}

// Appends a message to a session that another program has not changed meanwhile, or makes the session.
void speak(sk::SessionStore& store, std::string const& id, std::size_t seconds) {
  auto const known = store.info(id_of(id));
  sk::SessionInfo const before = known ? *known : sk::make_session_info(id_of(id));
  std::vector<std::string> lines;
  if (!known) lines.push_back(header_line(id));
  lines.push_back(line_at("m" + std::to_string(before.entries), before.last.str(), seconds));
  Batch batch(lines, before.end, true);
  sk::SessionInfo const after = folded(before, batch, before.end);
  batch.append.after = &after;
  store.append(id_of(id), batch).value();
}

}

TEST_CASE("the first list of a process reads the end of a large index, and looks at the shown transcripts") {
  std::optional<std::uint64_t> bytes;
  for (std::size_t const count : {5'000U, 20'000U}) {
    TempDir dir;
    FaultyFileOps ops;
    make_sessions(ops, dir.path(), count);
    ops.reset();
    auto const store = open_in(ops, dir.path(), fine);
    std::int64_t const opened = ops.calls(Call::open);
    std::uint64_t const before = ops.bytes_read;
    Page const page = page_in(*store, first_page());
    std::uint64_t const read = ops.bytes_read - before;
    CHECK(page.rows.size() == 50);
    CHECK(ops.calls(Call::list) == 0);
    CHECK(ops.calls(Call::open) - opened <= 3); // the start of the machine, the snapshot, the journal
    CHECK(ops.calls(Call::status_at) <= 51 + 4);
    CHECK(ops.calls() <= 160);
    CHECK(read <= NewestRows::most_bytes + 4096);
    CHECK(read <= bytes.value_or(read) + 1000); // the same, whatever the number of sessions
    bytes = read;
    CHECK(page == page_in(*store, first_page())); // which reads the rest
    CHECK(ops.bytes_read - before > 200 * count);
  }
}

TEST_CASE("a list from the end of the index equals one from all of it, whatever happened before") {
  constexpr std::size_t sessions = 1300, rounds = 60 / sanitizer_share;
  TempDir dir;
  {
    FaultyFileOps ops;
    make_sessions(ops, dir.path(), sessions);
  }
  Random random(20261128);
  FaultyFileOps ops;
  std::vector<std::shared_ptr<sk::SessionStore>> running; // processes that go on
  std::size_t made = 0, short_ones = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    auto store = open_in(ops, dir.path(), fine);
    Page const shown = compared_page(dir.path());
    for (std::size_t change = random.below(4); change-- > 0;) {
      std::string const any = "s" + std::to_string(random.below(sessions));
      std::string const top = shown.rows[random.below(shown.rows.size())].id;
      std::string const& id = random.one_in(2) ? any : top;
      switch (random.below(7)) {
      case 0: (void)store->remove(id_of(id)); break;
      case 1: speak(*store, "new" + std::to_string(made++), random.below(2 * sessions)); break;
      case 2: // another program, to a session that is shown
        std::ofstream(dir / (top + ".jsonl"), std::ios::app) << line_at("x", "", 3 * sessions) << "\n";
        break;
      case 3: { // another program makes a session
        std::string const other = "other" + std::to_string(made++);
        write_file(dir / (other + ".jsonl"),
                   header_line(other) + "\n" + line_at("a", "", 4 * sessions) + "\n");
        break;
      }
      default: speak(*store, id, random.below(2 * sessions));
      }
    }
    if (random.one_in(4)) running.push_back(store);
    store.reset();
    for (std::size_t const limit : {50U, 127U, 50U}) {
      sk::ListQuery query;
      query.limit = limit;
      FirstList const first = first_list(dir.path(), query);
      REQUIRE(first.page == compared_page(dir.path(), query));
      short_ones += first.read_all ? 0U : 1U;
    }
    if (random.one_in(8)) running.clear();
  }
  CHECK(short_ones > 30 / sanitizer_share);
}

TEST_CASE("pages and filters of a list from the end of the index equal those from all of it") {
  TempDir dir;
  FaultyFileOps ops;
  make_sessions(ops, dir.path(), 1500);
  sk::ListQuery query = first_page();
  for (int page = 0; page < 4; ++page) {
    CAPTURE(page);
    FirstList const first = first_list(dir.path(), query);
    CHECK(first.page == compared_page(dir.path(), query));
    CHECK(first.read_all == (page >= 2)); // the end has 128 rows
    query.cursor = first.page.next;
  }
  query = first_page();
  query.archived = false;
  CHECK_FALSE(first_list(dir.path(), query).read_all);
  query.archived = true;
  CHECK(first_list(dir.path(), query).read_all); // none of the newest is
  CHECK(first_list(dir.path(), query).page.rows.empty());
  query.cursor = "no cursor";
  CHECK(open_in(ops, dir.path(), fine)->list(query).error().code == sk::Errc::invalid_argument);
}

TEST_CASE(
    "rows of the journal that became older are shown after rows that the end of the index does not have") {
  TempDir dir;
  FaultyFileOps ops;
  make_sessions(ops, dir.path(), 1500);
  sk::ListQuery query = first_page();
  query.limit = NewestRows::most_rows - 1;
  {
    auto const store = open_in(ops, dir.path(), fine);
    for (Row const& row : compared_page(dir.path()).rows) speak(*store, row.id, 700);
  }
  FirstList const first = first_list(dir.path(), query);
  CHECK(first.page == compared_page(dir.path(), query));
  CHECK(first.read_all);
  CHECK_FALSE(first_list(dir.path()).read_all);
}

TEST_CASE("the end of an index is not believed if a byte of it changed, or if the times prove nothing") {
  TempDir dir;
  FaultyFileOps ops;
  make_sessions(ops, dir.path(), 1200);
  std::string const path = dir / "sessions.json", good = read_file(path);
  Page const right = compared_page(dir.path());
  {
    FaultyFileOps other;
    auto const store = open_in(other, dir.path(), {"another start", true}, true);
    CHECK(page_in(*store, first_page()) == right);
    CHECK(other.bytes_read > good.size());
  }
  std::size_t const begin = good.size() - NewestRows::most_bytes;
  for (std::size_t at = begin + 1; at < good.size();
       at += at + 200 < good.size() ? 7919U : 3U * sanitizer_share) {
    CAPTURE(at - begin);
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    for (std::string const& bytes : {bad, good.substr(0, at)}) {
      write_file(path, bytes);
      REQUIRE(first_list(dir.path(), first_page(), true).page == right);
    }
  }
  std::string bad = good;
  std::string_view const count = "\"messageCount\":";
  for (std::size_t at = good.find("\"sessionkitNewest\""); (at = good.find(count, at)) != good.npos; ++at)
    bad[at + count.size()] = '7';
  REQUIRE(bad != good);
  write_file(path, bad);
  CHECK(first_list(dir.path(), first_page(), true).page == right);
  write_file(path, good);
  CHECK_FALSE(first_list(dir.path(), first_page(), true).read_all);
}

TEST_CASE(
    "each call of writing a large index fails once and always: the first list of the next process is right") {
  TempDir dir;
  {
    FaultyFileOps ops;
    make_sessions(ops, dir.path(), 1200);
  }
  for (bool const always : {false, true}) {
    bool failed = true;
    for (std::int64_t at = 0; failed; ++at) {
      CAPTURE(always, at);
      Page const before = compared_page(dir.path());
      sk::SessionId const id = id_of(before.rows[static_cast<std::size_t>(at) % before.rows.size()].id);
      {
        FaultyFileOps ops;
        auto store = open_in(ops, dir.path(), fine);
        REQUIRE(store->info(id).ok()); // reads the index
        ops.reset();
        ops.fault.at = at;
        ops.fault.sticky = always;
        (void)store->remove_permanently(id); // writes all of the index
        store.reset();
        failed = ops.fired > 0;
      }
      for (int again = 0; again < 2; ++again)
        REQUIRE(first_list(dir.path()).page == compared_page(dir.path()));
    }
  }
}

TEST_CASE("the newest rows in an index are no rows for a reader of all of it, and are not kept") {
  IndexRows rows;
  for (int i = 0; i < 1100; ++i) {
    sk::SessionInfo info = sk::make_session_info(id_of("s" + std::to_string(i)));
    info.updated = sk::from_unix_ms(1000 + i);
    info.end = sk::Position{10};
    rows.put({info});
  }
  std::string const plain = sk::detail::write_session_index(rows);
  std::string text = plain;
  NewestRows::add_to(text, rows);
  REQUIRE(text.size() > plain.size() + 1000);
  sk::detail::IndexRows const parsed = sk::detail::parse_session_index(text).value();
  CHECK(parsed.members.empty());
  CHECK(sk::detail::write_session_index(parsed) == plain);
  IndexRows few;
  few.put({sk::make_session_info(id_of("s1"))});
  std::string small = sk::detail::write_session_index(few);
  std::string const before = small;
  NewestRows::add_to(small, few);
  CHECK(small == before);
}
