// SPDX-License-Identifier: MIT
#include "soak.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "weak_file_ops.hpp"
#include "writers.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>

#include <atomic>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;

namespace {

sk::SessionId id_of(std::string const& name) { return sk::SessionId::parse(name).value(); }

std::string const victim_text = header_line("v") + "\n" + message_line("theirs", "", "x") + "\n";

// Links and special files in place of transcripts, and what a store with these calls does to them.
struct Traps {
  TempDir dir;
  std::string root = dir / "s";
  explicit Traps() {
    ::mkdir(root.c_str(), 0700);
    write_file(dir / "victim", victim_text);
    ::chmod((dir / "victim").c_str(), 0600);
    write_file(dir / "linked", victim_text);
    (void)!::symlink("../linked", (root + "/link.jsonl").c_str());
    (void)!::link((dir / "victim").c_str(), (root + "/hard.jsonl").c_str());
    (void)!::mkfifo((root + "/fifo.jsonl").c_str(), 0600);
    ::mkdir((root + "/dir.jsonl").c_str(), 0700);
    (void)!::symlink("/dev/null", (root + "/null.jsonl").c_str());
  }
  // True if all were refused as unsafe, and the victim is unchanged.
  bool all_refused(sk::detail::FileOps& ops) {
    sk::FileStoreOptions options;
    options.durability = sk::Durability::os;
    auto store = sk::detail::open_file_store(ops, root, options).value();
    bool refused = true;
    for (char const* name : {"link", "hard", "fifo", "dir", "null"}) {
      Batch const batch({message_line("m", "", "t")}, Position{victim_text.size()});
      auto const answer = store->append(id_of(name), batch);
      refused = refused && !answer && answer.error().code == Errc::unsafe_path;
    }
    return refused && read_file(dir / "victim") == victim_text && read_file(dir / "linked") == victim_text;
  }
};

unsigned mode_of(std::string const& path) {
  struct stat s {};
  return ::lstat(path.c_str(), &s) == 0 ? s.st_mode & 07777U : 0;
}

// True if everything in the store is accessible to its owner only.
bool all_private(std::string const& root, sk::detail::FileOps& ops) {
  {
    auto store = sk::detail::open_file_store(ops, root, {}).value();
    (void)store->append(id_of("a"), Batch({header_line("a"), message_line("m", "", "x")}, {}, true));
    (void)store->append(id_of("b"), Batch({header_line("b")}, {}, true));
    (void)store->remove(id_of("b"));
  }
  bool ok = mode_of(root) == 0700;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(root))
    ok = ok && mode_of(entry.path().string()) == (entry.is_directory() ? 0700U : 0600U);
  return ok;
}

}

TEST_CASE("T14: links and special files are refused, and the test fails without the check") {
  WeakFileOps sound(Weakness::none);
  CHECK(Traps().all_refused(sound));
  for (Weakness const weakness : {Weakness::no_link_check, Weakness::no_kind_check}) {
    CAPTURE(name_of(weakness));
    WeakFileOps weak(weakness);
    CHECK_FALSE(Traps().all_refused(weak)); // T30
  }
}

TEST_CASE("T14: files of others are refused, and the test fails without the check") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give files away");
    return;
  }
  for (Weakness const weakness : {Weakness::none, Weakness::any_owner}) {
    TempDir dir;
    write_file(dir / "s.jsonl", header_line("s") + "\n");
    REQUIRE(::chown((dir / "s.jsonl").c_str(), 65534, 65534) == 0);
    WeakFileOps ops(weakness);
    auto store = sk::detail::open_file_store(ops, dir.path(), {}).value();
    Batch const batch({message_line("m", "", "t")}, Position{header_line("s").size() + 1});
    CHECK((weakness == Weakness::any_owner) == store->append(id_of("s"), batch).ok());
  }
}

TEST_CASE("T14: a file that is swapped for a link between two calls is never written through") {
  TempDir dir;
  std::string const root = dir / "s", path = root + "/s.jsonl", other = root + "/other";
  write_file(dir / "victim", victim_text);
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  auto store = sk::open_file_store(root, options).value();
  REQUIRE(store->append(id_of("s"), Batch({header_line("s")})).ok());
  REQUIRE(::symlink("../victim", other.c_str()) == 0);
  std::atomic<bool> done{false};
  std::thread swapper([&] {
    while (!done)
      ::syscall(316 /* renameat2 */, AT_FDCWD, path.c_str(), AT_FDCWD, other.c_str(), 2 /* exchange */);
  });
  std::int64_t const rounds = soak_or(200'000, 3'000);
  std::int64_t acked = 0, refused = 0;
  Position end{header_line("s").size() + 1};
  for (std::int64_t i = 0; i < rounds; ++i) {
    auto const answer = store->append(id_of("s"), Batch({message_line(std::to_string(i), "", "x")}, end));
    if (answer) {
      end = *answer;
      ++acked;
    } else {
      ++refused;
    }
  }
  done = true;
  swapper.join();
  tell("T14", rounds, " appends in a race of swaps, ", acked, " acknowledged, ", refused, " refused");
  CHECK(read_file(dir / "victim") == victim_text);
  std::string const real = (std::filesystem::is_symlink(path) ? other : path);
  CHECK(split_lines(read_file(real)).size() == static_cast<std::size_t>(acked) + 1);
  CHECK(acked + refused == rounds);
}

