// SPDX-License-Identifier: MIT
#include "soak.hpp"
#include "support/blades.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "writers.hpp"

#include <sessionkit/blades.hpp>

#include <atomic>
#include <thread>

using namespace sessionkit_test;

namespace {

std::shared_ptr<sk::SessionStore> open_documents(std::string const& root) {
  sk::BladesStoreOptions options;
  options.lock_wait = std::chrono::seconds{30};
  return sk::open_blades_store(root, options).value();
}

// Appends to a document that others append to as well: finds its end, tries, finds it again.
class Writer {
 public:
  Writer(sk::SessionStore& store, std::string const& name)
      : store_(store), name_(name), id_(sk::SessionId::parse(name).value()) {}
  std::int64_t conflicts = 0;

  bool append(std::string const& text, std::size_t padding) {
    for (bool again = false;; ++conflicts) {
      if (!end_) look();
      std::vector<std::string> lines{blades_message(text, padding)};
      if (*end_ == sk::Position{}) lines.insert(lines.begin(), blades_header(name_));
      auto const done = store_.append(id_, BladesBatch(lines, *end_));
      if (done) return end_ = *done, true;
      sk::Errc const code = done.error().code;
      again = code == sk::Errc::conflict || code == sk::Errc::already_exists;
      if (!again) return false;
      end_.reset();
    }
  }

 private:
  void look() {
    sk::ReadRange last;
    last.order = sk::ReadRange::newest_first;
    last.max_records = 1;
    auto const page = store_.read(id_, last);
    end_ = page ? page->log_end : sk::Position{};
  }

