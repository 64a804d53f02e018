// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/conversations.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/shortened.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <cerrno>

#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::CompactionOutcome;

TEST_CASE("if the store's answer is lost, applying again stores the compaction once") {
  TempDir dir;
  FaultyFileOps ops;
  auto store = sk::detail::open_file_store(ops, dir / "s", {}).value();
  auto session = sk::Session::create(store).value();
  talk(session, 6);
  auto const plan = sk::plan_compaction(session.context().value(), small_policy());
  ops.reset();
  ops.only = Call::write;
  ops.fault = {0, ENOSPC, false, true}; // half of the line
  CHECK_FALSE(session.apply(*plan, "s").ok());
  ops.reset();
  CHECK(session.apply(*plan, "s").value() == CompactionOutcome::applied);
  std::size_t compactions = 0;
  for (auto const& entry : session.path().value()) compactions += entry.as<sk::Compaction>() != nullptr;
  CHECK(compactions == 1);
}

TEST_CASE("each system call of a compaction fails once and always: the old state is kept, or the new one") {
  int runs = 0, news = 0;
  for (int const error : {EIO, ENOSPC, EACCES}) {
    for (bool const sticky : {false, true}) {
      for (std::int64_t at = 0; at < 200; ++at, ++runs) {
        TempDir dir;
        FaultyFileOps ops;
        std::string before;
        bool acknowledged = false;
        {
          auto store = sk::detail::open_file_store(ops, dir / "s", {}).value();
          sk::NewSession about;
          about.id = the_session();
          auto session = sk::Session::create(store, about).value();
          talk(session, 6);
          before = read_file(dir / "s/s.jsonl");
          ops.reset();
          ops.fault = {at, error, sticky, false};
          ScriptedSummarizer summarizer;
          auto const outcome = session.compact(summarizer, small_policy());
          acknowledged = outcome && *outcome == CompactionOutcome::applied;
        }
        bool const done = ops.fired == 0;
        std::string const after = read_file(dir / "s/s.jsonl");
        CAPTURE(error, sticky, at);
        REQUIRE(after.compare(0, before.size(), before) == 0);
        auto session = sk::Session::open(sk::open_file_store(dir / "s").value(), the_session()).value();
        bool const is_new = session.context().value().compaction.has_value();
        REQUIRE((is_new || !acknowledged));
        REQUIRE(said(session).size() == (is_new ? 4 : 12));
        session.append(sk::user("on")).value();
        REQUIRE(said(session).size() == (is_new ? 5 : 13));
        news += is_new;
        if (done) break;
      }
    }
  }
  CHECK(runs > 20);
  CHECK(news > 0);
}

TEST_CASE("a process killed at any system call of a compaction leaves the old state or the new one") {
  int kills = 0, news = 0;
  for (int at = 0;; ++at) {
    TempDir dir;
    sk::NewSession about;
    about.id = the_session();
    {
      auto session = sk::Session::create(sk::open_file_store(dir / "s").value(), about).value();
      talk(session, 6);
    }
    std::string const before = read_file(dir / "s/s.jsonl");
    pid_t const child = ::fork();
    if (child == 0) {
      FaultyFileOps ops;
      int calls = 0;
      ops.before = [&](Call) {
        if (calls++ == at) ::_exit(9);
      };
      auto store = sk::detail::open_file_store(ops, dir / "s", {});
      auto session = sk::Session::open(*store, the_session());
      ScriptedSummarizer summarizer;
      bool const done = session && session->compact(summarizer, small_policy());
      ::_exit(done ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CAPTURE(at);
    REQUIRE(WEXITSTATUS(status) != 1);
    std::string const after = read_file(dir / "s/s.jsonl");
    REQUIRE(after.compare(0, before.size(), before) == 0);
    auto session = sk::Session::open(sk::open_file_store(dir / "s").value(), the_session()).value();
    bool const is_new = session.context().value().compaction.has_value();
    REQUIRE(said(session).size() == (is_new ? 4 : 12));
    session.append(sk::user("on")).value();
    REQUIRE(said(session).size() == (is_new ? 5 : 13));
    news += is_new;
    if (WEXITSTATUS(status) == 0) break;
    ++kills;
  }
  CHECK(kills > 10);
  CHECK(news > 1);
}