TEST_CASE("T15: an invalid id never becomes a path, and any key is read back unchanged") {
  for (std::string const& bad : {std::string(),
                                 std::string("../x"),
                                 std::string("/abs"),
                                 std::string("a/b"),
                                 std::string("."),
                                 std::string(".."),
                                 std::string("a\0b", 3),
                                 std::string(300, 'a'),
                                 std::string("-a"),
                                 std::string(".a"),
                                 std::string("a b"),
                                 std::string("a\n"),
                                 std::string("\xC3\xA4"),
                                 std::string("\xFF"),
                                 std::string("\xE2\x80\xAE"
                                             "a"),
                                 std::string("%2e%2e"),
                                 std::string("a\\b"),
                                 std::string("a:b"),
                                 std::string("~"),
                                 std::string("a*")}) {
    CAPTURE(bad);
    CHECK_FALSE(sk::SessionId::parse(bad));
    TempDir dir;
    CHECK_FALSE(sk::open_agent_store(dir.path(), bad));
    CHECK(std::filesystem::is_empty(dir.path()));
  }
  TempDir dir;
  Random random(15);
  std::int64_t const keys = soak_or(10'000, 300);
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  auto files = sk::open_file_store(dir / "s", options).value();
  auto memory = sk::make_memory_store();
  std::size_t wrong = 0;
  std::vector<std::pair<sk::SessionId, std::string>> made;
  for (std::int64_t i = 0; i < keys; ++i) {
    std::string key = random.one_of({"../", "/etc/", "a\nb", "%2e%2e/", "\"", "\\", "'; drop", "CON", "x."});
    for (std::size_t n = random.below(30); n > 0; --n) key += static_cast<char>(random.below(128));
    for (auto const& store : {files, memory}) {
      sk::NewSession about;
      about.key = key;
      auto const session = sk::Session::create(store, about);
      wrong += session ? 0U : 1U;
      if (session && store == files) made.emplace_back(session->id(), key);
    }
  }
  for (auto const& [id, key] : made) wrong += files->info(id).value().key == key ? 0U : 1U;
  CHECK(wrong == 0);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
  for (auto const& entry : std::filesystem::recursive_directory_iterator(dir / "s")) {
    std::string const name = entry.path().filename().string();
    bool const ours = name == "sessions.json" || name.front() == '.' || name.rfind("sessions", 0) == 0
                      || (name.size() > 6 && sk::SessionId::parse(name.substr(0, name.size() - 6)).ok());
    CHECK(ours);
  }
}

TEST_CASE("T28: modes are private whatever the umask, and the test fails if the umask decides") {
  for (mode_t const mask : {mode_t{0}, mode_t{022}, mode_t{077}, mode_t{0777}}) {
    TempDir dir;
    mode_t const before = ::umask(mask);
    WeakFileOps sound(Weakness::none);
    bool const ok = ::geteuid() != 0 && mask == 0777 ? true : all_private(dir / "s", sound);
    ::umask(before);
    CAPTURE(mask);
    CHECK(ok);
  }
  TempDir dir;
  mode_t const before = ::umask(0277);
  WeakFileOps weak(Weakness::no_mode);
  bool const ok = ::geteuid() == 0 && all_private(dir / "s", weak);
  ::umask(before);
  CHECK_FALSE(ok); // T30
}

TEST_CASE("T28: a hook that removes secrets sees every line before it is written") {
  TempDir dir;
  std::string const secret = "sk-canary-5d1f0c";
  sk::SessionOptions options;
  options.before_append = [&](sk::Entry& entry) {
    if (auto* message = std::get_if<sk::Message>(&entry.body))
      for (sk::Part& part : message->parts)
        if (auto* text = std::get_if<sk::Text>(&part))
          for (std::size_t at; (at = text->text.find(secret)) != std::string::npos;)
            text->text.replace(at, secret.size(), "***");
  };
  {
    auto store = sk::open_file_store(dir.path()).value();
    auto session = sk::Session::resume(store, "k", options).value();
    for (int i = 0; i < 3; ++i) {
      session.append(sk::user("my key is " + secret)).value();
      session.append(sk::assistant("it is " + secret)).value();
    }
    (void)session.fork().value().append(sk::user(secret + secret)).value();
    (void)store->list({});
  }
  std::size_t files = 0;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(dir.path())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    CHECK(read_file(entry.path().string()).find(secret) == std::string::npos);
  }
  CHECK(files >= 3);
}

TEST_CASE("T30: only weakened system calls accept a network file system, and a parent's store in a child") {
  class Nfs final : public WeakFileOps {
   public:
    Nfs() : WeakFileOps(Weakness::none) {}
    int file_system(int, std::string_view& network) override {
      network = "NFS";
      return 0;
    }
  } nfs;
  TempDir dir;
  CHECK(sk::detail::open_file_store(nfs, dir / "s", {}).error().code == Errc::unsafe_path);
  WeakFileOps blind(Weakness::any_file_system, nfs);
  CHECK(sk::detail::open_file_store(blind, dir / "s", {}).ok());

  for (Weakness const weakness : {Weakness::none, Weakness::no_fork_check}) {
    WeakFileOps ops(weakness);
    auto store = sk::detail::open_file_store(ops, dir / name_of(weakness), {}).value();
    Position const end = store->append(id_of("s"), Batch({header_line("s")})).value();
    Child child([&](int) {
      auto const answer = store->append(id_of("s"), Batch({message_line("m", "", "t")}, end));
      return !answer && answer.error().code == Errc::forked ? 0 : 1;
    });
    CHECK((WEXITSTATUS(child.wait()) == 0) == (weakness == Weakness::none));
  }
}
