// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/one_file.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/memory_store.hpp>

#include <atomic>
#include <condition_variable>
#include <set>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;

namespace {

// The n-th sync of data works until the test lets it finish.
class SlowDisk : public FaultyFileOps {
 public:
  int slow_one = 0, failing_one = -1;
  int sync_data(int descriptor) override {
    FaultyFileOps::sync_data(descriptor);
    std::unique_lock<std::mutex> lock(mutex_);
    int const nth = syncs_++;
    changed_.notify_all();
    if (nth == slow_one) changed_.wait(lock, [&] { return open_; });
    return nth == failing_one ? -EIO : 0;
  }
  void wait_until_it_works() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return syncs_ > slow_one; });
  }
  void let_it_finish() {
    std::lock_guard<std::mutex> const lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  int syncs() {
    std::lock_guard<std::mutex> const lock(mutex_);
    return syncs_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int syncs_ = 0;
  bool open_ = false;
};

sk::SessionId const id = sk::SessionId::parse("s1").value();

// One thread whose sync takes long, and others that append at the same time.
struct Crowd {
  TempDir dir;
  SlowDisk disk;
  std::shared_ptr<sk::SessionStore> store;
  std::vector<std::thread> threads;
  std::vector<sk::Result<Position>> answers = {};
  std::mutex mutex;

  explicit Crowd(sk::Durability level = sk::Durability::entry) {
    sk::FileStoreOptions options;
    options.durability = level;
    store = sk::detail::open_file_store(disk, dir.path(), options).value();
  }
  ~Crowd() {
    disk.let_it_finish();
    for (auto& thread : threads) thread.join();
  }
  std::uint64_t size() const { return std::filesystem::file_size(dir / "s1.jsonl"); }
  Position start() {
    disk.slow_one = 1;
    return store->append(id, Batch({header_line()})).value();
  }
  // Returns when the line is in the file and the sync is running.
  void append(int number) {
    Position const end{size()};
    threads.emplace_back([this, number, end] {
      auto answer = store->append(id, Batch({message_line(std::to_string(number), "", "x")}, end));
      std::lock_guard<std::mutex> const lock(mutex);
      answers.push_back(std::move(answer));
    });
    while (size() == end.value()) std::this_thread::yield();
  }
  void finish() {
    disk.let_it_finish();
    for (auto& thread : threads) thread.join();
    threads.clear();
  }
  int reported(Errc code) const {
    int count = 0;
    for (auto const& answer : answers) count += !answer && answer.error().code == code ? 1 : 0;
    return count;
  }
  int acked() const {
    int count = 0;
    for (auto const& answer : answers) count += answer.ok() ? 1 : 0;
    return count;
  }
  void run(int writers) {
    start();
    append(0);
    disk.wait_until_it_works();
    for (int i = 1; i < writers; ++i) append(i);
    finish();
  }
};

}

TEST_CASE("threads that append while the disk works share the next sync") {
  Crowd crowd;
  crowd.run(8);
  CHECK(crowd.acked() == 8);
  CHECK(crowd.disk.syncs() == 3); // the header's, the slow one, and one for seven
  CHECK(sk::durable_position(*crowd.store, id).value() == Position{crowd.size()});
}

TEST_CASE("a failed sync is reported to every append it was to cover, and to all later ones") {
  Crowd crowd;
  crowd.disk.failing_one = 1;
  crowd.run(8);
  CHECK(crowd.acked() == 0);
  CHECK(crowd.reported(Errc::poisoned) == 8);
  for (auto const& answer : crowd.answers) CHECK(answer.error().system == EIO);
  CHECK(crowd.disk.syncs() == 2); // never tried again
  CHECK(crowd.store->append(id, Batch({}, Position{crowd.size()}, true)).error().code == Errc::poisoned);
  CHECK(crowd.disk.syncs() == 2);
  CHECK(sk::durable_position(*crowd.store, id).value() == Position{header_line().size() + 1});
}

TEST_CASE("appends that an earlier sync covered keep their success when the next one fails") {
  Crowd crowd;
  crowd.disk.failing_one = 2;
  crowd.run(8);
  CHECK(crowd.acked() == 1);
  CHECK(crowd.reported(Errc::poisoned) == 7);
  std::uint64_t const first = header_line().size() + message_line("0", "", "x").size() + 2;
  CHECK(sk::durable_position(*crowd.store, id).value() == Position{first});
}

TEST_CASE("a sync covers nothing that was written after it began") {
  Crowd crowd(sk::Durability::turn);
  Position const end = crowd.store->append(id, Batch({header_line()})).value(); // not synced
  CHECK(sk::durable_position(*crowd.store, id).value() == Position{});
  crowd.threads.emplace_back([&] { (void)crowd.store->append(id, Batch({}, end, true)).value(); });
  crowd.disk.wait_until_it_works();
  crowd.store->append(id, Batch({message_line("late", "", "x")}, end)).value();
  crowd.finish();
  CHECK(sk::durable_position(*crowd.store, id).value() == end);
  CHECK(end.value() < crowd.size());
}

