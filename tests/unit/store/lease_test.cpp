// SPDX-License-Identifier: MIT
// One writer keeps the others out of a session: in this process, in another one, after a fork and after a
// kill.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/file_store.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/doctor.hpp>
#include <sessionkit/lease.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/transcript_writer.hpp>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;

namespace {

constexpr std::chrono::milliseconds short_wait{50};

sk::FileStoreOptions exclusive() {
  sk::FileStoreOptions options;
  options.exclusive = true;
  options.lock_wait = short_wait;
  return options;
}
sk::FileStoreOptions sharing() {
  sk::FileStoreOptions options = exclusive();
  options.exclusive = false;
  return options;
}

// True if somebody has the lock of the file, asked of the kernel.
bool is_held(std::string const& path) {
  int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  bool const free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return !free;
}

std::string host_name() {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return host;
}

template <class T> bool timed_out_by(sk::Result<T> const& result, pid_t process) {
  if (result || result.error().code != Errc::timed_out) return false;
  INFO(result.error().message);
  CHECK_THAT(result.error().message, contains("process " + std::to_string(process)));
  CHECK_THAT(result.error().message, contains("on host '" + host_name() + "'"));
  return true;
}

/// A process that does something, reports that it is ready, and lives until it is killed.
class Other {
 public:
  explicit Other(std::function<void(std::function<void()> const& ready_and_wait)> const& work) {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::alarm(60);
      work([&] {
        (void)::write(ends[1], "r", 1);
        for (;;) ::pause();
      });
      ::_exit(1);
    }
    char ready = 0;
    ::close(ends[1]);
    CHECK(::read(ends[0], &ready, 1) == 1);
    ::close(ends[0]);
  }
  Other(Other const&) = delete;
  Other& operator=(Other const&) = delete;
  ~Other() { kill(); }
  pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

Batch next(std::string const& id, Position end) { return Batch({message_line(id, "", id)}, end); }

}

TEST_CASE("a session of an exclusive store keeps the lock while it is open, and readers are not kept out") {
  TempDir dir;
  auto const store = open_store(dir.path(), exclusive());
  auto const other = open_store(dir.path(), sharing());
  std::string path;
  {
    auto session = sk::Session::create(store).value();
    path = sk::transcript_path(*store, session.id());
    CHECK(is_held(path));
    session.append(sk::user("hello")).value();
    CHECK(is_held(path));
    auto const read = sk::Session::open(other, session.id()).value();
    CHECK(read.path().value().size() == 1);
    CHECK(other->list({}).value().sessions.size() == 1);

    auto second = sk::Session::open(store, session.id()).value(); // of the same store: shared
    second.append(sk::assistant("hello")).value();
    { auto const moved = std::move(session); }
    CHECK(is_held(path));
    second.set_title("still ours").value();
  }
  CHECK_FALSE(is_held(path));
  auto session = sk::Session::resume(store, "cli:me").value();
  CHECK(is_held(sk::transcript_path(*store, session.id())));
  auto const copy = session.fork().value();
  CHECK(is_held(sk::transcript_path(*store, copy.id())));
  CHECK_FALSE(is_held(path));
}

TEST_CASE("a second opener gets timed_out that names the session, the process, the host and what to do") {
  TempDir dir;
  Position end;
  {
    auto const store = open_store(dir.path());
    end = start(*store, "s1");
  }
  Other owner([&](auto const& ready_and_wait) {
    auto const session = sk::Session::open(open_store(dir.path(), exclusive()), id_of("s1"));
    if (session) ready_and_wait();
  });
  std::string const path = dir / "s1.jsonl", before = read_file(path);
  auto const store = open_store(dir.path(), exclusive());
  auto const opened = sk::Session::open(store, id_of("s1"));
  REQUIRE(timed_out_by(opened, owner.pid()));
  CHECK(opened.error().message
        == "session 's1': " + path + ": process " + std::to_string(owner.pid()) + " on host '" + host_name()
               + "' has the file's lock, and kept it for more than 50 ms; nothing happened; let it close the "
                 "session or end it, or wait longer, then repeat the call");

  SECTION("nothing of others is written, and what is stored can be read") {
    auto const plain = open_store(dir.path(), sharing());
    CHECK(timed_out_by(plain->append(id_of("s1"), next("m2", end)), owner.pid()));
    CHECK(timed_out_by(plain->remove(id_of("s1")), owner.pid()));
    auto session = sk::Session::open(plain, id_of("s1")).value();
    CHECK(timed_out_by(session.append(sk::user("mine")), owner.pid()));
    CHECK(session.path().value().size() == 1);
    CHECK(plain->info(id_of("s1")).value().messages == 1);
    CHECK(read_file(path) == before);
  }
  SECTION("other sessions of the directory are free") {
    auto session = sk::Session::create(store).value();
    session.append(sk::user("elsewhere")).value();
  }
  SECTION("the kernel frees it when the process is killed") {
    owner.kill();
    auto session = sk::Session::open(store, id_of("s1")).value();
    session.append(sk::user("mine")).value();
    CHECK(is_held(path));
    CHECK(read_file(path).substr(0, before.size()) == before);
  }
}