  sk::SessionStore& store_;
  std::string name_;
  sk::SessionId id_;
  std::optional<sk::Position> end_;
};

int write_until_killed(std::string const& root, int who, int round, int to_parent) {
  auto const store = open_documents(root);
  std::string const shared = "shared" + std::to_string(round / 20), own = "own" + std::to_string(who);
  Writer together(*store, shared), alone(*store, own);
  Random random(static_cast<std::uint64_t>(round * 4 + who));
  for (int i = 0;; ++i) {
    std::string const text = std::to_string(round) + "-" + std::to_string(who) + "-" + std::to_string(i);
    Writer& writer = i % 4 == 3 ? alone : together;
    if (!writer.append(text, random.one_in(8) ? 20'000 : random.below(400))) return 1;
    say(to_parent, (&writer == &alone ? own : shared) + " " + text);
    if (i % 16 == 5) (void)store->list({});
  }
}

std::vector<std::string> files_of(std::string const& root) {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(root))
    names.push_back(entry.path().filename());
  return names;
}
bool is_document(std::string const& name) {
  return name.front() != '.' && name.size() > 5 && name.substr(name.size() - 5) == ".json";
}

}

TEST_CASE(
    "T34: writers of documents are killed again and again, and nothing acknowledged is lost or doubled") {
  TempDir dir;
  std::string const root = dir / "s";
  (void)open_documents(root);
  write_file(root + "/notes.txt", "of somebody else");
  std::int64_t const rounds = soak_or(300, 12);
  Random random(34);
  std::map<std::string, std::vector<std::string>> acked;
  std::int64_t kills = 0, acks = 0, drafts = 0, torn = 0, left = 0, seen = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Child> writers;
    for (int who = 0; who < 3; ++who)
      writers.emplace_back([&](int to_parent) { return write_until_killed(root, who, round, to_parent); });
    auto const has_words = [](Child const& writer) { return writer.has_words(); };
    while (std::none_of(writers.begin(), writers.end(), has_words))
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(60'000)));
    for (Child& writer : writers) writer.kill(), ++kills;
    for (Child& writer : writers) {
      for (std::string const& line : split_lines(writer.words())) {
        std::size_t const space = line.find(' ');
        acked[line.substr(0, space)].push_back(line.substr(space + 1));
        ++acks;
      }
      REQUIRE(WIFSIGNALED(writer.wait()));
    }
    for (std::string const& name : files_of(root)) {
      bool const document = is_document(name);
      seen += document ? 1 : 0;
      torn += document && !read_blades(read_file(root + "/" + name)).whole ? 1 : 0;
      drafts += name.front() == '.' && name != ".lock" ? 1 : 0;
    }
    (void)open_documents(root);
    for (std::string const& name : files_of(root)) left += name.front() == '.' && name != ".lock" ? 1 : 0;
  }
  auto const store = open_documents(root);
  std::size_t lost = 0, doubled = 0, unheard = 0;
  for (auto const& [name, texts] : acked) {
    std::map<std::string, int> count;
    for (std::string const& text : read_blades(read_file(root + "/" + name + ".json")).texts) ++count[text];
    for (std::string const& text : texts) lost += count.count(text) == 0 ? 1U : 0U;
    for (auto const& [text, times] : count) doubled += times > 1 ? 1U : 0U;
    unheard += count.size() - std::min(count.size(), texts.size());
    CHECK(Writer(*store, name).append("after", 10));
  }
  tell("T34", kills, " kills, ", acks, " acknowledged, lost ", lost, ", doubled ", doubled, ", ", unheard,
       " written and not heard of, ", drafts, " drafts left by the dead and ", left, " after opening, ", torn,
       " of ", seen, " documents torn");
  CHECK(lost == 0);
  CHECK(doubled == 0);
  CHECK(torn == 0);
  CHECK(left == 0);
  CHECK(acks >= rounds);
  CHECK(unheard <= static_cast<std::size_t>(kills));
  CHECK(read_file(root + "/notes.txt") == "of somebody else");
  CHECK(store->list({}).value().sessions.size() == acked.size());
}

TEST_CASE("T35: processes append to one document at once while others read it, and no append is lost") {
  TempDir dir;
  std::string const root = dir / "s";
  (void)open_documents(root);
  int const each = static_cast<int>(soak_or(1'000, 60));
  std::vector<Child> writers;
  for (int who = 0; who < 2; ++who)
    writers.emplace_back([&](int to_parent) {
      auto const store = open_documents(root);
      Writer writer(*store, "all");
      Random random(static_cast<std::uint64_t>(who));
      for (int i = 0; i < each; ++i) {
        if (!writer.append(std::to_string(who) + "." + std::to_string(i), 100)) return 1;
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(3'000))); // else one has the lock
      }
      say(to_parent, std::to_string(writer.conflicts));
      return 0;
    });
  std::atomic<bool> done{false};
  std::int64_t looks = 0, torn = 0, back = 0;
  std::thread reader([&] {
    auto const store = open_documents(root);
    std::size_t had = 0;
    while (!done) {
      if (std::filesystem::exists(root + "/all.json"))
        torn += read_blades(read_file(root + "/all.json")).whole ? 0 : 1;
      std::size_t const has = find_all(*store, "all").ids.size();
      back += has < had ? 1 : 0;
      had = has;
      ++looks;
    }
  });
  std::int64_t conflicts = 0;
  for (Child& writer : writers) {
    conflicts += std::atoi(writer.words().c_str());
    CHECK(writer.wait() == 0);
  }
  done = true;
  reader.join();
  auto const texts = read_blades(read_file(root + "/all.json")).texts;
  std::map<char, int> last{{'0', -1}, {'1', -1}};
  bool in_order = true;
  for (std::string const& text : texts) {
    int const number = std::stoi(text.substr(2));
    in_order = in_order && number == last[text.front()] + 1;
    last[text.front()] = number;
  }
  tell("T35", texts.size(), " messages of 2 processes, ", conflicts, " conflicts, read along ", looks,
       " times, torn ", torn, ", shorter than before ", back);
  CHECK(texts.size() == 2U * static_cast<unsigned>(each));
  CHECK(in_order);
  CHECK(torn == 0);
  CHECK(back == 0);
  CHECK(looks > 3);
  CHECK(conflicts > 0);
}
