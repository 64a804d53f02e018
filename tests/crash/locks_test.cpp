// SPDX-License-Identifier: MIT
#include "soak.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "weak_file_ops.hpp"
#include "writers.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/session.hpp>

#include <chrono>
#include <csignal>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;

namespace {

sk::SessionId const id = sk::SessionId::parse("s").value();

struct Store {
  TempDir dir;
  FaultyFileOps ops;
  std::shared_ptr<sk::SessionStore> store;
  Position end;
  explicit Store(std::chrono::milliseconds wait = std::chrono::milliseconds{300}) {
    sk::FileStoreOptions options;
    options.durability = sk::Durability::os;
    options.lock_wait = wait;
    store = sk::open_file_store(dir.path(), options).value(); // real time
    end = store->append(id, Batch({header_line("s")})).value();
  }
  std::string path() const { return dir / "s.jsonl"; }
  sk::Result<Position> append(std::string const& entry) {
    auto const answer = store->append(id, Batch({message_line(entry, "", "x")}, end));
    if (answer) end = *answer;
    return answer;
  }
};

// A process that takes the lock, reports it, and does this.
Child holder(std::string const& path, std::function<void()> then) {
  return Child([=](int to_parent) {
    int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (::flock(fd, LOCK_EX) != 0) return 1;
    say(to_parent, "held");
    then();
    return 0;
  });
}
void wait_until_held(std::string const& path) {
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  while (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
    ::flock(fd, LOCK_UN);
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  ::close(fd);
}
bool is_held(std::string const& path) {
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  bool const free = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  ::close(fd);
  return !free;
}

}

TEST_CASE("T18: the lock of a dead process is free") {
  Store s;
  Child dead = holder(s.path(), [] { ::pause(); });
  wait_until_held(s.path());
  dead.kill();
  dead.wait();
  CHECK(s.append("1").ok());
}

TEST_CASE("T18: a stopped lock holder delays others up to the deadline only, and continues afterwards") {
  Store s;
  Child stopped = holder(s.path(), [] { ::raise(SIGSTOP); });
  wait_until_held(s.path());
  auto const before = std::chrono::steady_clock::now();
  auto const refused = s.append("1");
  auto const waited = std::chrono::steady_clock::now() - before;
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::timed_out);
  CHECK(waited >= std::chrono::milliseconds{299});
  CHECK(waited < std::chrono::milliseconds{300 * 6 / 5} + std::chrono::seconds{2}); // a busy machine
  int status = 0;
  ::waitpid(stopped.pid(), &status, WUNTRACED);
  stopped.kill(SIGCONT);
  CHECK(stopped.wait() == 0);
  CHECK(s.append("1").ok());
}

TEST_CASE("T18: a child that is forked while the lock is held blocks nobody afterwards") {
  Store s;
  FaultyFileOps ops;
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  auto store = sk::detail::open_file_store(ops, s.dir.path(), options).value();
  std::optional<Child> child;
  bool held_meanwhile = false;
  ops.before = [&](Call call) {
    if (call != Call::write || child) return;
    child.emplace([](int) {
      ::pause();
      return 0;
    });
    held_meanwhile = is_held(s.path());
  };
  REQUIRE(store->append(id, Batch({message_line("1", "", "x")}, s.end)).ok());
  ops.before = nullptr;
  CHECK(held_meanwhile);
  CHECK_FALSE(is_held(s.path())); // the child has the descriptor, and is alive
}

TEST_CASE("T18: a program that is executed while the lock is held inherits no descriptor") {
  Store s;
  FaultyFileOps ops;
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  auto store = sk::detail::open_file_store(ops, s.dir.path(), options).value();
  std::string open_files;
  ops.before = [&](Call call) {
    if (call != Call::write || !open_files.empty()) return;
    Child child([](int to_parent) {
      ::dup2(to_parent, 1);
      ::execlp("sh", "sh", "-c", "ls -l /proc/self/fd/", nullptr);
      return 1;
    });
    open_files = child.words();
    child.wait();
  };
  REQUIRE(store->append(id, Batch({message_line("1", "", "x")}, s.end)).ok());
  CHECK_THAT(open_files, contains("1 -> pipe"));
  CHECK(open_files.find(s.dir.path()) == std::string::npos);
}