TEST_CASE("a session that another process keeps is not repaired, and nothing of it is lost") {
  TempDir dir;
  {
    auto const store = open_store(dir.path());
    start(*store, "s1");
  }
  std::string const path = dir / "s1.jsonl";
  write_file(path, read_file(path) + "no entry\n" + message_line("m2", "m1", "after") + "\n");
  std::string const before = read_file(path);
  Other owner([&](auto const& ready_and_wait) {
    auto const lease = sk::Lease::acquire(*open_store(dir.path(), exclusive()), id_of("s1"));
    if (lease) ready_and_wait();
  });
  sk::DoctorOptions options;
  options.lock_wait = short_wait;
  auto const diagnosis = sk::diagnose_store(dir.path(), options).value();
  bool refused = false;
  for (sk::Treatment const& one : sk::repair(diagnosis, options))
    refused = refused || (one.failure && timed_out_by(sk::Result<void>(*one.failure), owner.pid()));
  CHECK(refused);
  CHECK(read_file(path) == before);
}

TEST_CASE(
    "two exclusive stores of one process keep each other out, and the message says that it is this one") {
  TempDir dir;
  auto const one = open_store(dir.path(), exclusive()), two = open_store(dir.path(), exclusive());
  auto session = std::make_unique<sk::Session>(sk::Session::create(one).value());
  auto const id = session->id();
  auto const refused = sk::Session::open(two, id);
  REQUIRE(timed_out_by(refused, ::getpid()));
  CHECK_THAT(refused.error().message, contains(" (this one) "));
  session.reset();
  CHECK(sk::Session::open(two, id).ok());
}

TEST_CASE("an append under a lease makes no call on the lock, only a look and a write") {
  TempDir dir;
  FaultyFileOps ops;
  sk::FileStoreOptions options = exclusive();
  options.durability = sk::Durability::os;
  auto const store = sk::detail::open_file_store(ops, dir.path(), options).value();
  auto session = sk::Session::create(store).value();
  session.append(sk::user("first")).value();
  ops.reset();
  for (int i = 0; i < 10; ++i) session.append(sk::user("more")).value();
  CHECK(ops.calls(Call::lock) == 0);
  CHECK(ops.calls(Call::unlock) == 0);
  CHECK(ops.calls(Call::write) == 10);
  CHECK(ops.calls(Call::status_at) == 10);
  CHECK(ops.calls() == 20);
}