namespace {
// Its time advances only when all threads have read the clock.
class SharedClock : public FaultyFileOps {
 public:
  std::size_t crowd = 1;
  std::chrono::steady_clock::time_point now() override {
    std::lock_guard<std::mutex> const lock(mutex_);
    seen_.insert(std::this_thread::get_id());
    changed_.notify_all();
    return std::chrono::steady_clock::time_point{} + passed_ + std::chrono::hours{1};
  }
  void pause(std::chrono::milliseconds time) override {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return seen_.size() >= crowd; });
    passed_ += time;
  }
  std::chrono::milliseconds passed() {
    std::lock_guard<std::mutex> const lock(mutex_);
    return passed_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::thread::id> seen_;
  std::chrono::milliseconds passed_{0};
};
}

TEST_CASE("threads that queue for a held lock all give up after the given time") {
  TempDir dir;
  SharedClock ops;
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  options.lock_wait = std::chrono::milliseconds{700};
  auto store = sk::detail::open_file_store(ops, dir.path(), options).value();
  Position const end = store->append(id, Batch({header_line()})).value();
  int const fd = ::open((dir / "s1.jsonl").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::flock(fd, LOCK_EX) == 0);
  std::vector<std::thread> threads;
  std::atomic<int> timed_out{0};
  ops.crowd = 5; // four, and this thread
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      auto const result = store->append(id, Batch({message_line(std::to_string(i), "", "x")}, end));
      timed_out += !result && result.error().code == Errc::timed_out ? 1 : 0;
    });
  for (auto& thread : threads) thread.join();
  CHECK(timed_out == 4);
  CHECK(ops.passed() == options.lock_wait); // not four times
  ::close(fd);
}

TEST_CASE("only stores of files report how far a session is on the disk") {
  TempDir dir;
  auto store = sk::open_file_store(dir.path()).value();
  CHECK(sk::durable_position(*store, id).error().code == Errc::not_found);
  Position const end = store->append(id, Batch({header_line()}, {}, true)).value();
  CHECK(sk::durable_position(*store, id).value() == end);
  Position const more = store->append(id, Batch({message_line("a", "", "x")}, end)).value();
  CHECK(sk::durable_position(*store, id).value() == end);
  auto one = sk::open_transcript(dir / "s1.jsonl").value();
  CHECK(sk::durable_position(*one, id).value() == Position{}); // this one has synced nothing
  CHECK(one->append(id, Batch({}, more, true)).ok());
  CHECK(sk::durable_position(*one, id).value() == more);
  CHECK(sk::durable_position(*sk::make_memory_store(), id).error().code == Errc::unsupported);
}

TEST_CASE("the directories of a new store are synced, and the one above at the first sync") {
  TempDir dir;
  for (auto const level : {sk::Durability::os, sk::Durability::turn}) {
    FaultyFileOps ops;
    sk::FileStoreOptions options;
    options.durability = level;
    std::string const root = dir / (level == sk::Durability::os ? "os/a/s" : "turn/a/s");
    bool const synced = level != sk::Durability::os;
    auto store = sk::detail::open_file_store(ops, root, options).value();
    CHECK(ops.calls(Call::sync) == 4); // once, at every level: three new directories and the one above
    store.reset();
    ops.reset();
    store = sk::detail::open_file_store(ops, root, options).value();
    CHECK(ops.calls(Call::sync) == 0); // it was there
    (void)store->append(id, Batch({header_line()}, {}, true)).value();
    CHECK(ops.calls(Call::sync_data) == (synced ? 1 : 0));
    CHECK(ops.calls(Call::sync) >= (synced ? 2 : 0)); // the store, the directory above, and the index
  }
}

namespace {

/// The directory `closed` can be passed, but not opened.
class PassableOps final : public FaultyFileOps {
 public:
  std::string closed;
  sk::detail::SystemFault refusal = sk::detail::SystemFault::no_access;
  int refused = 0;
  int open(int directory, char const* name, sk::detail::OpenFlags flags) override {
    if (name != closed) return FaultyFileOps::open(directory, name, flags);
    ++refused;
    return -sk::detail::system_code(refusal);
  }
};

}

TEST_CASE("a directory that may be passed but not opened keeps no store from its work") {
  using sk::detail::SystemFault;
  for (auto const refusal : {SystemFault::no_access, SystemFault::not_permitted}) {
    TempDir dir;
    PassableOps ops;
    ops.refusal = refusal;
    ops.closed = dir.path();
    { REQUIRE(sk::detail::open_file_store(ops, dir / "s", {})); } // makes it, and would sync its name
    CHECK(ops.refused == 1);
    ops.closed = "..";
    auto const store = sk::detail::open_file_store(ops, dir / "s", {}).value();
    Position const end = store->append(id, Batch({header_line()}, {}, true)).value();
    CHECK(ops.refused == 2);
    CHECK(store->append(id, Batch({message_line("m", "", "t")}, end, true)));
    CHECK(sk::durable_position(*store, id).value() > end);
  }
}

