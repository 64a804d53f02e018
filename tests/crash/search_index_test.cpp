// SPDX-License-Identifier: MIT
// An index of texts is derived from the logs: if a call fails or dies while it is written, a search finds the
// same, and a process that was killed leaves the index of before.
#include "planned_fault.hpp"
#include "support/catch.hpp"
#include "support/forwarding_store.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/upkeep/search_index.hpp>
#include <sessionkit/detail/upkeep/search_pieces.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/search_index.hpp>

#include <algorithm>

using namespace sessionkit_test;

namespace {

std::string const root = "/home/index";

/// A store that counts how often a log is read.
class Counted final : public ForwardingStore {
 public:
  Counted() : ForwardingStore(sk::make_memory_store()) {}
  sk::Result<sk::RecordPage> read(sk::SessionId const& id, sk::ReadRange const& range) override {
    ++reads;
    return inner_->read(id, range);
  }
  int reads = 0;
};

std::vector<sk::SessionId> ids() {
  std::vector<sk::SessionId> all;
  for (auto const* id : {"s1", "s2", "s3"}) all.push_back(sk::SessionId::parse(id).value());
  return all;
}

/// Adds a few messages to a session; some have the needle.
void say(sk::SessionStore& store, sk::SessionId const& id, int from, int to) {
  for (int i = from; i < to; ++i) {
    auto const info = store.info(id);
    std::vector<std::string> lines;
    if (!info) lines.push_back(header_line(id.str()));
    std::string text = i % 3 == 0 ? "a needle" : "hay";
    for (int word = 0; word < 20; ++word) text += " " + std::to_string((i * 7919 + word * 104729) % 100003);
    lines.push_back(message_line("m" + std::to_string(i), "", text));
    REQUIRE(store.append(id, Batch(std::move(lines), info ? info->end : sk::Position{})));
  }
}

std::optional<sk::SearchIndex> open_on(sk::detail::FileOps& ops) {
  auto opened = sk::SearchIndexAccess::open(ops, root, {});
  if (!opened) return std::nullopt;
  sk::SearchIndexAccess::set_sizes(*opened, {400, 1500});
  return std::move(*opened);
}

std::vector<std::string> places(sk::SearchPage const& page) {
  std::vector<std::string> all;
  for (auto const& hit : page.hits) all.push_back(hit.session.str() + "/" + hit.entry.id.str());
  return all;
}

/// One update that fails or dies at a call, and what is found after it.
class Scenario {
 public:
  Scenario(Kind kind, bool sticky, bool power, std::int64_t at) : disk_(static_cast<std::uint64_t>(at) + 1) {
    prepare();
    run(kind, sticky, at);
    if (power) disk_.cut_power();
    check(!power);
  }
  bool reached = false;
  std::string wrong;

 private:
  void prepare() {
    {
      ModelProcess before(disk_, 10);
      auto index = open_on(before);
      for (auto const& id : ids()) say(store_, id, 0, 6);
      REQUIRE(index->update(store_, ids()));
    }
    say(store_, ids()[0], 6, 12), say(store_, ids()[1], 6, 9); // the third stays
  }
  void check(bool has_index) {
    ModelProcess next(disk_, 300);
    auto index = open_on(next);
    if (!index) return complain("cannot be opened");
    compare("the next process", *index);
    if (has_index) reads_nothing("the index of before", *index, {ids()[2]});
    auto const updated = index->update(store_, ids());
    if (!updated) return complain("cannot be updated: " + updated.error().message);
    compare("after an update", *index);
    reads_nothing("after an update", *index, ids());
    check_names();
  }
  void run(Kind kind, bool sticky, std::int64_t at) {
    ModelProcess process(disk_, 100);
    FaultyFileOps ops(process);
    auto index = open_on(ops);
    ops.reset();
    plan(ops, process, {kind, sk::detail::system_code(sk::detail::SystemFault::no_space), sticky}, at);
    (void)index->update(store_, ids());
    reached = ops.calls() > at;
    ops.before = nullptr;
    ops.fault = {};
    if (!process.dead()) compare("the same process", *index);
  }
  void complain(std::string const& what) {
    if (wrong.empty()) wrong = what;
  }
  void compare(std::string const& who, sk::SearchIndex& index) {
    auto const found = index.search(store_, ids(), {"needle"});
    if (!found || places(*found) != places(sk::search(store_, ids(), {"needle"}).value()))
      complain(who + " finds something else");
  }
  void reads_nothing(std::string const& who, sk::SearchIndex& index, std::vector<sk::SessionId> const& of) {
    store_.reads = 0;
    if (!index.search(store_, of, {"xyzzy"})->hits.empty() || store_.reads != 0)
      complain(who + " does not know the logs");
  }
  void check_names() {
    for (std::string const& name : disk_.names(root))
      if (name.front() == '.' && name != ".lock") complain("a draft is left: " + name);
    if (disk_.names(root).size() > 8) complain("segments are left");
  }

  ModelDisk disk_;
  Counted store_;
};

}

TEST_CASE("each call that writes an index of texts fails or is the last one: searches find the same") {
  std::int64_t runs = 0;
  for (Kind const kind : {Kind::error, Kind::short_write, Kind::die, Kind::die_in_write})
    for (bool const power : {false, true})
      for (bool const sticky : {false, true}) {
        if (sticky && kind != Kind::error) continue;
        bool reached = true;
        for (std::int64_t at = 0; reached; ++at, ++runs) {
          CAPTURE(static_cast<int>(kind), power, sticky, at);
          Scenario const scenario(kind, sticky, power, at);
          reached = scenario.reached;
          REQUIRE(scenario.wrong.empty());
        }
      }
  CHECK(runs > 300);
}