TEST_CASE("T18: opening and closing the file elsewhere in the process does not release the lock") {
  Store s;
  for (Weakness const weakness : {Weakness::none, Weakness::no_lock}) {
    WeakFileOps weak(weakness);
    FaultyFileOps ops(weak);
    sk::FileStoreOptions options;
    options.durability = sk::Durability::os;
    auto store = sk::detail::open_file_store(ops, s.dir.path(), options).value();
    bool held = false, asked = false;
    ops.before = [&](Call call) {
      if (call != Call::write || std::exchange(asked, true)) return;
      ::close(::open(s.path().c_str(), O_RDONLY | O_CLOEXEC));
      Child other([&](int) { return is_held(s.path()) ? 0 : 1; });
      held = other.wait() == 0;
    };
    auto const done = store->append(id, Batch({message_line(name_of(weakness), "", "x")}, s.end));
    ops.before = nullptr;
    REQUIRE(done.ok());
    s.end = *done;
    CHECK(asked);
    CHECK(held == (weakness == Weakness::none)); // T30
  }
}

namespace {

// Waits until it is the only writer of the session, and appends until it is killed.
int own_until_killed(Weakness weakness, std::string const& root, std::string const& who, int to_parent) {
  WeakFileOps ops(weakness);
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  options.exclusive = true;
  auto session = sk::Session::open(sk::detail::open_file_store(ops, root, options).value(), id).value();
  for (int i = 0;; ++i) {
    sk::AppendOptions named;
    named.id = sk::EntryId(who + "." + std::to_string(i));
    session.append(sk::user("x"), named).value();
    say(to_parent, named.id->str());
  }
}

// How often the entries of one process are followed by those of another.
std::size_t changes_of_owner(std::vector<std::string> const& ids) {
  std::size_t changes = 0;
  std::string last;
  for (std::string const& entry : ids) {
    std::string const who = entry.substr(0, entry.find('.'));
    changes += who != std::exchange(last, who) ? 1U : 0U;
  }
  return changes;
}

}

