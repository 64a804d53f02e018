// SPDX-License-Identifier: MIT
#include "model_disk.hpp"
#include "soak.hpp"
#include "support/blades.hpp"
#include "support/catch.hpp"
#include "support/faulty_file_ops.hpp"
#include "weak_file_ops.hpp"

#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/exchange/blades_store.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

using namespace sessionkit_test;
using sk::Errc;

namespace {

std::string const root = "/home/agents/sessions";

struct Verdict {
  int lost = 0, doubled = 0, false_failure = 0, alien = 0, torn = 0, stuck = 0;
  int sum() const { return lost + doubled + false_failure + alien + torn + stuck; }
};
struct Activity {
  std::int64_t acked = 0, refused = 0, unknown = 0, cuts = 0, kills = 0, lost_syncs = 0, removals = 0,
               nested = 0;
};

/// A few processes that append to the same documents on one disk; for one seed.
class Hosts {
 public:
  Hosts(std::uint64_t seed, int processes, Weakness weakness = Weakness::none)
      : weakness_(weakness), disk_(seed), random_(seed * 31 + 7) {
    hosts_.resize(static_cast<std::size_t>(processes));
  }

  Verdict verdict;
  Activity did;

  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
    opens_live_ = true;
    cut_power();
    for (auto const& [name, lines] : talks_) {
      Host& host = hosts_.front();
      std::size_t const acked = static_cast<std::size_t>(did.acked);
      for (int tries = 0; tries < 4 && static_cast<std::size_t>(did.acked) == acked; ++tries)
        append(host, name);
      verdict.stuck += static_cast<std::size_t>(did.acked) == acked ? 1 : 0;
    }
    cut_power();
  }

 private:
  struct Line {
    std::string text;
    bool acked = false, refused = false, removed = false;
  };
  struct Host {
    std::unique_ptr<ModelProcess> process;
    std::unique_ptr<WeakFileOps> weak;
    std::unique_ptr<FaultyFileOps> ops;
    std::shared_ptr<sk::SessionStore> store;
    std::map<std::string, sk::Position> ends;
  };

  // False if the process has no store.
  bool boot(Host& host) {
    if (host.process && host.process->dead()) host.store.reset(), host.ops.reset();
    if (!host.ops) {
      host.ends.clear();
      host.process = std::make_unique<ModelProcess>(disk_, next_process_++);
      host.weak = std::make_unique<WeakFileOps>(weakness_, *host.process);
      host.ops = std::make_unique<FaultyFileOps>(*host.weak);
    }
    if (host.store && random_.one_in(10)) host.store.reset();
    if (!host.store) {
      sk::BladesStoreOptions options;
      options.lock_wait = std::chrono::milliseconds{5};
      bool const may_die = !opens_live_ && !host.ops->before && random_.one_in(4);
      if (may_die) die_while_opening(host);
      auto opened = sk::detail::open_blades_store(*host.ops, root, options);
      if (may_die) host.ops->before = nullptr;
      if (opened && !host.process->dead()) host.store = std::move(*opened);
    }
    return host.store != nullptr;
  }

  // The one that makes the directory may leave the sync of its name to others.
  void die_while_opening(Host& host) {
    std::int64_t const at = host.ops->calls() + static_cast<std::int64_t>(random_.below(32));
    host.ops->before = [&host, at](Call) {
      if (host.ops->calls() >= at) host.process->die();
    };
  }

  void step() {
    Host& host = hosts_[random_.below(hosts_.size())];
    if (!boot(host)) return;
    power_fails_ = interleaved_ = false;
    plan(host);
    std::string const name = random_.one_of({"a", "b"});
    if (random_.one_in(12))
      remove(host, name);
    else
      append(host, name);
    if (host.ops) host.ops->before = nullptr;
    did.kills += host.process->dead() && !power_fails_ ? 1 : 0;
    if (power_fails_) cut_power();
    if (random_.one_in(5)) compare();
  }

