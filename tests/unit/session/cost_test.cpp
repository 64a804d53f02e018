// SPDX-License-Identifier: MIT
// The cost of operations, counted in system calls and bytes, which is the same on any machine.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/logs.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/file_store/transcript_store.hpp>
#include <sessionkit/detail/transcript/verify.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

using namespace sessionkit_test;

namespace {

constexpr std::size_t kib = 1024, mib = kib * kib;

/// A conversation of messages of about 1.5 kB, in which a compaction keeps the last `kept` bytes.
struct Conversation {
  std::string bytes;
  std::size_t kept = 0;

  Conversation(std::size_t size, std::size_t wanted) {
    bytes = log_header("s1") + '\n';
    while (bytes.size() + wanted < size) say();
    std::string const first = "e" + std::to_string(count_);
    std::size_t const begin = bytes.size();
    while (bytes.size() < begin + wanted / 2) say();
    std::string const id = "c";
    bytes += compaction_line(id, last_, "what was said before", first) + '\n';
    last_ = id;
    while (bytes.size() < begin + wanted) say();
    kept = bytes.size() - begin;
  }

 private:
  void say() {
    std::string const id = "e" + std::to_string(count_);
    bytes += message_line(id, last_, count_ % 2 == 0 ? "user" : "assistant", std::string(1300, 'x')) + '\n';
    last_ = id;
    ++count_;
  }
  std::string last_;
  int count_ = 0;
};

/// The log of a session with a header, to which messages are appended.
class Appending {
 public:
  explicit Appending(std::shared_ptr<sk::SessionStore> store) : store_(std::move(store)) {
    write("s1", "session", log_header("s1"), false);
  }
  /// Appends a message, and returns the size of its line.
  std::size_t append(std::string const& text, bool durable = false) {
    std::string const id = "e" + std::to_string(count_++), line = message_line(id, "", "user", text);
    write(id, "message", line, durable);
    return line.size();
  }

 private:
  void write(std::string const& id, char const* type, std::string const& line, bool durable) {
    sk::Append batch;
    batch.expected = end_;
    batch.durable = durable;
    batch.records.push_back({id, type, line, sk::Parent::root});
    end_ = store_->append(sid("s1"), batch).value();
  }

  std::shared_ptr<sk::SessionStore> store_;
  sk::Position end_;
  int count_ = 0;
};

/// A descriptor of a file, for readers.
class Opened {
 public:
  explicit Opened(std::string const& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    REQUIRE(descriptor >= 0);
  }
  Opened(Opened const&) = delete;
  Opened& operator=(Opened const&) = delete;
  ~Opened() { ::close(descriptor); }
  int descriptor;
};

}

TEST_CASE("resuming reads at most twice the kept bytes and 256 KiB, whatever the size of the file") {
  TempDir dir;
  FaultyFileOps ops;
  std::uint64_t at_first_size = 0;
  for (std::size_t const tail : {20 * kib, 172 * kib, 700 * kib}) {
    for (std::size_t const size : {1 * mib, 4 * mib, 16 * mib}) {
      CAPTURE(tail, size);
      Conversation const made(size, tail);
      std::string const path = dir / "s1.jsonl";
      write_file(path, made.bytes);
      auto const store = sk::detail::open_transcript(ops, path, {}).value();
      ops.reset();
      sk::Context const context = sk::load_context(*store, sid("s1")).value();
      REQUIRE(context.compaction.has_value());
      CHECK(ops.bytes_read <= 2 * made.kept + 256 * kib);
      if (size == 1 * mib) at_first_size = ops.bytes_read;
      CHECK(ops.bytes_read <= at_first_size + 8 * kib);
      CHECK(ops.largest_read <= 4 * mib);
    }
  }
}

TEST_CASE("an append is at most five system calls, one of them a write of the line, and none of the index") {
  TempDir dir;
  FaultyFileOps ops;
  Appending log(sk::detail::open_file_store(ops, dir.path(), {}).value());
  for (int i = 0; i < 50; ++i) {
    ops.reset();
    std::size_t const bytes = log.append(std::string(900, 'x'));
    CHECK(ops.calls() <= 5);
    CHECK(ops.calls(Call::write) == 1);
    CHECK(ops.bytes_written == bytes + 1);
    CHECK(ops.calls(Call::open) + ops.calls(Call::rename) + ops.calls(Call::sync_data) == 0);
    CHECK(ops.bytes_read == 0);
  }
}