TEST_CASE("a forked child that destroys its copies leaves the lease to its parent") {
  TempDir dir;
  auto store = open_store(dir.path(), exclusive());
  auto session = std::make_unique<sk::Session>(sk::Session::create(store).value());
  std::string const path = sk::transcript_path(*store, session->id());
  pid_t const child = ::fork();
  if (child == 0) {
    auto const refused = sk::Lease::acquire(*store, session->id());
    bool const forked = !refused && refused.error().code == Errc::forked;
    session.reset();
    store.reset();
    ::_exit(forked ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(is_held(path));
  session->append(sk::user("still ours")).value();
  session.reset();
  CHECK_FALSE(is_held(path));
}

TEST_CASE("a child that was forked under a lease blocks nobody after its parent gave the lease back") {
  TempDir dir;
  auto const store = open_store(dir.path(), exclusive());
  auto session = std::make_unique<sk::Session>(sk::Session::create(store).value());
  Other child([](auto const& ready_and_wait) { ready_and_wait(); });
  session.reset();
  CHECK_FALSE(is_held(sk::transcript_path(*store, store->list({}).value().sessions.at(0).id)));
}

TEST_CASE("a file that takes the place of a leased one is locked by the next append") {
  TempDir dir;
  auto const store = open_store(dir.path(), sharing());
  Position end = start(*store, "s1");
  auto lease = std::make_unique<sk::Lease>(sk::Lease::acquire(*store, id_of("s1")).value());
  std::string const path = dir / "s1.jsonl";
  write_file(dir / "copy", read_file(path));
  REQUIRE(::rename((dir / "copy").c_str(), path.c_str()) == 0);
  CHECK_FALSE(is_held(path));
  end = store->append(id_of("s1"), next("m2", end)).value();
  CHECK(is_held(path));
  CHECK(lines_of(*store, "s1").size() == 3);
  lease.reset();
  CHECK_FALSE(is_held(path));
}

TEST_CASE("a leased file that was moved is missed when an append is durable, and soon otherwise") {
  bool const durable = GENERATE(false, true);
  TempDir dir;
  sk::FileStoreOptions options = sharing();
  options.durability = durable ? sk::Durability::turn : sk::Durability::os;
  auto const store = open_store(dir.path(), options);
  Position end = start(*store, "s1");
  auto const lease = sk::Lease::acquire(*store, id_of("s1")).value();
  std::string const path = dir / "s1.jsonl", elsewhere = dir / "moved";
  std::size_t const lines_before = lines_of(*store, "s1").size();
  REQUIRE(::rename(path.c_str(), elsewhere.c_str()) == 0);
  std::size_t stored = 0;
  auto appended = sk::Result<Position>(end);
  while (appended && stored < 100) {
    Batch batch = next("m" + std::to_string(stored + 2), end);
    batch.append.durable = durable;
    appended = store->append(id_of("s1"), batch);
    if (appended) end = *appended, ++stored;
  }
  CHECK(appended.error().code == Errc::not_found);
  CHECK(stored < (durable ? 1 : 16));
  std::string const text = read_file(elsewhere);
  CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == lines_before + stored);
}

TEST_CASE("an append under a lease sees what a program without locks wrote") {
  TempDir dir;
  auto const store = open_store(dir.path(), sharing());
  Position const end = start(*store, "s1");
  auto const lease = sk::Lease::acquire(*store, id_of("s1")).value();
  std::ofstream(dir / "s1.jsonl", std::ios::app) << lines_of(*store, "s1").back() << '\n';
  CHECK(store->append(id_of("s1"), next("m2", end)).error().code == Errc::conflict);
}

TEST_CASE("a leased file that was removed is not written to") {
  TempDir dir;
  auto const store = open_store(dir.path(), sharing());
  Position const end = start(*store, "s1");
  auto const lease = sk::Lease::acquire(*store, id_of("s1")).value();
  REQUIRE(::unlink((dir / "s1.jsonl").c_str()) == 0);
  CHECK(store->append(id_of("s1"), next("m2", end)).error().code == Errc::not_found);
}

TEST_CASE("a lease of a session that does not exist begins with the append that starts it") {
  TempDir dir;
  auto const one = open_store(dir.path(), sharing()), two = open_store(dir.path(), sharing());
  auto const lease = sk::Lease::acquire(*one, id_of("s1")).value();
  CHECK_FALSE(sk::exists(*one, id_of("s1")).value());
  Position const end = start(*one, "s1");
  CHECK(is_held(dir / "s1.jsonl"));
  CHECK(timed_out_by(two->append(id_of("s1"), next("m2", end)), ::getpid()));
}

TEST_CASE("the store that has the lease may remove the session, and keeps the next one of that id too") {
  TempDir dir;
  auto const store = open_store(dir.path(), sharing());
  start(*store, "s1");
  auto const lease = sk::Lease::acquire(*store, id_of("s1")).value();
  store->remove(id_of("s1")).value();
  CHECK_FALSE(sk::exists(*store, id_of("s1")).value());
  CHECK_FALSE(is_held(dir / "trash/s1.jsonl"));
  start(*store, "s1");
  CHECK(is_held(dir / "s1.jsonl"));
}

TEST_CASE("a leased session stays locked however many others are written") {
  TempDir dir;
  sk::FileStoreOptions options = sharing();
  options.durability = sk::Durability::os;
  auto const store = open_store(dir.path(), options);
  start(*store, "s1");
  auto const lease = sk::Lease::acquire(*store, id_of("s1")).value();
  for (std::size_t i = 0; i < 2 * sk::detail::WriterCache::most_open; ++i)
    start(*store, "other" + std::to_string(i));
  CHECK(is_held(dir / "s1.jsonl"));
}

TEST_CASE("a lease outlives its store") {
  TempDir dir;
  auto store = open_store(dir.path(), sharing());
  start(*store, "s1");
  auto lease = std::make_unique<sk::Lease>(sk::Lease::acquire(*store, id_of("s1")).value());
  store.reset();
  CHECK(is_held(dir / "s1.jsonl"));
  lease.reset();
  CHECK_FALSE(is_held(dir / "s1.jsonl"));
}

TEST_CASE("a name that another process keeps is not taken for a new session that needs none of that name") {
  TempDir dir;
  sk::FileStoreOptions options = exclusive();
  options.profile = sk::profiles::ai_panel;
  auto const one = open_store(dir.path(), options), two = open_store(dir.path(), options);
  sk::SessionOptions at_once;
  at_once.clock = [] { return sk::from_unix_ms(1762243200000); };
  auto const first = sk::Session::create(one, {}, at_once).value();
  CHECK(first.id().str() == "ses-1762243200000");
  CHECK(sk::Session::create(two, {}, at_once).value().id().str() == "ses-1762243200001");
  sk::NewSession same;
  same.id = first.id();
  CHECK(timed_out_by(sk::Session::create(two, same, at_once), ::getpid()));
}

TEST_CASE("a transcript opened by its path, and a writer, keep their file's lock if they are exclusive") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  write_file(path, header_line("s1") + "\n");
  {
    auto const store = sk::open_transcript(path, exclusive()).value();
    CHECK_FALSE(is_held(path));
    auto session = sk::Session::open(store, id_of("s1")).value();
    CHECK(is_held(path));
    CHECK(sk::Lease::acquire(*store, id_of("s2")).error().code == Errc::not_found);
    session.append(sk::user("hello")).value();
  }
  CHECK_FALSE(is_held(path));
  sk::WriterOptions options;
  options.exclusive = true;
  options.lock_wait = short_wait;
  {
    auto writer = sk::TranscriptWriter::open(path, options).value();
    CHECK(is_held(path));
    CHECK(timed_out_by(sk::TranscriptWriter::open(path, options), ::getpid()));
    writer.append(next("m9", Position{read_file(path).size()})).value();
    auto const moved = std::move(writer);
    CHECK(is_held(path));
  }
  CHECK_FALSE(is_held(path));
}