  // What happens in the middle of the next call.
  void plan(Host& host) {
    std::size_t const kind = random_.below(8);
    std::int64_t const at = host.ops->calls() + static_cast<std::int64_t>(random_.below(20));
    if (kind > 4) return;
    power_fails_ = kind == 0;
    did.lost_syncs += kind == 2 || kind == 3 ? 1 : 0;
    host.ops->before = [this, &host, kind, at](Call call) {
      if (host.process->dead()) return;
      if (kind == 2) host.process->fail_next_sync();
      if (kind == 3) host.process->fail_next_name_sync();
      if (host.ops->calls() < at) return;
      if (kind == 4 && hosts_.size() > 1 && !interleaved_) interleave(host);
      if (kind > 1) return;
      if (call == Call::write && at % 2 == 0)
        host.process->die_in_next_write();
      else
        host.process->die();
    };
  }

  // Another process appends meanwhile.
  void interleave(Host& host) {
    Host& other = &host == &hosts_.front() ? hosts_.back() : hosts_.front();
    nested_ = interleaved_ = true;
    ++did.nested;
    if (boot(other)) append(other, random_.one_of({"a", "b"}));
    nested_ = false;
  }

  void look(Host& host, std::string const& name) {
    sk::ReadRange last;
    last.order = sk::ReadRange::newest_first;
    last.max_records = 1;
    auto const page = host.store->read(id_of(name), last);
    if (page)
      host.ends[name] = page->log_end;
    else if (page.error().code == Errc::not_found)
      host.ends[name] = {};
  }

  void append(Host& host, std::string const& name) {
    if (!boot(host)) return;
    std::vector<Line>& lines = talks_[name];
    std::vector<std::string> texts;
    for (std::size_t i = 0; i <= random_.below(2); ++i) texts.push_back(name + std::to_string(next_text_++));
    bool unknown = false;
    std::size_t const padding = random_.one_in(4) ? 9000 : random_.below(600);
    for (int tries = 0; tries < 3 && !host.process->dead() && boot(host); ++tries) {
      if (host.ends.count(name) == 0 || (!unknown && random_.one_in(8))) look(host, name);
      if (host.ends.count(name) == 0) continue;
      sk::Position const expected = host.ends[name];
      std::vector<std::string> batch;
      if (expected == sk::Position{}) batch.push_back(blades_header(name));
      for (std::string const& text : texts) batch.push_back(blades_message(text, padding));
      auto const done = host.store->append(id_of(name), BladesBatch(batch, expected, random_.one_in(2)));
      if (host.process->dead()) unknown = true;
      if (host.process->dead()) break;
      if (done) {
        host.ends[name] = *done;
        did.acked += static_cast<std::int64_t>(texts.size());
        for (std::string const& text : texts) lines.push_back({text, true});
        return;
      }
      Errc const code = done.error().code;
      unknown = unknown || code == Errc::outcome_unknown;
      if (code == Errc::conflict || code == Errc::already_exists || code == Errc::not_found) {
        if (unknown) break; // it may be there: repeating it elsewhere would store it twice
        host.ends.erase(name);
      }
    }
    (unknown ? did.unknown : did.refused) += 1;
    host.ends.erase(name);
    for (std::string const& text : texts) lines.push_back({text, false, !unknown});
  }

  void remove(Host& host, std::string const& name) {
    auto const done = host.store->remove(id_of(name));
    host.ends.clear();
    bool const unknown = host.process->dead() || (!done && done.error().code == Errc::outcome_unknown);
    if (!unknown && !done) return;
    ++did.removals;
    for (Line& line : talks_[name]) {
      line.acked = false; // gone or not
      line.removed = line.removed || !unknown;
    }
  }

  void cut_power() {
    ++did.cuts;
    for (Host& host : hosts_)
      if (host.process) host.process->die();
    disk_.cut_power();
    compare();
  }