TEST_CASE("a durable append costs one sync and no other call") {
  TempDir dir;
  FaultyFileOps ops;
  sk::FileStoreOptions options;
  options.durability = sk::Durability::entry;
  Appending log(sk::detail::open_file_store(ops, dir.path(), options).value());
  for (int i = 0; i < 20; ++i) {
    ops.reset();
    log.append("text");
    CHECK(ops.calls(Call::sync_data) == 1);
    CHECK(ops.calls(Call::sync) == 0);
    CHECK(ops.calls() <= 6);
  }
}

TEST_CASE("the end of a turn reads four blocks and the new entries, whatever the size of the transcript") {
  TempDir dir;
  FaultyFileOps ops;
  Appending log(sk::detail::open_file_store(ops, dir.path(), {}).value());
  for (int i = 0; i < 200; ++i) {
    ops.reset();
    std::size_t const bytes = log.append(std::string(200, 'x'), true);
    if (i == 0) continue; // the index begins
    CHECK(ops.bytes_read <= 4 * 4 * kib + bytes + 100);
    CHECK(ops.calls(Call::open) <= 3);
  }
}

TEST_CASE("listing known sessions reads no transcript") {
  TempDir dir;
  FaultyFileOps ops;
  constexpr int sessions = 300;
  for (int i = 0; i < sessions; ++i) {
    std::string const id = "s" + std::to_string(i);
    write_file(dir / (id + ".jsonl"),
               log_header(id) + '\n' + message_line("a", "", "user", std::string(5000, 'x')) + '\n');
  }
  auto const store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  sk::ListQuery query;
  query.limit = 50;
  CHECK(store->list(query).value().sessions.size() == 50);
  ops.reset();
  CHECK(store->list(query).value().sessions.size() == 50);
  CHECK(ops.bytes_read == 0);
  CHECK(ops.calls(Call::open) == 0);
}

TEST_CASE(
    "opening and listing a store in a new process reads the index and eight beginnings, and looks at the "
    "transcripts twice") {
  TempDir dir;
  constexpr int sessions = 300;
  sk::detail::TimeScope const scope{"start/mount/device", true};
  for (int i = 0; i < sessions; ++i) {
    std::string const id = "s" + std::to_string(i);
    write_file(dir / (id + ".jsonl"),
               log_header(id) + '\n' + message_line("a", "", "user", std::string(5000, 'x')) + '\n');
  }
  FaultyFileOps ops;
  ops.pretend_scope = scope;
  REQUIRE(sk::detail::reindex_file_store(ops, dir.path(), {}, {}).value() == sessions);
  std::uint64_t const index = read_file(dir / "sessions.json").size();
  ops.reset();
  auto const store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  CHECK(ops.calls(Call::open)
        <= 1 + 1 + 1 + 8);                // the directory, the index, the first transcript, eight of them
  CHECK(ops.calls(Call::pread) <= 1 + 8); // the first transcript is read once
  CHECK(ops.bytes_read <= 9 * 8 * kib);
  sk::ListQuery query;
  query.limit = sessions;
  ops.reset();
  CHECK(store->list(query).value().sessions.size() == sessions);
  CHECK(ops.bytes_read == index);
  CHECK(ops.calls(Call::open) == 1);
  CHECK(ops.calls(Call::status_at) <= 2 * sessions + 4);
}

TEST_CASE("a page of any file is read a bounded window at a time") {
  TempDir dir;
  FaultyFileOps ops;
  std::string const line = message_line("e", "", "user", std::string(40 * kib, 'x'));
  std::string many = log_header("s1") + '\n';
  while (many.size() < 24 * mib) many += line + '\n';
  std::string const one_long =
      log_header("s1") + '\n' + message_line("e", "", "user", std::string(24 * mib, 'x')) + '\n';
  std::string const zeros = log_header("s1") + '\n' + std::string(24 * mib, '\0');
  for (auto const* const bytes : {static_cast<std::string const*>(&many), &one_long, &zeros}) {
    write_file(dir / "s1.jsonl", *bytes);
    Opened const file(dir / "s1.jsonl");
    for (sk::ReadRange::Order const order : {sk::ReadRange::oldest_first, sk::ReadRange::newest_first}) {
      sk::detail::FileReader log(ops, file.descriptor, "s1.jsonl", {1 * mib});
      sk::ReadRange range;
      range.order = order;
      ops.reset();
      for (bool more = true; more;) {
        sk::RecordPage const page = log.read(range).value();
        more = page.more;
        range.from = page.next;
      }
      CHECK(ops.largest_read <= 4 * mib);
    }
    sk::detail::FileReader log(ops, file.descriptor, "s1.jsonl", {1 * mib});
    ops.reset();
    sk::detail::verify_transcript(log).value();
    CHECK(ops.largest_read <= 1 * mib);
    CHECK(ops.bytes_read <= 2 * bytes->size() + 4 * mib);
  }
}