TEST_CASE("leases that cannot be had are refused with the reason") {
  TempDir dir;
  auto const memory = sk::make_memory_store();
  CHECK(sk::Lease::acquire(*memory, id_of("s1")).error().code == Errc::unsupported);
  sk::FileStoreOptions options = exclusive();
  options.read_only = true;
  CHECK(sk::open_file_store(dir.path(), options).error().code == Errc::invalid_argument);
  write_file(dir / "t.jsonl", header_line("s1") + "\n");
  CHECK(sk::open_transcript(dir / "t.jsonl", options).error().code == Errc::invalid_argument);
  options.exclusive = false;
  CHECK(sk::Lease::acquire(*open_store(dir.path(), options), id_of("t")).error().code == Errc::unsupported);
  REQUIRE(::link((dir / "t.jsonl").c_str(), (dir / "u.jsonl").c_str()) == 0);
  CHECK(sk::Lease::acquire(*open_store(dir.path()), id_of("t")).error().code == Errc::unsafe_path);
}

TEST_CASE("each system call of taking and giving back a lease fails once and always, and no lock remains") {
  for (bool const sticky : {false, true}) {
    for (int at = 0, fired = 1; fired > 0; ++at) {
      TempDir dir;
      FaultyFileOps ops;
      auto const store = sk::detail::open_file_store(ops, dir.path(), sharing()).value();
      Position const end = start(*store, "s1");
      start(*store, "s2");
      ops.reset();
      ops.fault.at = at;
      ops.fault.sticky = sticky;
      { auto const lease = sk::Lease::acquire(*store, id_of("s1")); }
      fired = static_cast<int>(ops.fired);
      ops.reset();
      INFO("call " << at << (sticky ? " and all later ones" : ""));
      CHECK_FALSE(is_held(dir / "s1.jsonl"));
      CHECK(store->append(id_of("s1"), next("m2", end)).ok());
    }
  }
}

TEST_CASE("threads append while others take and give back leases of the same session") {
  TempDir dir;
  auto const store = open_store(dir.path(), sharing());
  start(*store, "s1");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        auto const lease = sk::Lease::acquire(*store, id_of("s1")).value();
        auto session = sk::Session::open(store, id_of("s1")).value();
        session.append(sk::user(std::to_string(t) + "." + std::to_string(i))).value();
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(lines_of(*store, "s1").size() == 202);
  CHECK_FALSE(is_held(dir / "s1.jsonl"));
}