  void compare() {
    for (std::string const& name : disk_.names(root))
      if (name.size() > 5 && name.substr(name.size() - 5) == ".json")
        verdict.torn += read_blades(disk_.contents(root + "/" + name).value()).whole ? 0 : 1;
    for (auto const& [name, lines] : talks_) {
      auto const text = disk_.contents(root + "/" + name + ".json");
      BladesFile const file = text ? read_blades(*text) : BladesFile{};
      std::map<std::string, int> count;
      for (std::string const& each : file.texts) ++count[each];
      for (Line const& line : lines) {
        verdict.lost += line.acked && count[line.text] == 0 ? 1 : 0;
        verdict.false_failure += (line.refused || line.removed) && count[line.text] > 0 ? 1 : 0;
        verdict.doubled += count[line.text] > 1 ? 1 : 0;
        count.erase(line.text);
      }
      verdict.alien += static_cast<int>(count.size());
    }
  }

  static sk::SessionId id_of(std::string const& text) { return sk::SessionId::parse(text).value(); }

  Weakness weakness_;
  ModelDisk disk_;
  Random random_;
  std::vector<Host> hosts_;
  std::map<std::string, std::vector<Line>> talks_;
  bool power_fails_ = false, nested_ = false, interleaved_ = false;
  bool opens_live_ = false; // no process dies while it opens the store
  int next_process_ = 100, next_text_ = 0;
};

}

TEST_CASE(
    "T32: power cuts, kills and failing syncs on a simulated disk lose nothing of a store of documents") {
  std::int64_t const seeds = soak_or(10'000, 500);
  Verdict all;
  Activity did;
  std::int64_t first_bad = -1;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    Hosts hosts(static_cast<std::uint64_t>(seed), 1 + static_cast<int>(seed % 2));
    hosts.run(30);
    all.lost += hosts.verdict.lost, all.doubled += hosts.verdict.doubled, all.torn += hosts.verdict.torn;
    all.false_failure += hosts.verdict.false_failure, all.alien += hosts.verdict.alien;
    all.stuck += hosts.verdict.stuck;
    did.acked += hosts.did.acked, did.refused += hosts.did.refused, did.unknown += hosts.did.unknown;
    did.cuts += hosts.did.cuts, did.kills += hosts.did.kills, did.lost_syncs += hosts.did.lost_syncs;
    did.removals += hosts.did.removals, did.nested += hosts.did.nested;
    if (hosts.verdict.sum() > 0 && first_bad < 0) first_bad = seed;
  }
  tell("T32", seeds, " seeds, ", did.cuts, " power cuts, ", did.kills, " kills, ", did.lost_syncs,
       " runs of failing syncs, ", did.removals, " removals, ", did.nested, " appends within another, ",
       did.acked, " messages acknowledged, ", did.refused, " batches refused, ", did.unknown,
       " of unknown outcome");
  CAPTURE(first_bad);
  CHECK(all.lost == 0);
  CHECK(all.doubled == 0);
  CHECK(all.false_failure == 0);
  CHECK(all.alien == 0);
  CHECK(all.torn == 0);
  CHECK(all.stuck == 0);
  CHECK(did.acked > 10 * seeds);
  CHECK(did.cuts > 2 * seeds);
  CHECK(did.kills > seeds);
  CHECK(did.nested > seeds / 2);
  CHECK(did.unknown > seeds);
  CHECK(did.removals > seeds);
}

TEST_CASE("T33: the simulated disk shows each safeguard that is removed from a store of documents") {
  for (Weakness const weakness : {Weakness::no_data_sync, Weakness::no_name_sync, Weakness::no_sync_above,
                                  Weakness::hidden_sync_error, Weakness::no_lock}) {
    CAPTURE(name_of(weakness));
    int shown = 0;
    for (std::uint64_t seed = 1; seed <= 600 && shown == 0; ++seed) {
      Hosts hosts(seed, 2, weakness);
      hosts.run(30);
      shown = hosts.verdict.lost + hosts.verdict.torn;
    }
    CHECK(shown > 0);
  }
}
