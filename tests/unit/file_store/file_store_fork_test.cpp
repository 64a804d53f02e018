// SPDX-License-Identifier: MIT
// What a forked child gets, also if a thread of the parent is within a call, and holds its locks.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/file_store.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/file_store/transcript_store.hpp>
#include <sessionkit/detail/transcript/file_writer.hpp>
#include <sessionkit/detail/upkeep/channel_log.hpp>
#include <sessionkit/file_store.hpp>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;

namespace {

/// Stops the thread that makes the n-th call until it is let go.
class StoppingOps final : public FaultyFileOps {
 public:
  StoppingOps() {
    before = [this](Call) { stop_here(); };
  }
  int process() override { return real().process(); } // takes no lock

  void arm(int at) {
    std::lock_guard<std::mutex> const lock(mutex_);
    at_ = at;
    stopped_ = false;
  }
  // False: the work ended without so many calls.
  bool wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || at_ < 0; });
    return stopped_;
  }
  void let_go() {
    std::lock_guard<std::mutex> const lock(mutex_);
    at_ = -1;
    changed_.notify_all();
  }

 private:
  void stop_here() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (at_ < 0 || at_-- > 0) return;
    at_ = 0;
    stopped_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return at_ < 0; });
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  int at_ = -1;
  bool stopped_ = false;
};

template <class T> bool is_forked(sk::Result<T> const& result) {
  return !result && result.error().code == Errc::forked;
}

// Runs `ask` in a child. 0: all of its calls answered `forked`; 255: it did not end.
template <class Ask> int in_child(Ask const& ask) {
  pid_t const child = ::fork();
  if (child == 0) {
    ::signal(SIGALRM, SIG_DFL);
    ::alarm(10);
    ::_exit(ask());
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

// Stops `work` at each of its system calls, forks there, and asks.
template <class Work, class Ask> int forks_at_each_call(StoppingOps& ops, Work const& work, Ask const& ask) {
  int forks = 0;
  for (bool stopped = true; stopped; ++forks) {
    ops.arm(forks);
    std::thread busy([&] {
      work();
      ops.let_go();
    });
    stopped = ops.wait();
    int const answer = stopped ? in_child(ask) : 0;
    ops.let_go();
    busy.join();
    INFO("forked at call " << forks << " of the other thread; the first wrong answer is that of call "
                           << answer);
    REQUIRE(answer == 0);
  }
  return forks - 1;
}

// The number of the first call that does not answer `forked`; 0: all do.
int calls_of(sk::SessionStore& store, Batch const& batch, Batch const& start) {
  if (!is_forked(store.append(id_of("s1"), batch))) return 1;
  if (!is_forked(store.append(id_of("new"), start))) return 2;
  if (!is_forked(store.read(id_of("s1"), {}))) return 3;
  if (!is_forked(store.info(id_of("s1")))) return 4;
  if (!is_forked(store.list({}))) return 5;
  if (!is_forked(store.remove(id_of("s1")))) return 6;
  if (!is_forked(sk::durable_position(store, id_of("s1")))) return 7;
  if (!is_forked(sk::exists(store, id_of("s1")))) return 8;
  if (!sk::transcript_path(store, id_of("s1")).empty()) return 9;
  return 0;
}

}

TEST_CASE("in a forked child every call of a file store answers forked, whatever locks other threads held") {
  for (sk::Profile const& profile : {sk::profiles::native, sk::profiles::claw0}) {
    TempDir dir;
    StoppingOps ops;
    sk::FileStoreOptions options;
    options.profile = profile;
    auto store = sk::detail::open_file_store(ops, dir.path(), options).value();
    Position end = start(*store, "s1");
    Batch const first({message_line("x", "", "x")}, end), begin({header_line("new")});
    int n = 0;
    auto const work = [&] {
      end = store->append(id_of("s1"), Batch({message_line("n" + std::to_string(++n), "", "n")}, end, true))
                .value();
      start(*store, "s2");
      (void)store->list({}).value();
      (void)store->info(id_of("s1")).value();
      (void)store->read(id_of("s1"), {}).value();
      (void)sk::durable_position(*store, id_of("s1")).value();
      store->remove(id_of("s2")).value();
    };
    int const forks = forks_at_each_call(ops, work, [&] { return calls_of(*store, first, begin); });
    CHECK(forks > 30);
    CHECK(store->info(id_of("s1")).value().messages == static_cast<std::uint64_t>(1 + n));
  }
}

TEST_CASE("in a forked child every call of a transcript's store answers forked, whatever locks other threads "
          "held") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  write_file(path, header_line("s1") + "\n");
  StoppingOps ops;
  auto store = sk::detail::open_transcript(ops, path, {}).value();
  Position end{read_file(path).size()};
  Batch const first({message_line("x", "", "x")}, end), begin({header_line("new")});
  int n = 0;
  auto const work = [&] {
    end = store->append(id_of("s1"), Batch({message_line("n" + std::to_string(++n), "", "n")}, end, true))
              .value();
    (void)store->info(id_of("s1")).value();
    (void)store->list({}).value();
  };
  CHECK(forks_at_each_call(ops, work, [&] { return calls_of(*store, first, begin); }) > 8);
}

TEST_CASE("in a forked child a writer answers forked, and knows nothing to be durable") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  StoppingOps ops;
  sk::WriterOptions options;
  options.create = true;
  auto writer =
      sk::detail::FileWriter::open(ops, {sk::detail::working_directory, path, path}, options).value();
  Position end = writer.append(Batch({header_line("s1")}, {}, true)).value();
  REQUIRE(writer.durable_position() == end);
  Batch const first({message_line("x", "", "x")}, end);
  int n = 0;
  auto const work = [&] {
    end = writer.append(Batch({message_line("n" + std::to_string(++n), "", "n")}, end, true)).value();
  };
  auto const ask = [&] {
    return is_forked(writer.append(first)) && writer.durable_position() == Position{} ? 0 : 1;
  };
  CHECK(forks_at_each_call(ops, work, ask) >= 4);
}

TEST_CASE("a child process must not append through its parent's store") {
  TempDir dir;
  auto store = open_store(dir.path());
  Position const end = start(*store, "s1");
  Batch const to_old({message_line("m2", "m1", "x")}, end), to_new({header_line("s2")});
  pid_t const child = ::fork();
  if (child == 0) {
    auto const first = store->append(id_of("s1"), to_old);
    auto const second = store->append(id_of("s2"), to_new);
    ::_exit(!first && first.error().code == Errc::forked && !second && second.error().code == Errc::forked
                ? 0
                : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(store->append(id_of("s1"), to_old).ok());
}