namespace {

// A file whose failed syncs drop what was not on the disk yet, and count it as written. It can still be read.
class ForgetfulDisk final : public OneFile {
 public:
  std::string kept;
  bool fails = false, refuses = false;
  int written_again = 0;

  std::int64_t write(int descriptor, char const* from, std::size_t count) override {
    changed_.emplace_back(bytes.size(), bytes.size() + count);
    return OneFile::write(descriptor, from, count);
  }
  std::int64_t pwrite(int descriptor, char const* from, std::size_t count, std::uint64_t offset) override {
    if (refuses) return -EIO;
    ++written_again;
    changed_.emplace_back(offset, offset + count);
    return OneFile::pwrite(descriptor, from, count, offset);
  }
  int sync_data(int) override {
    for (auto const& [begin, end] : fails ? std::vector<std::pair<std::size_t, std::size_t>>{} : changed_) {
      if (kept.size() < end) kept.resize(end, '\0');
      kept.replace(begin, end - begin, bytes, begin, end - begin);
    }
    changed_.clear();
    return std::exchange(fails, false) ? -EIO : 0;
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> changed_;
};

bool is_poisoned(sk::Result<Position> const& answer) {
  return !answer && answer.error().code == Errc::poisoned;
}

sk::detail::FileWriter open_on(sk::detail::FileOps& ops) {
  return sk::detail::FileWriter::open(ops, {sk::detail::working_directory, "t", "t"}, {}).value();
}

}

TEST_CASE("what a failed sync left in doubt is written again before a later one acknowledges anything") {
  std::string const h = header_line("s1"), a = message_line("a", "", "1"), b = message_line("b", "a", "2"),
                    c = message_line("c", "b", "3");
  for (bool const repeats : {true, false}) {
    CAPTURE(repeats);
    ForgetfulDisk disk;
    auto first = open_on(disk);
    Position const start = first.append(Batch({h}, {}, true)).value();
    Position const middle = first.append(Batch({a}, start)).value(); // not synced yet
    disk.fails = true;
    REQUIRE(is_poisoned(first.append(Batch({b}, middle, true))));
    CHECK(disk.kept == h + "\n");
    auto next = open_on(disk);
    CHECK(next.durable_position() == Position{});

    disk.refuses = true; // as long as it cannot be written again
    CHECK(is_poisoned(next.append(Batch({b}, middle, true))));
    CHECK(is_poisoned(next.append(Batch({b}, middle))));
    CHECK(is_poisoned(next.append(Batch({}, middle, true))));
    CHECK(disk.bytes == h + "\n" + a + "\n" + b + "\n");
    disk.refuses = false;

    Position const end{disk.bytes.size()};
    auto const answer = next.append(repeats ? Batch({b}, middle, true) : Batch({c}, end, true));
    REQUIRE(answer.ok());
    CHECK(disk.kept == disk.bytes);
    CHECK(disk.bytes
          == h + "\n" + a + "\n" + b + "\n" + (repeats ? "" : c + "\n")); // and nothing is there twice
    CHECK(next.durable_position() == *answer);
    int const before = disk.written_again;
    CHECK(open_on(disk).append(Batch({message_line("d", "", "4")}, *answer, true)).ok());
    CHECK(disk.written_again == before);                         // the doubt is settled
    CHECK(is_poisoned(first.append(Batch({c}, *answer, true)))); // the old writer stays so
  }
}

TEST_CASE("a sync that fails again while bytes are written again leaves them in doubt") {
  ForgetfulDisk disk;
  std::string const h = header_line("s1"), a = message_line("a", "", "1");
  Position const start = open_on(disk).append(Batch({h}, {}, true)).value();
  for (int i = 0; i < 3; ++i) {
    auto writer = open_on(disk);
    disk.fails = true;
    CHECK(is_poisoned(writer.append(Batch({a}, start, true))));
    CHECK(disk.written_again == i);
    CHECK(disk.kept == h + "\n");
  }
  CHECK(open_on(disk).append(Batch({a}, start, true)).ok());
  CHECK(disk.kept == h + "\n" + a + "\n");
}

TEST_CASE("files in doubt are remembered in bounded memory, and none is forgotten") {
  sk::detail::FileDoubts doubts;
  using Doubts = sk::detail::FileDoubts;
  CHECK_FALSE(doubts.find({1, 1}));
  doubts.note({1, 1}, 100);
  doubts.note({1, 1}, 300);
  doubts.note({2, 1}, 5);
  REQUIRE(doubts.find({1, 1}));
  CHECK(doubts.find({1, 1})->from == 100);
  doubts.settle({1, 1}, 1); // an earlier failure: another came since
  CHECK(doubts.find({1, 1}));
  doubts.settle({1, 1}, doubts.find({1, 1})->failure);
  CHECK_FALSE(doubts.find({1, 1}));
  CHECK(doubts.find({2, 1})->from == 5);
  for (std::uint64_t i = 0; i < Doubts::most_files + 10; ++i) doubts.note({3, i}, 7);
  CHECK(doubts.find({3, Doubts::most_files + 9})->from == 0);
  CHECK(doubts.find({4, 4})->from == 0); // not known any more: any may be in doubt
}