TEST_CASE("T18: an exclusive store whose owner is killed loses nothing, and the next owner comes in") {
  for (Weakness const weakness : {Weakness::none, Weakness::no_lock}) {
    Store s;
    std::vector<std::string> acked;
    std::size_t owners = 0;
    std::vector<Child> waiting;
    std::int64_t const rounds = soak_or(1'000, 30);
    for (std::int64_t round = 0; round < rounds; ++round) {
      while (waiting.size() < 3) // one has the session, the others wait for it
        waiting.emplace_back(
            [&, who = std::to_string(round) + "-" + std::to_string(waiting.size())](int to_parent) {
              return own_until_killed(weakness, s.dir.path(), who, to_parent);
            });
      std::this_thread::sleep_for(std::chrono::milliseconds{5 + round % 20});
      std::vector<Child> left;
      for (Child& child : waiting) {
        bool const owns = child.has_words();
        if (!owns && left.size() < 2) {
          left.push_back(std::move(child));
          continue;
        }
        child.kill();
        std::vector<std::string> const said = split_lines(child.words());
        bool const killed = WIFSIGNALED(child.wait());
        REQUIRE(
            (killed || weakness == Weakness::no_lock)); // without a lock an append may fail, which ends it
        acked.insert(acked.end(), said.begin(), said.end());
        owners += said.empty() ? 0U : 1U;
      }
      waiting = std::move(left);
    }
    waiting.clear();
    Found const found = find_all(*s.store, "s");
    auto const count = found.count();
    std::size_t lost = 0, doubled = 0;
    for (std::string const& entry : acked) lost += count.count(entry) == 0 ? 1U : 0U;
    for (auto const& [entry, times] : count) doubled += times > 1 ? 1U : 0U;
    std::size_t const changes = changes_of_owner(found.ids);
    std::set<std::string> processes;
    for (std::string const& entry : found.ids) processes.insert(entry.substr(0, entry.find('.')));
    tell("T18", name_of(weakness), ": ", owners, " owners killed, ", acked.size(), " acknowledged, lost ",
         lost, ", doubled ", doubled, ", ", processes.size(), " writers, ", changes,
         " changes of the writer");
    CHECK(lost == 0);
    CHECK(doubled == 0);
    CHECK(owners > 5);
    CHECK((changes == processes.size()) == (weakness == Weakness::none)); // T30
    CHECK(s.append("after").error().code == Errc::conflict);              // no lock remains
  }
}

TEST_CASE("T18: a child that outlives the owner of a session keeps its lock, until it ends") {
  Store s;
  Child owner([&](int to_parent) {
    sk::FileStoreOptions options;
    options.exclusive = true;
    auto const session = sk::Session::open(sk::open_file_store(s.dir.path(), options).value(), id);
    Child child([&](int) {
      ::alarm(60);
      say(to_parent, "child " + std::to_string(::getpid()));
      ::pause();
      return 0;
    });
    ::pause();
    return session.ok() ? 0 : 1;
  });
  wait_until_held(s.path());
  while (!owner.has_words()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  owner.kill();
  owner.wait();
  CHECK(is_held(s.path()));
  pid_t const child = std::stoi(owner.first_words().substr(6));
  ::kill(child, SIGKILL);
  for (int i = 0; i < 5'000 && is_held(s.path()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  CHECK_FALSE(is_held(s.path()));
}

TEST_CASE("T8: a program that takes no lock cuts no line in two, as long as a batch is one write") {
  for (Weakness const weakness : {Weakness::none, Weakness::split_write}) {
    TempDir dir;
    class Rude final : public FaultyFileOps { // the other program writes whenever we have written
     public:
      explicit Rude(std::string path) : path_(std::move(path)) {}
      std::int64_t write(int descriptor, char const* from, std::size_t bytes) override {
        std::int64_t const put = FaultyFileOps::write(descriptor, from, bytes);
        if (std::ofstream out{path_, std::ios::app})
          out << message_line("rude" + std::to_string(n_++), "", "y") << "\n";
        return put;
      }

     private:
      std::string path_;
      int n_ = 0;
    } rude(dir / "s.jsonl");
    WeakFileOps weak(weakness, rude);
    sk::FileStoreOptions options;
    options.durability = sk::Durability::os;
    auto store = sk::detail::open_file_store(weak, dir.path(), options).value();
    SharedWriter writer(*store, "s");
    for (int i = 0; i < 5; ++i) (void)writer.append(std::to_string(i), "x");
    auto const count = find_all(*store, "s").count();
    bool whole = true;
    for (int i = 0; i < 5; ++i) whole = whole && count.count(std::to_string(i)) == 1;
    CHECK(whole == (weakness == Weakness::none)); // T30
  }
}

TEST_CASE(
    "T20: after a failed sync a session reports it until it is opened again, at each level that syncs") {
  for (auto const level : {sk::Durability::turn, sk::Durability::entry}) {
    TempDir dir;
    FaultyFileOps ops;
    sk::FileStoreOptions options;
    options.durability = level;
    auto store = sk::detail::open_file_store(ops, dir.path(), options).value();
    auto session = sk::Session::resume(store, "k").value();
    auto const sure = session.append(sk::assistant("sure")).value();
    ops.reset();
    ops.only = Call::sync_data;
    ops.fault = {0, EIO, false, false};
    auto const doubtful = session.append(sk::assistant("in doubt")); // ends the turn
    REQUIRE_FALSE(doubtful);
    CHECK(doubtful.error().code == Errc::poisoned);
    CHECK(doubtful.error().system == EIO);
    CHECK_THAT(doubtful.error().message, contains("offset"));
    auto const durable = sk::durable_position(*store, session.id()).value();
    for (int i = 0; i < 3; ++i) {
      CHECK(session.append(sk::user("later")).error().code == Errc::poisoned);
      CHECK(session.end_turn().error().code == Errc::poisoned);
      CHECK(sk::durable_position(*store, session.id()).value() == durable);
    }
    CHECK(ops.calls(Call::sync_data) == 1);                   // never tried again
    auto other = sk::Session::resume(store, "other").value(); // another session is not touched
    CHECK(other.append(sk::assistant("fine")).ok());
    auto reopened = sk::open_file_store(dir.path(), options).value();
    auto again = sk::Session::open(reopened, session.id()).value();
    std::vector<std::string> texts;
    auto const path = again.path().value();
    for (auto const& entry : path)
      if (auto const* message = entry.as<sk::Message>()) texts.push_back(message->text());
    CHECK(texts == std::vector<std::string>{"sure", "in doubt"}); // to be looked at
    CHECK(again.append(sk::assistant("on")).ok());
    (void)sure;
  }
}
