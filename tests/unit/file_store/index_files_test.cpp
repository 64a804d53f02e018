// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/file_store/index_files.hpp>

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::detail::IndexFiles;
using sk::detail::JournalDelta;

namespace {

constexpr std::chrono::milliseconds patience{100};

std::string one_row() {
  sk::SessionInfo info = sk::make_session_info(sk::SessionId::parse("ses-1").value());
  info.title = "A title";
  info.end = sk::Position{987654};
  sk::detail::IndexRows rows;
  rows.put(sk::detail::IndexRow{std::move(info)});
  return sk::detail::write_session_index(rows);
}

sk::detail::IndexFilesOptions written_alone(bool synced) {
  sk::detail::IndexFilesOptions options;
  options.journal = false;
  options.synced = synced;
  return options;
}

}

TEST_CASE("the index is always the old or the new document, whatever call fails") {
  TempDir dir;
  int const directory = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::string const old_text = "{\"sessions\":{}}", new_text = one_row();
  int failures = 0;
  for (bool const sticky : {false, true}) {
    for (int const error : {EIO, ENOSPC, EACCES}) {
      for (std::int64_t at = 0;; ++at) {
        write_file(dir / "sessions.json", old_text);
        FaultyFileOps ops;
        IndexFiles file(ops, directory, dir.path(), written_alone(true));
        (void)file.look();
        ops.reset();
        ops.fault = {at, error, sticky, false};
        auto const result = file.replace([&](JournalDelta) { return new_text; }, patience);
        bool const fired = ops.fired > 0;
        std::string const now = read_file(dir / "sessions.json");
        CAPTURE(sticky, error, at);
        if (result)
          REQUIRE(now == new_text);
        else
          REQUIRE((now == old_text || now == new_text));
        failures += result ? 0 : 1;
        if (!fired) break;
      }
    }
  }
  CHECK(failures > 30);
  struct stat s;
  REQUIRE(::stat((dir / "sessions.json").c_str(), &s) == 0);
  CHECK((s.st_mode & 07777U) == 0600);
  REQUIRE(::stat((dir / ".lock").c_str(), &s) == 0);
  CHECK((s.st_mode & 07777U) == 0600);
  ::close(directory);
}

TEST_CASE("a large snapshot gets a journal at once, and if any call fails, a reader still sees each change") {
  TempDir dir;
  int const directory = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  sk::detail::IndexFilesOptions const options;
  std::string large = one_row();
  large.insert(1, "\"theirs\":\"" + std::string(300U << 10, 'x') + "\",");
  sk::detail::add_checksum(large);
  auto const change = [](JournalDelta) {
    sk::detail::IndexRow const row{sk::make_session_info(sk::SessionId::parse("ses-2").value())};
    std::string line;
    sk::detail::append_journal_line("ses-2", &row, line);
    return line;
  };
  int without_fault = 0, doubted = 0;
  for (int way = 0; way < 4; ++way) {
    for (std::int64_t at = 0;; ++at) {
      CAPTURE(way, at);
      (void)::unlink((dir / "sessions.journal").c_str());
      write_file(dir / "sessions.json", one_row());
      FaultyFileOps ops;
      IndexFiles file(ops, directory, dir.path(), options);
      (void)file.look();
      ops.reset();
      ops.fault = {at, way % 2 == 0 ? EIO : ENOSPC, way == 1, way == 3};
      bool const replaced = file.replace([&](JournalDelta) { return large; }, patience).ok();
      bool const fired = ops.fired > 0;
      ops.reset();
      if (!fired) CHECK(::access((dir / "sessions.journal").c_str(), F_OK) == 0);
      bool const appended = file.append(change, patience).ok();
      IndexFiles reader(sk::detail::system_file_ops(), directory, dir.path(), options);
      JournalDelta const seen = reader.look();
      REQUIRE(seen.state == JournalDelta::good);
      CHECK(seen.rows.has("ses-1"));
      CHECK((!appended || seen.rows.has("ses-2") || !seen.doubt.empty()));
      doubted += seen.doubt.empty() ? 0 : 1;
      if (fired) continue;
      CHECK((replaced && appended && seen.rows.has("ses-2")));
      CHECK(seen.doubt.empty());
      ++without_fault;
      break;
    }
  }
  CHECK(without_fault == 4);
  CHECK(doubted < 20);
  ::close(directory);
}

TEST_CASE("a new index and its name are synced if the store syncs at all") {
  TempDir dir;
  int const directory = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (bool const synced : {false, true}) {
    FaultyFileOps ops;
    IndexFiles file(ops, directory, dir.path(), written_alone(synced));
    REQUIRE(file.replace([](JournalDelta) { return std::string("{}"); }, patience).ok());
    CHECK(ops.calls(Call::sync) == (synced ? 2 : 0));
  }
  ::close(directory);
}

TEST_CASE("replacing the index shows what another process wrote in the meantime") {
  TempDir dir;
  int const directory = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  auto& ops = sk::detail::system_file_ops();
  IndexFiles ours(ops, directory, dir.path(), written_alone(false));
  IndexFiles theirs(ops, directory, dir.path(), written_alone(false));
  CHECK(ours.look().state == JournalDelta::missing);
  REQUIRE(theirs.replace([](JournalDelta) { return one_row(); }, patience).ok());
  bool seen = false;
  REQUIRE(ours.replace(
                  [&](JournalDelta delta) {
                    seen = delta.whole && delta.rows.has("ses-1");
                    return write_session_index(delta.rows);
                  },
                  patience)
              .ok());
  CHECK(seen);
  REQUIRE(ours.replace(
                  [&](JournalDelta delta) {
                    seen = delta.whole;
                    return std::string("{\"sessions\":{}}");
                  },
                  patience)
              .ok());
  CHECK_FALSE(seen); // our own writing is no change
  ::close(directory);
}

TEST_CASE("an index above 64 MiB is read where there are transcripts enough for it") {
  TempDir dir;
  int const directory = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::string text = one_row();
  text.insert(1, "\"theirs\":\"" + std::string((std::size_t{64} << 20) + 100'000, 'x') + "\",");
  write_file(dir / "sessions.json", text);
  for (std::size_t const transcripts : {std::size_t{1}, std::size_t{300}}) {
    sk::detail::IndexFilesOptions options = written_alone(false);
    options.transcripts = [transcripts] { return transcripts; };
    IndexFiles file(sk::detail::system_file_ops(), directory, dir.path(), options);
    CHECK(file.look().state == (transcripts == 1 ? JournalDelta::unreadable : JournalDelta::good));
  }
  ::close(directory);
}
